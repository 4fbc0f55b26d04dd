// SPDX-License-Identifier: Apache-2.0
// Byte pair encoding: learning the pairs, and text to tokens by them.
#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "dataset/content_cache.hpp"
#include "dataset/text/vocabulary.hpp"
#include "util/sha256.hpp"

namespace dlrun::dataset {

namespace {

using Token = std::int32_t;
using Pair = std::pair<Token, Token>;
constexpr Token kFirst = 2;  ///< token of byte 0
constexpr std::size_t kBytes = 256 + 2;

struct PairHash {
  std::size_t operator()(const Pair& pair) const {
    return std::hash<std::uint64_t>()(std::uint64_t(std::uint32_t(pair.first)) << 32 | std::uint32_t(pair.second));
  }
};

/// Calls visit(chunk): a word, blanks or other signs, each with the one blank before it. Pairs never cross its ends.
template <class Visit>
void for_each_chunk(std::string_view text, const Visit& visit) {
  const auto kind = [&](std::size_t i) { return is_blank_byte(text[i]) ? 0 : is_word_byte(text[i]) ? 1 : 2; };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    const bool has_blank = text[at] == ' ' && end < text.size() && kind(end) != 0;
    const int what = has_blank ? kind(end) : kind(at);
    while (end < text.size() && kind(end) == what) {
      // The last blank of several goes with the word behind it.
      if (what == 0 && text[end] == ' ' && end + 1 < text.size() && kind(end + 1) != 0) break;
      ++end;
    }
    visit(text.substr(at, end - at));
    at = end;
  }
}

/// Replaces each `pair`, from the left, by `token`.
void merge(std::vector<Token>& tokens, const Pair& pair, Token token) {
  std::size_t to = 0;
  for (std::size_t from = 0; from < tokens.size(); ++from, ++to) {
    const bool is_pair = from + 1 < tokens.size() && tokens[from] == pair.first && tokens[from + 1] == pair.second;
    tokens[to] = is_pair ? token : tokens[from];
    if (is_pair) ++from;
  }
  tokens.resize(to);
}

std::vector<Token> bytes_of(std::string_view chunk) {
  std::vector<Token> tokens;
  for (const char c : chunk) tokens.push_back(kFirst + static_cast<unsigned char>(c));
  return tokens;
}

/// Bytes of the first tokens: nothing for padding and unknown, then every byte.
std::vector<std::string> single_bytes() {
  std::vector<std::string> bytes{"", ""};
  for (int byte = 0; byte < 256; ++byte) bytes.emplace_back(1, static_cast<char>(byte));
  return bytes;
}

/// Counts pairs over the different chunks and merges the best, again and again.
class Learner {
 public:
  explicit Learner(const std::vector<std::string_view>& texts) {
    std::map<std::string_view, std::int64_t> counts;  // sorted: the same order everywhere
    for (const std::string_view text : texts) for_each_chunk(text, [&](std::string_view chunk) { ++counts[chunk]; });
    bytes_ = single_bytes();
    for (const auto& [chunk, count] : counts) {
      chunks_.push_back({bytes_of(chunk), count});
      count_pairs(chunks_.size() - 1, 1);
    }
    for (const auto& [pair, state] : pairs_) push(pair, state.count);
  }

  /// One more token. @return false where no pair is seen twice.
  bool learn() {
    while (!queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      const auto state = pairs_.find(best.pair);
      if (state == pairs_.end() || state->second.count != best.count) continue;  // counted anew since
      if (best.count < 2) return false;
      merge_everywhere(best.pair);
      return true;
    }
    return false;
  }

  const std::vector<Pair>& merges() const { return merges_; }
  std::size_t size() const { return bytes_.size(); }

 private:
  struct Chunk {
    std::vector<Token> tokens;
    std::int64_t count;
  };
  struct State {
    std::int64_t count = 0;
    std::set<std::size_t> chunks;  ///< chunks that hold it, or held it
  };
  /// The most frequent first, then by the bytes of both halves.
  struct Candidate {
    std::int64_t count;
    std::string left, right;
    Pair pair;
    bool operator<(const Candidate& other) const {
      if (count != other.count) return count < other.count;
      return std::tie(other.left, other.right, other.pair) < std::tie(left, right, pair);
    }
  };

  void push(const Pair& pair, std::int64_t count) {
    if (count > 0) queue_.push({count, bytes_[std::size_t(pair.first)], bytes_[std::size_t(pair.second)], pair});
  }

  /// Adds (sign 1) or takes away (-1) what a chunk counts for.
  void count_pairs(std::size_t index, int sign) {
    const Chunk& chunk = chunks_[index];
    for (std::size_t i = 0; i + 1 < chunk.tokens.size(); ++i) {
      const Pair pair{chunk.tokens[i], chunk.tokens[i + 1]};
      State& state = pairs_[pair];
      state.count += sign * chunk.count;
      if (sign > 0) state.chunks.insert(index);
      changed_.insert(pair);
    }
  }

