// SPDX-License-Identifier: Apache-2.0
#include "ablation/fraction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <set>

#include "ablation/refused.hpp"

namespace dlrun::ablation {

namespace {

constexpr int kMostFactors = 6;  // 64 runs, as of a factorial
constexpr std::size_t kMostComponents = 20;

/// Sums of up to `order` columns.
std::set<Subset> sums(const std::vector<Subset>& columns, int order) {
  std::set<Subset> out{0}, last{0};
  for (int i = 0; i < order; ++i) {
    std::set<Subset> next;
    for (const Subset sum : last) {
      for (const Subset column : columns) next.insert(sum ^ column);
    }
    out.insert(next.begin(), next.end());
    last = std::move(next);
  }
  return out;
}

/// Adds columns of products until there are `count`, no `resolution` - 1 of which make a constant; depth first.
bool complete(std::vector<Subset>& columns, std::size_t count, int factors, int resolution, Subset from) {
  if (columns.size() == count) return true;
  const std::set<Subset> taken = sums(columns, resolution - 2);
  for (Subset product = from; product < Subset(1) << factors; ++product) {
    if (std::popcount(product) < resolution - 1 || taken.contains(product)) continue;
    columns.push_back(product);
    if (complete(columns, count, factors, resolution, product + 1)) return true;
    columns.pop_back();
  }
  return false;
}

/// Whether so many components may be told apart at all: no two from each other, their sums (resolution 5), and from
/// resolution 4 on half of the products are sums of two.
bool has_room(std::size_t count, int factors, int resolution) {
  const std::size_t runs = std::size_t(1) << factors;
  if (resolution >= 5) return 1 + count + count * (count - 1) / 2 <= runs;
  return count <= (resolution == 4 ? runs / 2 : runs - 1);
}

std::optional<std::vector<Subset>> columns_for(std::size_t count, int factors, int resolution) {
  if (!has_room(count, factors, resolution)) return std::nullopt;
  std::vector<Subset> columns;
  for (int i = 0; i < factors; ++i) columns.push_back(Subset(1) << i);
  if (!complete(columns, count, factors, resolution, 1)) return std::nullopt;
  return columns;
}

/// Products of components that are constant: of every generated one with its factors, and what these make.
std::vector<Subset> words_of(const std::vector<Subset>& columns, int factors) {
  std::vector<Subset> words;
  for (auto i = std::size_t(factors); i < columns.size(); ++i) {
    const Subset own = columns[i] | Subset(1) << i;
    const std::size_t known = words.size();
    words.push_back(own);
    for (std::size_t w = 0; w < known; ++w) words.push_back(words[w] ^ own);
  }
  return words;
}

bool is_shorter(Subset a, Subset b) { return std::pair(std::popcount(a), a) < std::pair(std::popcount(b), b); }

Fraction made(std::vector<Subset> columns, int factors, std::vector<Subset> words) {
  Fraction fraction{std::move(columns), std::size_t(1) << factors, std::move(words)};
  std::sort(fraction.words.begin(), fraction.words.end(), is_shorter);
  if (!fraction.words.empty()) fraction.resolution = std::popcount(fraction.words.front());
  return fraction;
}

}  // namespace

std::vector<Off> Fraction::variants() const {
  std::vector<Off> out;
  for (Subset run = 1; run < runs; ++run) {
    Off& off = out.emplace_back();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (std::popcount(columns[i] & run) % 2 != 0) off.push_back(i);
    }
  }
  return out;
}

std::vector<Alias> Fraction::aliases() const {
  std::vector<Alias> out;
  std::set<Subset> named;
  const auto add = [&](Subset effect, int order) {
    if (named.contains(effect)) return;
    Alias alias{effect, {}};
    for (const Subset word : words) {
      named.insert(effect ^ word);
      if (std::popcount(effect ^ word) <= order) alias.others.push_back(effect ^ word);
    }
    std::sort(alias.others.begin(), alias.others.end(), is_shorter);
    out.push_back(std::move(alias));
  };
  constexpr int kThree = 3, kTwo = 2;
  for (std::size_t i = 0; i < columns.size(); ++i) add(Subset(1) << i, kThree);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = i + 1; j < columns.size(); ++j) add(Subset(1) << i | Subset(1) << j, kTwo);
  }
  return out;
}

Fraction fraction_of(std::size_t components, int resolution) {
  if (components > kMostComponents)
    throw Refused("E250",
                  fmt::format("a fraction of {} components, where there may be {}", components, kMostComponents),
                  "take design: loco");
  for (int factors = 2; factors <= kMostFactors; ++factors) {
    if (std::size_t(factors) >= components)
      throw Refused("E250",
                    fmt::format("no fraction of {} component{} has resolution {}: that takes all combinations",
                                components, components == 1 ? "" : "s", resolution),
                    resolution > 3 ? "take design: factorial, or resolution: 3" : "take design: factorial");
    std::optional<std::vector<Subset>> found;
    for (int more = resolution; std::size_t(more) <= components; ++more) {
      auto columns = columns_for(components, factors, more);
      if (!columns) break;
      found = std::move(columns);
    }
    if (found) return made(*found, factors, words_of(*found, factors));
  }
  throw Refused("E250",
                fmt::format("a fraction of resolution {} of {} components has more than {} runs", resolution,
                            components, 1 << kMostFactors),
                "take fewer components, or a lower resolution");
}

Fraction fraction_by(std::size_t components, const std::map<std::size_t, std::vector<std::size_t>>& generators) {
  std::vector<Subset> columns(components);
  int factors = 0;
  for (std::size_t i = 0; i < components; ++i) {
    if (!generators.contains(i)) columns[i] = Subset(1) << factors++;
  }
  std::vector<Subset> words;
  for (const auto& [made_one, of] : generators) {
    Subset own = Subset(1) << made_one;
    for (const std::size_t factor : of) {
      columns[made_one] ^= columns[factor];
      own |= Subset(1) << factor;
    }
    const std::size_t known = words.size();
    words.push_back(own);
    for (std::size_t w = 0; w < known; ++w) words.push_back(words[w] ^ own);
  }
  if (factors > kMostFactors)
    throw Refused("E250", fmt::format("{} components without a generator make {} runs", factors, 1ULL << factors),
                  "generate more of them, so that at most six are left");
  Fraction fraction = made(std::move(columns), factors, std::move(words));
  constexpr int kLeast = 3;
  if (!fraction.words.empty() && fraction.resolution < kLeast)
    throw Refused("E250", "these generators make two components one: they would always be left out together",
                  "take products of more, or of other components");
  return fraction;
}

}  // namespace dlrun::ablation
