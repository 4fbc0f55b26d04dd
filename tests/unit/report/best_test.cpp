// SPDX-License-Identifier: Apache-2.0
// The study, its store, the view and the reports name the same best trials: generated studies with several objectives,
// bounds, replicates, ties, and with trials that are paused, pruned, cancelled, failed and retried.
#include "study/best.hpp"

#include <algorithm>
#include <deque>
#include <set>

#include "report/report.hpp"
#include "storage/best_trials.hpp"
#include "storage/moving.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "study/study.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/seeds.hpp"
#include "support/temp_folder.hpp"
#include "util/random.hpp"

namespace best_test {

using namespace dlrun;
using study::Effect;
using trial::TrialId;
using trial::TrialState;

namespace {

constexpr int kTrials = 14;

std::size_t pick(RandomStream& random, std::size_t count) { return std::size_t(random.below(count)); }

struct Setting {
  study::Rules rules;
  pruners::PrunerOptions pruner;
};

/// One to eight objectives in all directions, with or without a bound, replicates and a pruner.
Setting generated(RandomStream& random) {
  Setting setting;
  study::Rules& rules = setting.rules;
  rules.lanes = 1 + int(pick(random, 3));
  rules.slack = 500;
  rules.epochs = 4;
  rules.limits.trials = kTrials;
  rules.objective = {"m0", pick(random, 2) == 1};
  constexpr std::size_t kFurther[] = {0, 0, 1, 1, 2, 7};
  const std::size_t further = kFurther[pick(random, std::size(kFurther))];
  for (std::size_t i = 1; i <= further; ++i) rules.further.push_back({"m" + std::to_string(i), pick(random, 2) == 1});
  if (pick(random, 2) == 1) rules.bounds = {{"size", 1, true}};
  rules.members.replicates = 1 + int(pick(random, 2));
  if (pick(random, 2) == 1) setting.pruner = {pruners::Asha{.ladder = {.eta = 2, .min_budget = 1, .max_budget = 4}}};
  return setting;
}

storage::StudyRow row_of(const study::Rules& rules) {
  storage::StudyRow row = support::sample_row();
  const auto json = [](const study::Objective& objective) {
    return Json{{"metric", objective.metric}, {"direction", objective.maximize ? "maximize" : "minimize"}};
  };
  row.spec["objective"] = Json::array({json(rules.objective)});
  for (const study::Objective& objective : rules.further) row.spec["objective"].push_back(json(objective));
  if (!rules.bounds.empty()) row.spec["feasible"] = Json::array({{{"metric", "size"}, {"max", 1}}});
  return row;
}

space::Space line() { return space::Space({{.name = "x", .low = 0, .high = 1}}); }

/// Hash of the one artifact that a trial leaves.
std::string hash_of(std::int64_t trial) { return std::string(62, 'a') + std::to_string(10 + trial); }

/// A study and its store, driven by chance: every call commits one event.
class Play {
 public:
  Play(const Setting& setting, const std::filesystem::path& folder, RandomStream& random)
      : study(setting.rules, line(), samplers::make_sampler("random", line(), 7), pruners::make_pruner(setting.pruner)),
        store(storage::Store::create(folder, row_of(setting.rules), line())),
        rules_(setting.rules),
        random_(random) {
    store->begin();
    record(study.decide());
    store->commit(storage::Durability::normal);
  }

  bool is_over() const { return queue_.empty(); }
  void go_on() {
    const study::StartPiece start = queue_.front();
    queue_.pop_front();
    if (!study.is_current(start.key, start.attempt)) return;
    const TrialId trial = start.key.member.trial;
    const std::size_t dice = pick(random_, 12);
    if (dice == 0) return absorb(study::CancelAsked{trial}), queue_.push_back(start);
    absorb(study::PieceEnded{dice < 3 ? failure(start) : result(start)});
    if (dice == 1) absorb(study::RetryAsked{trial});
  }

  study::Study study;
  std::unique_ptr<storage::Store> store;

 private:
  void absorb(const study::Event& event) {
    store->begin();
    store->add(event);
    record(study.absorb(event));
    record(study.decide());
    store->commit(storage::Durability::normal);
  }
  void record(const study::Output& out) {
    for (const study::Event& event : out.events) store->add(event);
    for (const study::Decision& decision : out.decisions) store->add(decision);
    for (const Effect& effect : out.effects) std::visit([&](const auto& e) { carry_out(e); }, effect);
  }
  void carry_out(const study::StartPiece& start) {
    store->attempts().start({start.key, start.attempt, 0});
    queue_.push_back(start);
  }
  void carry_out(const study::TrialChanged& change) { store->change(change); }
  void carry_out(const study::MemberMeasured& member) { store->change(member); }
  template <class Other>
  void carry_out(const Other&) {}

  trial::PieceResult failure(const study::StartPiece& start) const {
    return {.key = start.key, .attempt = start.attempt, .outcome = trial::Outcome::failed, .cause = trial::Cause::nan};
  }
  /// Few values, and the fewer the more objectives there are, so that trials are often equal in all but the last.
  trial::PieceResult result(const study::StartPiece& start) {
    trial::PieceResult result{.key = start.key, .attempt = start.attempt};
    const std::size_t objectives = 1 + rules_.further.size();
    const auto value = [&] { return pick(random_, objectives + 1) < 2 ? double(pick(random_, 3)) / 2 - 0.5 : 0; };
    trial::Report report{start.to_step, {{"m0", value()}, {"size", 1.5 * double(pick(random_, 2))}}};
    for (const study::Objective& objective : rules_.further) report.metrics.push_back({objective.metric, value()});
    result.reports = {report};
    result.artifacts = {{"last", hash_of(start.key.member.trial.value), 1, start.to_step}};
    return result;
  }