  void merge_everywhere(const Pair& pair) {
    const auto token = Token(bytes_.size());
    bytes_.push_back(bytes_[std::size_t(pair.first)] + bytes_[std::size_t(pair.second)]);
    merges_.push_back(pair);
    changed_.clear();
    const std::set<std::size_t> holders = pairs_[pair].chunks;
    for (const std::size_t index : holders) {
      count_pairs(index, -1);
      merge(chunks_[index].tokens, pair, token);
      count_pairs(index, 1);
    }
    pairs_.erase(pair);
    for (const Pair& other : changed_) {
      const auto state = pairs_.find(other);
      if (state != pairs_.end()) push(other, state->second.count);
    }
  }

  std::vector<std::string> bytes_;  ///< bytes of each token
  std::vector<Pair> merges_;
  std::vector<Chunk> chunks_;
  std::unordered_map<Pair, State, PairHash> pairs_;
  std::set<Pair> changed_;
  std::priority_queue<Candidate> queue_;
};

class Pairs final : public Vocabulary {
 public:
  explicit Pairs(const std::vector<Pair>& merges) : names_{"(padding)", "(unknown)"} {
    std::vector<std::string> bytes = single_bytes();
    for (const Pair& pair : merges) {
      ranks_.emplace(pair, Token(bytes.size()));
      bytes.push_back(bytes[std::size_t(pair.first)] + bytes[std::size_t(pair.second)]);
    }
    for (std::size_t token = kFirst; token < bytes.size(); ++token) names_.push_back(token_name(bytes[token]));
  }

  void encode(std::string_view text, std::vector<Token>& tokens) const override {
    std::unordered_map<std::string_view, std::vector<Token>> known;
    for_each_chunk(text, [&](std::string_view chunk) {
      const auto [entry, is_new] = known.try_emplace(chunk);
      if (is_new) entry->second = merged(bytes_of(chunk));
      tokens.insert(tokens.end(), entry->second.begin(), entry->second.end());
    });
  }
  const std::vector<std::string>& names() const override { return names_; }

 private:
  /// The pair learned first is merged first, everywhere.
  std::vector<Token> merged(std::vector<Token> tokens) const {
    for (;;) {
      auto best = ranks_.end();
      for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const auto found = ranks_.find({tokens[i], tokens[i + 1]});
        if (found != ranks_.end() && (best == ranks_.end() || found->second < best->second)) best = found;
      }
      if (best == ranks_.end()) return tokens;
      merge(tokens, best->first, best->second);
    }
  }

  std::vector<std::string> names_;
  std::unordered_map<Pair, Token, PairHash> ranks_;  ///< pair -> the token it becomes
};

std::vector<Pair> learn(std::size_t size, const std::vector<std::string_view>& texts) {
  Learner learner(texts);
  while (learner.size() < size && learner.learn()) {
  }
  return learner.merges();
}

/// Cache key of all that decides the learned pairs. Raise the version when that changes.
std::string key_of(std::size_t size, const std::vector<std::string_view>& texts) {
  constexpr int kVersion = 1;
  Sha256 hash;
  hash.add(fmt::format("bpe {} {}", kVersion, size));
  for (const std::string_view text : texts) {
    hash.add(fmt::format(" {} ", text.size()));
    hash.add(text);
  }
  return hash.finish_hex();
}

/// Pairs of earlier tokens; nullopt for anything else.
std::optional<std::vector<Pair>> merges_from(std::string_view text, std::size_t size) {
  const Json json = parse_json(text, "vocabulary");
  if (!json.is_array()) return std::nullopt;
  std::vector<Pair> merges;
  for (const Json& pair : json) {
    const auto known = Token(kBytes + merges.size());
    const Pair merge{pair.at(0).get<Token>(), pair.at(1).get<Token>()};
    if (merge.first < kFirst || merge.second < kFirst || merge.first >= known || merge.second >= known)
      return std::nullopt;
    merges.push_back(merge);
  }
  return kBytes + merges.size() <= size ? std::optional(merges) : std::nullopt;
}

/// Pairs from the cache; nullopt where it has none that makes sense.
std::optional<std::vector<Pair>> known_merges(const ContentCache& cache, std::size_t size) {
  try {
    const std::optional<Mapped> found = cache.find();
    return found ? merges_from(found->text(), size) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::unique_ptr<Vocabulary> pair_vocabulary(const Json& options, const std::vector<std::string_view>& texts,
                                            bool uses_cache) {
  const auto size = options["size"].is_null() ? std::size_t(1000) : options["size"].get<std::size_t>();
  if (size < kBytes)
    throw DataError("vocabulary.size", fmt::format("'size' is {}, but bpe begins with {} tokens", size, kBytes),
                    fmt::format("at least {}, or kind: byte", kBytes));
  const ContentCache cache("vocabulary", uses_cache ? key_of(size, texts) : "", uses_cache);
  if (const std::optional<std::vector<Pair>> known = known_merges(cache, size)) return std::make_unique<Pairs>(*known);
  const std::vector<Pair> merges = learn(size, texts);
  cache.keep(to_text(Json(merges)));
  return std::make_unique<Pairs>(merges);
}

}  // namespace dlrun::dataset
