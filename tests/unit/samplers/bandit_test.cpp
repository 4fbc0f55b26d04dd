// SPDX-License-Identifier: Apache-2.0
// What the heirs of a population try under pb2.
#include "samplers/bandit.hpp"

#include <cmath>
#include <set>

#include "support/catch.hpp"
#include "util/error.hpp"
#include "util/json.hpp"

namespace bandit_test {

using namespace dlrun;
using namespace dlrun::samplers;
using space::Choice;
using space::Type;
using space::Value;
using space::Values;
using trial::TrialId;

namespace {

space::Space line() { return space::Space({{.name = "x", .low = 0, .high = 1}}); }

/// `rungs` rungs of a population of 8 on a grid of x, whose cost falls by gain(x, epoch) in an epoch.
template <class GainOf>
void play(Bandit& bandit, int rungs, GainOf gain) {
  std::vector<double> cost(8, 10);
  for (int i = 0; i < 8; ++i) bandit.on_start(TrialId(i), {(i + 0.5) / 8}, TrialId());
  for (int rung = 0; rung < rungs; ++rung) {
    for (std::size_t i = 0; i < 8; ++i) {
      cost[i] -= gain((double(i) + 0.5) / 8, rung);
      bandit.on_result(TrialId(std::int64_t(i)), rung + 1, cost[i]);
    }
  }
}

double heir(Bandit& bandit, std::int64_t number, std::int64_t donor, const std::vector<Values>& taken = {}) {
  const Values own{(double(donor) + 0.5) / 8};
  return std::get<double>(bandit.explore(number, {TrialId(donor), own}, taken)[0]);
}

}  // namespace

TEST_CASE("an heir goes where the gains were greatest", "[samplers][bandit]") {
  Bandit bandit(line(), {}, 3);
  play(bandit, 4, [](double x, int) { return 1 - 4 * (x - 0.7) * (x - 0.7); });
  for (const std::int64_t donor : {0, 5}) CHECK(heir(bandit, 40, donor) == Approx(0.7).margin(0.1));
  CHECK(bandit.reason().find("by 24 gains of the population") != std::string::npos);
}

TEST_CASE("gains that move with time are followed", "[samplers][bandit]") {
  Bandit bandit(line(), {}, 3);
  play(bandit, 9, [](double x, int epoch) { return 1 - 4 * (x - 0.1 * epoch) * (x - 0.1 * epoch); });
  CHECK(heir(bandit, 90, 4) > 0.65);  // 0.9 next; the mean over time would be 0.45
}

TEST_CASE("heirs of one rung spread", "[samplers][bandit]") {
  Bandit bandit(line(), {}, 3);
  play(bandit, 2, [](double x, int) { return x > 2 ? 0.0 : 1.0; });  // nothing is to be learned
  std::vector<Values> taken{{4.5 / 8}};
  std::set<double> tried;
  for (int i = 0; i < 3; ++i) {
    const double x = heir(bandit, 20 + i, 4, taken);
    taken.push_back({x});
    bandit.on_start(TrialId(8 + i), {x}, TrialId(4));
    for (const double other : tried) CHECK(std::abs(other - x) > 1e-3);
    tried.insert(x);
  }
}

TEST_CASE("with few gains heirs are perturbed", "[samplers][bandit]") {
  Bandit bandit(line(), {.resample = 0}, 3);
  play(bandit, 1, [](double, int) { return 1.0; });
  const double x = heir(bandit, 8, 4);
  CHECK((x == Approx(0.8 * 4.5 / 8) || x == Approx(1.2 * 4.5 / 8)));
}

TEST_CASE("choices, integers and conditions are of the model", "[samplers][bandit]") {
  space::Parameter opt{.name = "opt", .type = Type::categorical, .choices = {"a", "b", "c"}};
  space::Parameter mom{.name = "mom", .low = 0.1, .high = 0.9};
  mom.when = {{0, {Choice{0}}}};
  const space::Space space({opt, mom, {.name = "n", .type = Type::integer, .low = 1, .high = 5}});
  Bandit bandit(space, {}, 1);
  std::vector<Values> all;
  for (std::uint32_t c = 0; c < 3; ++c) {
    for (std::int64_t n = 1; n <= 5; n += 2) all.push_back({Choice{c}, c == 0 ? Value(0.5) : Value(), n});
  }
  for (std::size_t i = 0; i < all.size(); ++i) bandit.on_start(TrialId(std::int64_t(i)), all[i], TrialId());
  for (int epoch = 1; epoch <= 4; ++epoch) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double gain =
          (std::get<Choice>(all[i][0]).index == 2 ? 1 : 0) + 0.1 * double(std::get<std::int64_t>(all[i][2]));
      bandit.on_result(TrialId(std::int64_t(i)), epoch, 10 - gain * epoch);
    }
  }
  const Values values = bandit.explore(30, {TrialId(0), all[0]}, {});
  CHECK(space.contains(values));
  CHECK(std::get<Choice>(values[0]).index == 2);
  CHECK(std::get<std::int64_t>(values[2]) == 5);
}

TEST_CASE("failures and costs that are no number teach nothing", "[samplers][bandit]") {
  Bandit bandit(line(), {}, 3);
  play(bandit, 3, [](double x, int) { return x; });
  bandit.on_result(TrialId(0), 4, std::nullopt);
  bandit.on_result(TrialId(1), 4, std::numeric_limits<double>::quiet_NaN());
  bandit.on_result(TrialId(0), 5, 3.0);  // tried again: nothing to compare with
  CHECK(heir(bandit, 30, 7) > 0.7);
  CHECK(bandit.reason().find("by 16 gains") != std::string::npos);
}

TEST_CASE("what was told decides, not what was asked", "[samplers][bandit]") {
  Bandit one(line(), {}, 3), other(line(), {}, 3);
  const auto gain = [](double x, int) { return std::sin(9 * x); };
  play(one, 5, gain);
  play(other, 5, gain);
  (void)heir(other, 39, 2);
  CHECK(heir(one, 40, 4) == heir(other, 40, 4));
}

TEST_CASE("an unknown explorer is refused", "[samplers][bandit]") {
  CHECK_THROWS_AS(make_explorer(line(), {.op = "pb3"}, 1), Error);
}

}  // namespace bandit_test