  study::Rules rules_;
  RandomStream& random_;
  std::deque<study::StartPiece> queue_;
};

std::vector<std::int64_t> column(const report::Table& table) {
  std::vector<std::int64_t> trials;
  for (const auto& row : table.rows) trials.push_back(row.at(0).get<std::int64_t>());
  return trials;
}

/// The rule once more, as docs/objectives.md has it: the trials that count, best first.
std::vector<std::int64_t> expected(const study::Study& study, const study::Rules& rules) {
  using Key = std::tuple<std::vector<double>, std::int64_t>;
  std::set<Key> completed, others;
  for (std::int64_t i = 0; i < study.trial_count(); ++i) {
    const study::TrialView view = study.trial(TrialId(i));
    const bool is_out = view.state == TrialState::failed || view.state == TrialState::cancelled;
    if (!view.objective || is_out || view.violation.value_or(0) > 0) continue;
    std::vector<double> costs{rules.objective.maximize ? -*view.objective : *view.objective};
    for (std::size_t f = 0; f < view.further.size(); ++f)
      costs.push_back(rules.further[f].maximize ? -view.further[f] : view.further[f]);
    (view.state == TrialState::completed ? completed : others).emplace(costs, i);
  }
  std::vector<std::int64_t> trials;
  for (const Key& key : completed.empty() ? others : completed) trials.push_back(std::get<1>(key));
  return trials;
}

void require_agreement(const Play& play, const study::Rules& rules, const std::filesystem::path& folder) {
  const std::vector<std::int64_t> best = expected(play.study, rules);
  const bool has_completed = !best.empty() && play.study.trial(TrialId(best.front())).state == TrialState::completed;
  REQUIRE((play.study.best() ? play.study.best()->value : -1) == (best.empty() ? -1 : best.front()));

  const report::Reader reader(folder, {"sample"});
  REQUIRE(column(reader.best(kTrials)) == best);
  const report::Table status = reader.status();
  const auto place = std::find(status.columns.begin(), status.columns.end(), "best_trial") - status.columns.begin();
  REQUIRE(status.rows[0][std::size_t(place)] == (best.empty() ? Json() : Json(best.front())));

  const report::Table view = report::sql(folder, {"sample"}, "select trial from best", report::kOwnSql);
  REQUIRE(column(view) == (has_completed ? best : std::vector<std::int64_t>()));

  const auto database = storage::open_for_reading(storage::study_file(folder, "sample", ".db"));
  const auto hashes = best.empty() ? storage::Hashes() : storage::Hashes{hash_of(best.front())};
  REQUIRE(storage::needed_by_best(*database) == hashes);
  if (!play.study.is_finished()) return;
  const std::vector<std::string> kept = play.store->artifacts().kept({.best = 1, .last = 0, .rungs = false});
  REQUIRE(storage::Hashes(kept.begin(), kept.end()) == hashes);
}

/// All of them agree on the winner of a race, be it a trial that was pruned.
void require_winner(Play& play, std::int64_t winner, const std::filesystem::path& folder) {
  play.store->begin();
  play.store->crown({TrialId(winner), "sample-winner", 2, 3, 0.5, {}});
  play.store->commit(storage::Durability::normal);
  const report::Reader reader(folder, {"sample"});
  std::vector<std::int64_t> best = column(reader.best(kTrials));
  REQUIRE(best.front() == winner);
  REQUIRE(std::count(best.begin(), best.end(), winner) == 1);
  const auto is_open = [&](std::int64_t trial) {
    return trial != winner && play.study.trial(TrialId(trial)).state != TrialState::completed;
  };
  std::erase_if(best, is_open);
  REQUIRE(column(report::sql(folder, {"sample"}, "select trial from best", report::kOwnSql)) == best);
  const auto database = storage::open_for_reading(storage::study_file(folder, "sample", ".db"));
  REQUIRE(storage::needed_by_best(*database) == storage::Hashes{hash_of(winner)});
}

}  // namespace

TEST_CASE("study, store, view and reports rank the trials of generated studies alike", "[report][best]") {
  std::set<TrialState> seen;
  dlrun::test::for_seeds(30, [&](std::uint64_t seed) {
    RandomStream random(seed, {"best"});
    const support::TempFolder folder;
    const Setting setting = generated(random);
    Play play(setting, folder.path(), random);
    for (std::size_t next = pick(random, 10); !play.is_over(); --next) {
      play.go_on();
      if (next > 0) continue;
      require_agreement(play, setting.rules, folder.path());
      next = 1 + pick(random, 10);
    }
    REQUIRE(play.study.is_finished());
    require_agreement(play, setting.rules, folder.path());
    const auto candidates =
        storage::candidates(*storage::open_for_reading(storage::study_file(folder.path(), "sample", ".db")), kTrials);
    if (!candidates.empty()) require_winner(play, candidates[pick(random, candidates.size())].value, folder.path());
    for (std::int64_t i = 0; i < play.study.trial_count(); ++i) seen.insert(play.study.trial(TrialId(i)).state);
  });
  CHECK(seen == std::set{TrialState::completed, TrialState::pruned, TrialState::failed, TrialState::cancelled});
}

}  // namespace best_test
