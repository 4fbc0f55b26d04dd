// SPDX-License-Identifier: Apache-2.0
// Laws of every pruner of the room's list, told any values in any order: what it says is a function of what it was
// told, asking changes nothing, and a trial goes on from where it is, once, or stops, or neither.
#include "pruners/pruner.hpp"

#include <limits>
#include <map>
#include <set>

#include "pruners/keys.hpp"
#include "support/seeds.hpp"
#include "util/random.hpp"

namespace pruners_test {

using namespace dlrun;
using namespace dlrun::pruners;
using trial::TrialId;

namespace {

PrunerOptions draw_options(const std::string& name, bool stops, RandomStream& random) {
  Json o = {{"op", name}, {"type", stops ? "stop" : "promotion"}};
  o["eta"] = 2 + int(random.below(3));
  o["min_budget"] = 1 + std::int64_t(random.below(3));
  o["max_budget"] = o["min_budget"].get<std::int64_t>() + std::int64_t(random.below(60));
  o["interval"] = 1 + std::int64_t(random.below(5));
  o["startup_trials"] = std::int64_t(random.below(6));
  o["min_trials"] = 1 + std::int64_t(random.below(3));
  o["percentile"] = 5 + 90 * random.uniform();
  o["upper"] = 3 * random.uniform();
  o["patience"] = std::int64_t(random.below(8));
  o["min_delta"] = 0.1 * random.uniform();
  return {read_pruner(o)};
}

/// A study without lanes: trials begin, values arrive in any order, and what the pruner says is done, now or later.
class Play {
 public:
  Play(Pruner& pruner, std::uint64_t seed, double questions)
      : pruner_(pruner), random_(seed, {"test", "play"}), questions_(seed, {"test", "questions"}), chance_(questions) {
    last_ = int(pruner.rungs().size()) - 1;
  }

  /// @return one line for each thing the pruner said
  std::vector<std::string> run(int trials) {
    for (int started = 0; started < trials || !under_way_.empty();) {
      ask();
      if (started < trials && random_.below(2) == 0) begin(started++);
      if (!under_way_.empty() && random_.below(2) == 0) arrive();
      if (random_.below(2) == 0) obey(false);
    }
    obey(true);
    return said_;
  }

 private:
  void begin(int trial) {
    const int rung = pruner_.first_rung();
    REQUIRE(rung >= 0);
    REQUIRE(rung <= last_);
    pruner_.on_start(TrialId(trial));
    said_.push_back(std::to_string(trial) + " begins for rung " + std::to_string(rung));
    under_way_.emplace_back(trial, rung);
  }

  void arrive() {
    const auto place = std::ptrdiff_t(random_.below(under_way_.size()));
    const auto [trial, rung] = under_way_[std::size_t(place)];
    under_way_.erase(under_way_.begin() + place);
    const auto epochs = pruner_.rungs();
    std::vector<Point> curve;
    for (std::int64_t e = rung == 0 ? 1 : epochs[std::size_t(rung) - 1] + 1; e <= epochs[std::size_t(rung)]; ++e) {
      curve.push_back({e, random_.below(20) == 0 ? std::numeric_limits<double>::quiet_NaN() : random_.normal()});
    }
    pruner_.on_curve(TrialId(trial), curve);
    const bool is_failed = random_.below(8) == 0;
    pruner_.on_value(TrialId(trial), rung, is_failed ? std::nullopt : std::optional(value()));
    at_[trial] = rung;
    if (is_failed) failed_.insert(trial);
    if (!is_failed && random_.below(10) == 0) leave(trial);
  }

  double value() {
    const auto kind = random_.below(12);
    if (kind == 0) return std::numeric_limits<double>::infinity();
    return kind < 4 ? double(random_.below(3)) : random_.normal();  // ties
  }

  /// It is cancelled, or ends by itself.
  void leave(int trial) {
    random_.below(2) == 0 ? pruner_.on_gone(TrialId(trial)) : pruner_.on_complete(TrialId(trial));
    gone_.insert(trial);
  }

  void obey(bool is_end) {
    for (;;) {
      ask();
      if (const auto stop = pruner_.next_stop()) {
        note_stop(*stop);
        continue;
      }
      const auto next = is_end ? pruner_.next_at_end() : pruner_.next();
      if (!next) return;
      note_next(*next);
      while (is_end && !under_way_.empty()) arrive();
    }
  }

  void note_stop(const Stop& stop) {
    const int trial = int(stop.trial.value);
    said_.push_back(std::to_string(trial) + " stops at " + std::to_string(stop.rung) + ": " + stop.reason);
    REQUIRE(at_.contains(trial));
    REQUIRE(at_[trial] == stop.rung);
    REQUIRE(gone_.insert(trial).second);
    pruner_.on_gone(stop.trial);
  }

  void note_next(const Promotion& next) {
    const int trial = int(next.trial.value);
    said_.push_back(std::to_string(trial) + " goes on from " + std::to_string(next.rung) + ": " + next.reason);
    REQUIRE(at_.contains(trial));
    REQUIRE(at_[trial] == next.rung);
    REQUIRE(next.rung < last_);
    REQUIRE_FALSE(gone_.contains(trial));
    REQUIRE_FALSE(failed_.contains(trial));
    REQUIRE(claimed_.emplace(trial, next.rung).second);
    pruner_.claim(next.trial, next.rung);
    under_way_.emplace_back(trial, next.rung + 1);
  }

  /// Questions that must change nothing.
  void ask() {
    if (questions_.uniform() >= chance_) return;
    pruner_.next();
    pruner_.next_at_end();
    pruner_.next_stop();
    pruner_.first_rung();
    pruner_.is_whole(TrialId(std::int64_t(questions_.below(20))));
  }

  Pruner& pruner_;
  RandomStream random_, questions_;
  double chance_;
  int last_ = 0;
  std::vector<std::pair<int, int>> under_way_;  ///< trial, rung it leads to
  std::map<int, int> at_;                       ///< the rung a trial came to last
  std::set<int> gone_, failed_;
  std::set<std::pair<int, int>> claimed_;
  std::vector<std::string> said_;
};

/// Checks a law of every pruner with rungs, ASHA in both of its types.
void check_law(const std::function<void(const PrunerOptions&, std::uint64_t seed)>& law) {
  for (const std::string& name : pruner_names()) {
    INFO(name);
    test::for_seeds(200, [&](std::uint64_t seed) {
      RandomStream random(seed, {"test", "options"});
      auto options = draw_options(name, seed % 2 == 1, random);
      options.study.by_score = seed % 4 >= 2;  // by fronts, which values alone are too
      if (!make_pruner(options)->rungs().empty()) law(options, seed);
    });
  }
}

std::vector<std::string> play(const PrunerOptions& options, std::uint64_t seed, double questions) {
  const auto pruner = make_pruner(options);
  return Play(*pruner, seed, questions).run(1 + int(seed % 60));
}

}  // namespace

TEST_CASE("what a pruner says is a function of what it was told", "[pruners][property]") {
  check_law([](const PrunerOptions& o, std::uint64_t seed) { CHECK(play(o, seed, 0) == play(o, seed, 0)); });
}

TEST_CASE("questions in between change nothing a pruner says", "[pruners][property]") {
  check_law([](const PrunerOptions& o, std::uint64_t seed) { CHECK(play(o, seed, 0) == play(o, seed, 1)); });
}

}  // namespace pruners_test
