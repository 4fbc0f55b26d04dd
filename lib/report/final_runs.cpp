// SPDX-License-Identifier: Apache-2.0
#include "report/final_runs.hpp"

#include <algorithm>

#include "ablation/plan_json.hpp"
#include "statistics/summary.hpp"
#include "trial/trial.hpp"
#include "util/error.hpp"
#include "warmstart/race.hpp"

namespace dlrun::report {

namespace {

constexpr double kPoints = 0.3;  // points of a metric where more is better
constexpr double kShare = 0.99;  // share of kaiming's last value, where the file names no target

/// "test.accuracy" of "val.accuracy".
std::string of_test(const std::string& metric) {
  return "test" + metric.substr(std::min(metric.find('.'), metric.size()));
}

FinalArm arm_of(const ablation::Variant& variant) {
  FinalArm arm;
  arm.name = variant.is_baseline() ? "kaiming" : variant.id;
  const Json start = variant.edits.value("warm_start", Json());
  if (!start.is_object()) return arm;
  for (const Json& donor : start.value("donors", Json::array())) {
    const Json epoch = donor.value("epoch", Json());
    if (!epoch.is_number()) continue;
    arm.donor_epochs += epoch.get<std::int64_t>();
    arm.depth = std::max(arm.depth, epoch.get<std::int64_t>());
  }
  return arm;
}

struct Curve {
  std::vector<double> values;
  std::vector<std::int64_t> steps;
};

Curve curve_of(const OpenedStudy& opened, std::int64_t trial, const std::string& metric) {
  storage::Statement row = opened.query(
      "SELECT avg(m.value), m.step FROM dl_metric m JOIN dl_metric_name n ON n.metric = m.metric WHERE m.trial = ? AND "
      "n.name "
      "= "
      "? AND m.committed = 1 GROUP BY m.step ORDER BY m.step");
  Curve curve;
  row.bind(trial, metric);
  while (row.step()) {
    curve.values.push_back(row.real(0));
    curve.steps.push_back(row.integer(1));
  }
  return curve;
}

/// A program need not report after every epoch; where dlrun trains, the first value is after the first own epoch.
FinalTraining training_of(const OpenedStudy& opened, std::int64_t trial, std::int64_t epochs, const FinalStudy& study) {
  Curve curve = curve_of(opened, trial, study.metric);
  FinalTraining training{.curve = std::move(curve.values)};
  if (study.is_training || training.curve.empty()) return training;
  training.length = std::max(epochs, curve.steps.back());
  training.at = std::move(curve.steps);
  return training;
}

void take_trainings(const OpenedStudy& opened, FinalStudy& study) {
  storage::Statement row = opened.query(
      "SELECT t.trial, t.seconds, v.value, r.value, t.epochs FROM dl_trial t JOIN v_params v ON v.trial = t.trial AND "
      "v.name = "
      "'variant' JOIN v_params r ON r.trial = t.trial AND r.name = 'replicate' WHERE t.state = ? ORDER BY t.trial");
  row.bind(int(trial::TrialState::completed));
  while (row.step()) {
    const std::string id(row.text(2)), name = id == "baseline" ? "kaiming" : id;
    const auto arm = std::find_if(study.arms.begin(), study.arms.end(), [&](const auto& a) { return a.name == name; });
    if (arm == study.arms.end()) continue;
    const std::int64_t trial = row.integer(0);
    FinalTraining training = training_of(opened, trial, row.integer(4), study);
    training.seconds = row.real(1);
    const std::vector<double> test = curve_of(opened, trial, study.test).values;
    if (!test.empty()) training.test = test.back();
    if (!training.curve.empty()) arm->trainings[std::string(row.text(3))] = std::move(training);
  }
}

void set_target(const Json& final, FinalStudy& study) {
  const Json asked = final.value("target", Json());
  study.is_own_target = asked.is_number();
  std::vector<double> ends;
  for (const auto& [seed, training] : study.arms.front().trainings) ends.push_back(training.curve.back());
  if (study.is_own_target) {
    study.target = asked.get<double>();
  } else if (!ends.empty()) {
    study.target = usual_target(statistics::mean(ends), study.maximize);
  }
  for (FinalArm& arm : study.arms) {
    for (auto& [seed, training] : arm.trainings) reach(training, study.target, study.maximize);
  }
}

/// The race's decision, as the final training's file has it.
std::optional<FinalRace> race_of_final(const OpenedStudy& opened, const Json& final) {
  const auto race = warmstart::race_of(final.value("warm_start", Json()));
  if (!race || race->chose.empty()) return std::nullopt;
  return FinalRace{race->study, race->chose, race->trained, warm_race(opened.store, race->study)};
}

/// The arm that won, once more under the name `race`, each seed with its share of what the race cost.
void add_race_arm(FinalStudy& study) {
  const std::string name = study.race->chosen == "none" ? "kaiming" : study.race->chosen;
  const auto won =
      std::find_if(study.arms.begin(), study.arms.end(), [&](const auto& arm) { return arm.name == name; });
  if (won == study.arms.end()) return;
  FinalArm arm = *won;
  arm.name = "race";
  const double seconds = study.race->result ? study.race->result->seconds : 0;
  for (auto& [seed, training] : arm.trainings) {
    training.overhead = double(study.race->epochs) / study.seeds;
    training.overhead_seconds = seconds / study.seeds;
  }
  study.arms.insert(study.arms.begin() + 1, std::move(arm));
}

std::optional<std::int64_t> epochs_of_search(const OpenedStudy& opened, const std::string& of) {
  try {
    const OpenedStudy search = open_study(opened.store, of.substr(0, of.find('/')));
    storage::Statement row = search.query("SELECT sum(epochs) FROM v_costs");
    return row.step() ? std::optional(row.integer(0)) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // deleted, or of another store
  }
}

}  // namespace

double usual_target(double end, bool maximize) { return end * (maximize == (end >= 0) ? kShare : 2 - kShare); }

std::pair<std::int64_t, bool> epochs_to(const std::vector<double>& curve, double target, bool maximize,
                                        std::int64_t most) {
  constexpr std::size_t kWindow = 3;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const std::size_t first = i + 1 >= kWindow ? i + 1 - kWindow : 0;
    std::vector<double> seen(curve.begin() + std::ptrdiff_t(first), curve.begin() + std::ptrdiff_t(i) + 1);
    std::sort(seen.begin(), seen.end());
    const double median = maximize ? seen[(seen.size() - 1) / 2] : seen[seen.size() / 2];
    if (maximize ? median >= target : median <= target) return {std::int64_t(i) + 1, true};
  }
  return {std::max(most, std::int64_t(curve.size())), false};
}

