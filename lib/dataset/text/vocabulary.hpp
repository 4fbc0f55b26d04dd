// SPDX-License-Identifier: Apache-2.0
// Text to tokens: bytes, words, or byte pairs learned on the training part alone.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/dataset.hpp"

namespace dlrun::dataset {

/// Tokens of every vocabulary: 0 fills up short texts, 1 stands for unknown words.
inline constexpr std::int32_t kPadding = 0, kUnknown = 1;

class Vocabulary {
 public:
  virtual ~Vocabulary() = default;
  /// Appends the tokens of a text.
  virtual void encode(std::string_view text, std::vector<std::int32_t>& tokens) const = 0;
  /// Text of each token, bytes outside of ASCII's letters as \xNN; "(padding)" and "(unknown)" first.
  virtual const std::vector<std::string>& names() const = 0;
};

/// The option `vocabulary` with its fields kind, size, min_count, lowercase.
options::Key vocabulary_option();

/// @param texts  those of the training split.  @param cache  of the section: false, or null.
/// @throws DataError: keys without effect, a size below the 258 of bytes.
std::unique_ptr<Vocabulary> make_vocabulary(const Json& options, const std::vector<std::string_view>& texts,
                                            const Json& cache = nullptr);

/// Every byte a token: byte + 2.
std::unique_ptr<Vocabulary> byte_vocabulary();
/// A word is a run of letters, digits, _ and bytes above 127, or one other character that is no blank. The most
/// frequent of the texts, ties by their bytes.
std::unique_ptr<Vocabulary> word_vocabulary(const Json& options, const std::vector<std::string_view>& texts);
/// Byte pair encoding (Sennrich, Haddow, Birch, ACL 2016) over bytes, within a word with the blank before it (as
/// Radford et al. 2019, with simpler words): the most frequent pair becomes a token until there are `size`, ties go to
/// the pair whose bytes come first. What was learned of these texts before comes from the cache.
std::unique_ptr<Vocabulary> pair_vocabulary(const Json& options, const std::vector<std::string_view>& texts,
                                            bool uses_cache = true);

/// A token's bytes as a name.
std::string token_name(std::string_view bytes);
/// Letters, digits, _ and whatever UTF-8 writes in several bytes.
bool is_word_byte(char c);
bool is_blank_byte(char c);

}  // namespace dlrun::dataset
