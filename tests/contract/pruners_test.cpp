// SPDX-License-Identifier: Apache-2.0
// What every pruner owes the study, whatever its rule (lib/pruners/pruner.hpp).
#include "pruners/pruner.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "pruners/keys.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"
#include "util/random.hpp"

namespace pruners_test {

using namespace dlrun;
using namespace dlrun::pruners;
using trial::TrialId;

namespace {

PrunerOptions options(const std::string& name) {
  return {read_pruner({{"op", name},
                       {"eta", 3},
                       {"min_budget", 1},
                       {"max_budget", 27},
                       {"interval", 4},
                       {"startup_trials", 3},
                       {"percentile", 50},
                       {"upper", 1e6},
                       {"patience", 3}})};
}

/// Every pruner, and ASHA in both of its types, by values and by fronts.
std::vector<PrunerOptions> kinds() {
  std::vector<PrunerOptions> list;
  for (const std::string& name : pruner_names()) list.push_back(options(name));
  Asha stopping = std::get<Asha>(options("asha").kind);
  stopping.stops = true;
  list.push_back({stopping});
  list.push_back({options("asha").kind, {.by_score = true}});
  list.push_back({stopping, {.by_score = true}});
  return list;
}

std::vector<std::unique_ptr<Pruner>> all() {
  std::vector<std::unique_ptr<Pruner>> list;
  for (const PrunerOptions& o : kinds()) list.push_back(make_pruner(o));
  return list;
}

/// The value of a trial at a rung: some fail.
std::optional<double> value(int trial, int rung) {
  if (trial % 7 == 6) return std::nullopt;
  return double(trial * 37 % 23) + 0.1 * rung;
}

/// A new trial as the study decides it. @return the rung it comes to first
int begin(Pruner& pruner, int trial) {
  const int rung = pruner.first_rung();
  pruner.on_start(TrialId(trial));
  return rung;
}

/// A new trial and its first value.
int arrive(Pruner& pruner, int trial) {
  const int rung = begin(pruner, trial);
  pruner.on_value(TrialId(trial), rung, value(trial, rung));
  return rung;
}

/// Sixty trials arrive at the first rung one after another; whoever may go on does at once.
std::vector<std::string> play(Pruner& pruner) {
  std::vector<std::string> told;
  const int last = int(pruner.rungs().size()) - 1;
  for (int i = 0; i < 60 && last >= 0; ++i) {
    arrive(pruner, i);
    while (const auto stop = pruner.next_stop()) {
      told.push_back(std::to_string(stop->trial.value) + " stops at " + std::to_string(stop->rung) + ": " +
                     stop->reason);
      pruner.on_gone(stop->trial);
    }
    while (const auto next = i < 59 ? pruner.next() : pruner.next_at_end()) {
      told.push_back(std::to_string(next->trial.value) + " from " + std::to_string(next->rung) + ": " + next->reason);
      pruner.claim(next->trial, next->rung);
      pruner.on_value(next->trial, next->rung + 1, value(int(next->trial.value), next->rung + 1));
    }
  }
  return told;
}

}  // namespace

TEST_CASE("rungs ascend and the last is the whole budget", "[contract][pruners]") {
  for (const auto& pruner : all()) {
    const std::vector<std::int64_t> rungs = pruner->rungs();
    if (rungs.empty()) continue;  // it never pauses
    CHECK(rungs.back() == 27);
    CHECK(rungs.front() >= 1);
    CHECK(std::adjacent_find(rungs.begin(), rungs.end(), std::greater_equal<>()) == rungs.end());
  }
}

TEST_CASE("a pruner that is told the same decides the same", "[contract][pruners]") {
  for (const PrunerOptions& o : kinds()) {
    INFO(name_of(o.kind));
    CHECK(play(*make_pruner(o)) == play(*make_pruner(o)));
  }
}

TEST_CASE("a trial goes on from a rung once, after it has a value there, and never past the last",
          "[contract][pruners]") {
  for (const auto& pruner : all()) {
    const int last = int(pruner->rungs().size()) - 1;
    std::set<std::pair<std::int64_t, int>> seen;
    std::map<std::int64_t, int> at;
    for (int i = 0; i < 60 && last >= 0; ++i) {
      at[i] = arrive(*pruner, i);
      while (const auto next = i < 59 ? pruner->next() : pruner->next_at_end()) {
        const std::int64_t trial = next->trial.value;
        REQUIRE(seen.emplace(trial, next->rung).second);
        REQUIRE(at.contains(trial));
        CHECK(at[trial] == next->rung);
        CHECK(next->rung < last);
        CHECK(value(int(trial), next->rung).has_value());
        CHECK_FALSE(next->reason.empty());
        pruner->claim(next->trial, next->rung);
        pruner->on_value(next->trial, ++at[trial], value(int(trial), at[trial]));
      }
    }
    CHECK((last < 0 || !seen.empty()));
  }
}

TEST_CASE("asking a pruner changes nothing", "[contract][pruners]") {
  for (const auto& pruner : all()) {
    if (pruner->rungs().empty()) continue;
    for (int i = 0; i < 12; ++i) pruner->on_value(TrialId(i), begin(*pruner, i), double(i));
    const auto once = pruner->next_at_end();
    const auto again = pruner->next_at_end();
    REQUIRE(once.has_value());
    CHECK(once->trial == again->trial);
    CHECK(once->rung == again->rung);
  }
}

TEST_CASE("a trial that is gone, failed or not finite never goes on", "[contract][pruners]") {
  for (const auto& pruner : all()) {
    if (pruner->rungs().empty()) continue;
    for (int i = 0; i < 30; ++i) pruner->on_value(TrialId(i), begin(*pruner, i), double(i));
    pruner->on_value(TrialId(30), begin(*pruner, 30), std::nullopt);
    pruner->on_value(TrialId(31), begin(*pruner, 31), std::numeric_limits<double>::quiet_NaN());
    pruner->on_gone(TrialId(0));
    while (const auto next = pruner->next_at_end()) {
      CHECK(next->trial.value != 0);
      CHECK(next->trial.value < 30);
      pruner->claim(next->trial, next->rung);
    }
  }
}

namespace {

/// Does the pruner name the trial when it is asked for whatever it would do next?
bool names(Pruner& pruner, TrialId trial) {
  for (int i = 0; i < 60; ++i) {
    const auto next = pruner.next_at_end();
    const auto stop = pruner.next_stop();
    if ((next && next->trial == trial) || (stop && stop->trial == trial)) return true;
    if (stop) pruner.on_gone(stop->trial);
    if (next) pruner.claim(next->trial, next->rung);
  }
  return false;
}

}  // namespace

TEST_CASE("a trial that is gone before its value is visible neither goes on nor stops", "[contract][pruners]") {
  for (const double late : {-1.0, 1e9}) {
    for (const auto& pruner : all()) {
      if (pruner->rungs().empty()) continue;
      for (int i = 0; i < 40; ++i) arrive(*pruner, i);
      const int rung = begin(*pruner, 40);
      pruner->on_gone(TrialId(40));
      pruner->on_value(TrialId(40), rung, late);
      CHECK_FALSE(names(*pruner, TrialId(40)));
    }
  }
}

TEST_CASE("a trial stops or goes on, never both, and stopping is asked without effect", "[contract][pruners]") {
  for (const auto& pruner : all()) {
    std::set<std::int64_t> stopped;
    std::map<std::int64_t, int> at;
    const int last = int(pruner->rungs().size()) - 1;
    for (int i = 0; i < 60 && last >= 0; ++i) {
      arrive(*pruner, i);
      for (;;) {
        const auto stop = pruner->next_stop();
        if (stop) {
          CHECK(pruner->next_stop()->trial == stop->trial);
          CHECK_FALSE(stop->reason.empty());
          CHECK(value(int(stop->trial.value), stop->rung).has_value());
          REQUIRE(stopped.insert(stop->trial.value).second);
          pruner->on_gone(stop->trial);
          continue;
        }
        const auto next = pruner->next();
        if (!next) break;
        REQUIRE_FALSE(stopped.contains(next->trial.value));
        pruner->claim(next->trial, next->rung);
        pruner->on_value(next->trial, next->rung + 1, value(int(next->trial.value), next->rung + 1));
      }
    }
  }
}

TEST_CASE("a claim that does not fit what was told is a damaged log", "[contract][pruners]") {
  for (const auto& pruner : all()) {
    if (pruner->rungs().empty()) continue;
    try {
      pruner->claim(TrialId(3), 0);
      FAIL("no error");
    } catch (const Error& fault) {
      CHECK(fault.kind() == ErrorKind::store);
    }
  }
}

}  // namespace pruners_test