void reach(FinalTraining& training, double target, bool maximize) {
  std::tie(training.reached, training.has_reached) = epochs_to(training.curve, target, maximize);
  if (training.has_reached && !training.at.empty())
    training.reached = double(training.at[std::size_t(training.reached) - 1]);
}

void count_misses(FinalStudy& study) {
  double longest = double(study.epochs);
  for (const FinalArm& arm : study.arms) {
    for (const auto& [seed, training] : arm.trainings)
      longest = std::max(longest, training.epochs() + training.overhead);
  }
  for (FinalArm& arm : study.arms) {
    for (auto& [seed, training] : arm.trainings) {
      if (!training.has_reached) training.reached = longest;
    }
  }
}

bool is_final_study(const OpenedStudy& opened) {
  storage::Statement row = opened.query(
      "SELECT json_type(spec, '$.final.of') = 'text' AND (json_type(spec, '$.final.warm_start.race.chose') = 'text' OR "
      "(json_type(spec, '$.ablation') IS NOT NULL AND json_type(spec, '$.final.warm_start.race.decides') IS NOT "
      "'text')) FROM dl_study");
  return row.step() && row.integer(0) != 0;
}

FinalStudy final_study(const OpenedStudy& opened) {
  const Json spec = opened.spec();
  const Json final = spec.value("final", Json());
  const auto plan = ablation::plan_of(spec);
  if (!is_final_study(opened))
    throw Error(ErrorKind::usage, "'" + opened.name + "' compares no final trainings",
                "dlrun train --from STUDY --compare kaiming_longer,resume --seeds 10 makes such a study");
  FinalStudy study{.name = opened.name,
                   .of = final["of"].get<std::string>(),
                   .metric = opened.metric,
                   .test = of_test(opened.metric),
                   .maximize = opened.maximize};
  study.is_training = spec.value("trial", Json::object()).value("kind", "train") == "train";
  study.epochs = final.value("epochs", std::int64_t(0));
  const Json points = final.value("equivalence", Json());
  study.points = points.is_number() ? points.get<double>() : study.maximize ? kPoints : 0;
  study.seeds = final.value("seeds", 1);
  study.race = race_of_final(opened, final);
  study.search_epochs = epochs_of_search(opened, study.of);
  if (!plan) return study;
  for (const ablation::Variant& variant : plan->variants) study.arms.push_back(arm_of(variant));
  take_trainings(opened, study);
  set_target(final, study);
  if (study.race) add_race_arm(study);
  count_misses(study);
  return study;
}

std::vector<std::string> failed_arms(const OpenedStudy& opened) {
  std::vector<std::string> out;
  if (!is_final_study(opened) || !ablation::plan_of(opened.spec())) return out;
  storage::Statement row = opened.query(
      "SELECT v.value FROM dl_trial t JOIN v_params v ON v.trial = t.trial AND v.name = 'variant' GROUP BY v.value "
      "HAVING min(t.state = ?) = 1 ORDER BY min(t.trial)");
  row.bind(int(trial::TrialState::failed));
  while (row.step()) out.push_back(row.text(0) == "baseline" ? "kaiming" : std::string(row.text(0)));
  return out;
}

}  // namespace dlrun::report
