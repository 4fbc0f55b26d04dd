// SPDX-License-Identifier: Apache-2.0
#include "pruners/pasha_pruner.hpp"

#include "support/catch.hpp"
#include "util/error.hpp"

namespace pasha_test {

using namespace dlrun;
using namespace dlrun::pruners;
using trial::TrialId;

namespace {

/// Rungs 1, 2, 4, 8.
PashaPruner eight() { return PashaPruner({.ladder = {.eta = 2, .min_budget = 1, .max_budget = 8}}); }

/// A trial's epochs up to a rung, the last of them its value there.
void tell(PashaPruner& pruner, int trial, int rung, const std::vector<double>& epochs) {
  const std::int64_t to = pruner.rungs()[std::size_t(rung)];
  std::vector<Point> points;
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    points.push_back({to - std::int64_t(epochs.size()) + 1 + std::int64_t(i), epochs[i]});
  }
  pruner.on_curve(TrialId(trial), points);
  pruner.on_value(TrialId(trial), rung, epochs.back());
}

std::optional<std::pair<std::int64_t, int>> next(const Pruner& pruner) {
  const auto p = pruner.next();
  return p ? std::optional(std::pair(p->trial.value, p->rung)) : std::nullopt;
}

/// Four trials at the first rung; the best two, 0 and 1, come to the second with these values.
PashaPruner two_at_the_second(double a, double b) {
  PashaPruner pruner = eight();
  for (int t = 0; t < 4; ++t) tell(pruner, t, 0, {0.1 * (t + 1)});
  for (int t = 0; t < 2; ++t) pruner.claim(TrialId(t), 0);
  tell(pruner, 0, 1, {a});
  tell(pruner, 1, 1, {b});
  return pruner;
}

}  // namespace

TEST_CASE("as long as rankings agree nothing trains beyond the second rung", "[pruners][pasha]") {
  PashaPruner pruner = two_at_the_second(0.05, 0.06);
  CHECK(next(pruner) == std::nullopt);
  CHECK(pruner.is_whole(TrialId(0)));
  CHECK_FALSE(pruner.is_whole(TrialId(2)));
  CHECK_THROWS_AS(pruner.claim(TrialId(0), 1), Error);
}

TEST_CASE("where rankings disagree the next rung opens", "[pruners][pasha]") {
  PashaPruner pruner = two_at_the_second(0.08, 0.06);
  CHECK(next(pruner) == std::pair(std::int64_t(1), 1));
  CHECK_FALSE(pruner.is_whole(TrialId(0)));
  pruner.claim(TrialId(1), 1);
  tell(pruner, 1, 2, {0.05, 0.04});
  CHECK(next(pruner) == std::nullopt);  // of one nothing can disagree
  CHECK(pruner.is_whole(TrialId(1)));
}

TEST_CASE("curves that cross and cross back say how much of a ranking is noise", "[pruners][pasha]") {
  // Rungs 3, 6, 12. Trials 0 and 1 lie 0.2 apart at the first rung and change places at the second.
  const auto play = [](const std::vector<double>& a, const std::vector<double>& b) {
    PashaPruner pruner({.ladder = {.eta = 2, .min_budget = 3, .max_budget = 12}});
    tell(pruner, 0, 0, {a[0], a[1], a[2]});
    tell(pruner, 1, 0, {b[0], b[1], b[2]});
    for (int t = 2; t < 4; ++t) tell(pruner, t, 0, {9, 9, 9});
    for (int t = 0; t < 2; ++t) pruner.claim(TrialId(t), 0);
    tell(pruner, 0, 1, {a[3], a[4], a[5]});
    tell(pruner, 1, 1, {b[3], b[4], b[5]});
    return next(pruner);
  };
  // One crossing: they really change places.
  CHECK(play({1.0, 1.0, 1.0, 1.0, 1.0, 1.0}, {1.2, 1.2, 1.2, 1.2, 0.9, 0.7}) == std::pair(std::int64_t(1), 1));
  // Three: what they are apart at the second rung, 0.3, is within the noise, and so is 0.2.
  CHECK(play({1.0, 1.0, 1.0, 1.0, 1.0, 1.0}, {1.2, 0.9, 1.2, 1.2, 0.9, 0.7}) == std::nullopt);
}

TEST_CASE("with two rungs PASHA is ASHA", "[pruners][pasha]") {
  PashaPruner pruner({.ladder = {.eta = 3, .min_budget = 1, .max_budget = 3}});
  for (int t = 0; t < 3; ++t) tell(pruner, t, 0, {double(t)});
  CHECK(next(pruner) == std::pair(std::int64_t(0), 0));
}

}  // namespace pasha_test
