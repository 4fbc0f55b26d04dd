// SPDX-License-Identifier: Apache-2.0
// Fractions against the table of Box, Hunter and Hunter (Statistics for Experimenters, 1978, table 12.15).
#include "ablation/fraction.hpp"

#include <bit>

#include "ablation/refused.hpp"
#include "support/catch.hpp"

namespace fraction_test {

using namespace dlrun::ablation;

namespace {

Subset bits(std::initializer_list<int> components) {
  Subset out = 0;
  for (const int c : components) out |= Subset(1) << c;
  return out;
}

/// +1 where all of an effect's components agree with an even number being off.
int sign(const Off& off, Subset effect) {
  int odd = 0;
  for (const std::size_t i : off) odd ^= int(effect >> i & 1U);
  return odd != 0 ? -1 : 1;
}

}  // namespace

TEST_CASE("as few runs as the resolution takes", "[ablation][fraction]") {
  struct Row {
    std::size_t components;
    int asked;
    std::size_t runs;
    int resolution;
  };
  const auto row = GENERATE(Row{3, 3, 4, 3}, Row{4, 4, 8, 4}, Row{5, 3, 8, 3}, Row{5, 4, 16, 5}, Row{5, 5, 16, 5},
                            Row{6, 3, 8, 3}, Row{6, 4, 16, 4}, Row{6, 5, 32, 6}, Row{7, 3, 8, 3}, Row{7, 4, 16, 4},
                            Row{7, 5, 64, 7}, Row{8, 4, 16, 4}, Row{8, 5, 64, 5}, Row{11, 3, 16, 3}, Row{16, 4, 32, 4});
  CAPTURE(row.components, row.asked);
  const Fraction fraction = fraction_of(row.components, row.asked);
  CHECK(fraction.runs == row.runs);
  CHECK(fraction.resolution == row.resolution);
  CHECK(fraction.variants().size() == row.runs - 1);
  CHECK(fraction.words.size() == (std::size_t(1) << row.components) / row.runs - 1);
}

TEST_CASE("every component is there in half of the runs, whatever the others are", "[ablation][fraction]") {
  const Fraction fraction = fraction_of(6, 4);
  std::vector<Off> runs = fraction.variants();
  runs.emplace_back();  // the baseline
  for (Subset effect = 1; effect < 64; ++effect) {
    int sum = 0;
    for (const Off& off : runs) sum += sign(off, effect);
    const bool is_word = std::find(fraction.words.begin(), fraction.words.end(), effect) != fraction.words.end();
    CHECK(sum == (is_word ? 16 : 0));
  }
}

TEST_CASE("what is aliased is what the same runs measure", "[ablation][fraction]") {
  const Fraction half = fraction_of(3, 3);  // c = ab
  const std::vector<Alias> aliases = half.aliases();
  REQUIRE(aliases.size() == 3);
  CHECK(aliases[0].effect == bits({0}));
  CHECK(aliases[0].others == std::vector<Subset>{bits({1, 2})});
  CHECK(half.words == std::vector<Subset>{bits({0, 1, 2})});
  const Fraction four = fraction_of(4, 4);  // d = abc: ab = cd
  REQUIRE(four.aliases().size() == 4 + 3);
  CHECK(four.aliases()[4].effect == bits({0, 1}));
  CHECK(four.aliases()[4].others == std::vector<Subset>{bits({2, 3})});
  CHECK(fraction_of(5, 5).aliases()[5].others.empty());
}

TEST_CASE("generators that were chosen", "[ablation][fraction]") {
  const Fraction fraction = fraction_by(5, {{3, {0, 1}}, {4, {0, 2}}});  // 2^(5-2) with D = AB, E = AC
  CHECK(fraction.runs == 8);
  CHECK(fraction.resolution == 3);
  CHECK(fraction.words == std::vector<Subset>{bits({0, 1, 3}), bits({0, 2, 4}), bits({1, 2, 3, 4})});
  CHECK_THROWS_WITH(fraction_by(4, {{2, {0, 1}}, {3, {0, 1}}}),
                    "E250: these generators make two components one: they would always be left out together");
}

TEST_CASE("what is no fraction, or too large, is refused", "[ablation][fraction]") {
  CHECK_THROWS_WITH(fraction_of(3, 4),
                    "E250: no fraction of 3 components has resolution 4: that takes all combinations");
  CHECK_THROWS_WITH(fraction_of(9, 5), "E250: a fraction of resolution 5 of 9 components has more than 64 runs");
  CHECK_THROWS_WITH(fraction_of(33, 4), "E250: a fraction of 33 components, where there may be 20");
}

}  // namespace fraction_test
