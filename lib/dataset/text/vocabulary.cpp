// SPDX-License-Identifier: Apache-2.0
#include "dataset/text/vocabulary.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "dataset/options.hpp"

namespace dlrun::dataset {

namespace {

class Bytes final : public Vocabulary {
 public:
  Bytes() : names_{"(padding)", "(unknown)"} {
    for (int byte = 0; byte < 256; ++byte) {
      const char c = static_cast<char>(byte);
      names_.push_back(token_name({&c, 1}));
    }
  }

  void encode(std::string_view text, std::vector<std::int32_t>& tokens) const override {
    for (const char c : text) tokens.push_back(2 + static_cast<unsigned char>(c));
  }
  const std::vector<std::string>& names() const override { return names_; }

 private:
  std::vector<std::string> names_;
};

/// Calls visit(word) for each word of a text.
template <class Visit>
void for_each_word(std::string_view text, const Visit& visit) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (is_word_byte(text[at])) {
      while (end < text.size() && is_word_byte(text[end])) ++end;
    }
    if (!is_blank_byte(text[at])) visit(text.substr(at, end - at));
    at = end;
  }
}

class Words final : public Vocabulary {
 public:
  Words(std::vector<std::string> words, bool is_lower) : names_{"(padding)", "(unknown)"}, is_lower_(is_lower) {
    for (std::string& word : words) {
      names_.push_back(token_name(word));
      numbers_.emplace(std::move(word), std::int32_t(numbers_.size()) + 2);
    }
  }

  void encode(std::string_view text, std::vector<std::int32_t>& tokens) const override {
    for_each_word(text, [&](std::string_view word) {
      const auto found = numbers_.find(folded(word, is_lower_));
      tokens.push_back(found == numbers_.end() ? kUnknown : found->second);
    });
  }
  const std::vector<std::string>& names() const override { return names_; }

  static std::string folded(std::string_view word, bool is_lower) {
    std::string result(word);
    if (!is_lower) return result;
    for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return result;
  }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::int32_t> numbers_;
  bool is_lower_;
};

void refuse(const Json& options, std::initializer_list<const char*> keys) {
  const std::string kind = options["kind"].get<std::string>();
  for (const char* key : keys) {
    if (options[key].is_null()) continue;
    throw DataError(fmt::format("vocabulary.{}", key), fmt::format("'{}' has no effect with kind: {}", key, kind),
                    "remove it");
  }
}

}  // namespace

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_blank_byte(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\v' || c == '\f'; }

std::string token_name(std::string_view bytes) {
  std::string name;
  for (const char c : bytes)
    name += c >= ' ' && c <= '~' ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return name;
}

options::Key vocabulary_option() {
  return table(
      "vocabulary", "how text becomes tokens; built on the training split alone",
      {choice("kind", "byte: every byte; word: runs of letters and single signs; bpe: pairs of bytes by frequency",
              {"byte", "word", "bpe"})
           .with("byte"),
       integer("size", "most tokens, padding and unknown among them; default: words 10000, bpe 1000").from(3).to(1e6),
       integer("min_count", "words seen less often are unknown; default: 1").from(1),
       boolean("lowercase", "words without capital letters (A to Z); default: false")});
}

std::unique_ptr<Vocabulary> byte_vocabulary() { return std::make_unique<Bytes>(); }

std::unique_ptr<Vocabulary> word_vocabulary(const Json& options, const std::vector<std::string_view>& texts) {
  const bool is_lower = options["lowercase"] == true;
  const auto size = options["size"].is_null() ? std::size_t(10000) : options["size"].get<std::size_t>();
  const std::int64_t least = options["min_count"].is_null() ? 1 : options["min_count"].get<std::int64_t>();
  std::unordered_map<std::string, std::int64_t> counts;
  for (const std::string_view text : texts)
    for_each_word(text, [&](std::string_view word) { ++counts[Words::folded(word, is_lower)]; });
  std::vector<std::pair<std::int64_t, std::string>> order;
  for (const auto& [word, count] : counts) {
    if (count >= least) order.emplace_back(-count, word);
  }
  std::sort(order.begin(), order.end());
  if (order.size() > size - 2) order.resize(size - 2);
  std::vector<std::string> words;
  for (auto& entry : order) words.push_back(std::move(entry.second));
  return std::make_unique<Words>(std::move(words), is_lower);
}

std::unique_ptr<Vocabulary> make_vocabulary(const Json& options, const std::vector<std::string_view>& texts,
                                            const Json& cache) {
  if (options["kind"] != "bpe" && !cache.is_null())
    throw DataError("cache", "'cache' has no effect: only the vocabulary of kind bpe is kept", "remove it");
  if (options["kind"] == "word") return word_vocabulary(options, texts);
  if (options["kind"] == "byte") {
    refuse(options, {"size", "min_count", "lowercase"});
    return byte_vocabulary();
  }
  refuse(options, {"min_count", "lowercase"});
  return pair_vocabulary(options, texts, cache != false);
}

}  // namespace dlrun::dataset
