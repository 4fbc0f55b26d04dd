// SPDX-License-Identifier: Apache-2.0
// Wilcoxon's pruner, and the test below it.
#include "pruners/wilcoxon_pruner.hpp"

#include <cmath>

#include "statistics/signed_rank.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"
#include "util/random.hpp"

namespace wilcoxon_test {

using namespace dlrun;
using namespace dlrun::pruners;
using statistics::signed_rank_p;
using trial::TrialId;

namespace {

WilcoxonPruner pruner_of(int members, double alpha = 0.1, int min_members = 2) {
  return {{.alpha = alpha, .min_members = min_members}, {.members = members}};
}

void run_whole(WilcoxonPruner& pruner, std::int64_t trial, const std::vector<double>& values) {
  double sum = 0;
  for (std::size_t m = 0; m < values.size(); ++m) {
    pruner.on_member(TrialId(trial), int(m), values[m]);
    sum += values[m];
  }
  pruner.on_value(TrialId(trial), 0, sum / double(values.size()));
}

/// After how many members a trial stops, 0: never.
int stops_after(WilcoxonPruner& pruner, std::int64_t trial, const std::vector<double>& values) {
  for (std::size_t m = 0; m < values.size(); ++m) {
    pruner.on_member(TrialId(trial), int(m), values[m]);
    if (pruner.next_stop()) return int(m) + 1;
  }
  return 0;
}

/// How often one of two equal trials is stopped, and how often a test at every look would stop it.
struct Rates {
  double corrected = 0, plain = 0;
};

Rates false_stops(int members, double alpha, int repeats) {
  Rates rates;
  for (int r = 0; r < repeats; ++r) {
    RandomStream random(17, {"wilcoxon", std::to_string(members), std::to_string(r)});
    std::vector<double> held, own, differences;
    for (int m = 0; m < members; ++m) {
      const double difficulty = 3 * random.normal();  // of the fold, the same for both
      held.push_back(difficulty + random.normal());
      own.push_back(difficulty + random.normal());
    }
    WilcoxonPruner pruner = pruner_of(members, alpha);
    run_whole(pruner, 0, held);
    rates.corrected += stops_after(pruner, 1, own) > 0;
    bool is_stopped = false;
    for (int m = 0; m + 1 < members; ++m) {
      differences.push_back(own[std::size_t(m)] - held[std::size_t(m)]);
      is_stopped = is_stopped || (m > 0 && signed_rank_p(differences) < alpha);
    }
    rates.plain += is_stopped;
  }
  return {rates.corrected / repeats, rates.plain / repeats};
}

}  // namespace

TEST_CASE("a trial that is gone before its members are visible is not stopped", "[pruners][wilcoxon]") {
  const std::vector<double> good(12, 1.0), bad = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
  for (const bool is_gone : {false, true}) {
    WilcoxonPruner pruner = pruner_of(12);
    run_whole(pruner, 0, good);
    if (is_gone) pruner.on_gone(TrialId(1));
    CHECK((stops_after(pruner, 1, bad) > 0) != is_gone);
  }
}

TEST_CASE("alpha is spent look by look, as Pocock's boundary", "[pruners][wilcoxon]") {
  const SequentialSignedRank test(0.1, 2, 9);
  CHECK(test.spent(1) == 0);
  CHECK(test.spent(9) == Approx(0.1));
  CHECK(test.spent(3) == Approx(0.1 * std::log(1 + 1.718281828 / 3)));
  // One of 2^3 = 0.125 is above what is spent at 3; one of 2^5 is the first that may be.
  CHECK_FALSE(test.rejects({1, 2, 3}));
  CHECK_FALSE(test.rejects({1, 2, 3, 4}));  // 0.0625 > spent(4) = 0.0567
  CHECK(test.rejects({1, 2, 3, 4, 5}));
}

TEST_CASE("a trial that is worse on every fold stops early, one as good runs on", "[pruners][wilcoxon]") {
  WilcoxonPruner pruner = pruner_of(10);
  run_whole(pruner, 0, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  CHECK(stops_after(pruner, 1, {2, 3.1, 4.2, 5.3, 6.4, 7.5, 8.6, 9.7, 10.8, 12}) == 5);
  CHECK(pruner.next_stop()->reason ==
        "after 5 of 10 members worse than trial 0: mean 4.2, not 3; signed-rank p 0.0312, 0.067 spent");
  pruner.on_gone(TrialId(1));
  CHECK_FALSE(pruner.next_stop());
  CHECK(stops_after(pruner, 2, {2, 1, 4, 3, 6, 5, 8, 7, 10, 9}) == 0);
}

TEST_CASE("a trial that began before any was complete is not judged", "[pruners][wilcoxon]") {
  WilcoxonPruner pruner = pruner_of(6);
  for (int m = 0; m < 3; ++m) pruner.on_member(TrialId(1), m, 100 + m);
  run_whole(pruner, 0, {1, 2, 3, 4, 5, 6});
  for (int m = 3; m < 6; ++m) {
    pruner.on_member(TrialId(1), m, 100 + m);
    CHECK_FALSE(pruner.next_stop());
  }
}

TEST_CASE("a trial that failed is held against nobody", "[pruners][wilcoxon]") {
  WilcoxonPruner pruner = pruner_of(8, 0.5);
  pruner.on_member(TrialId(0), 0, 1);
  pruner.on_value(TrialId(0), 0, std::nullopt);
  CHECK(stops_after(pruner, 1, {9, 9.5, 10, 11, 12, 13, 14, 15}) == 0);
}

TEST_CASE("equal trials stop no more often than alpha over all looks together", "[pruners][wilcoxon]") {
  for (const auto& [members, alpha] :
       {std::pair(5, 0.2), std::pair(10, 0.1), std::pair(10, 0.05), std::pair(20, 0.1)}) {
    const int repeats = members > 12 ? 1000 : 2000;
    const Rates rates = false_stops(members, alpha, repeats);
    INFO(members << " members, alpha " << alpha << ": " << rates.corrected << ", plain " << rates.plain);
    CHECK(rates.corrected <= alpha + 2 * std::sqrt(alpha / repeats));
    if (members >= 10) CHECK(rates.plain > 1.2 * alpha);  // what the correction is for
  }
}

TEST_CASE("senseless options are refused", "[pruners][wilcoxon]") {
  CHECK_THROWS_AS(pruner_of(5, 0), Error);
  CHECK_THROWS_AS(pruner_of(5, 0.6), Error);
  CHECK_THROWS_AS(pruner_of(5, 0.1, 1), Error);
}

}  // namespace wilcoxon_test
