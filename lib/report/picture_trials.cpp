// SPDX-License-Identifier: Apache-2.0
#include "report/picture_trials.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "plot/script.hpp"
#include "util/error.hpp"

namespace dlrun::report {

namespace {

using trial::TrialState;

constexpr std::size_t kMostNameLetters = 40;  // longest name in a title

bool is_better(const ShownGoal& goal, double a, double b) { return goal.maximize ? a > b : a < b; }

/// Best of a further objective: of the completed feasible trials.
void find_best(ShownTrials& trials, const ShownGoal& goal) {
  for (const ShownTrial& one : trials.all) {
    if (one.state != TrialState::completed || !one.is_feasible || !one.value) continue;
    if (trials.best_value && !is_better(goal, *one.value, *trials.best_value)) continue;
    trials.best = one.number;
    trials.best_value = one.value;
  }
}

std::string value_column(const ShownGoal& goal) {
  if (goal.number == 0) return "t.objective";
  return fmt::format("(SELECT v.value FROM dl_value v WHERE v.trial = t.trial AND v.objective = {})", goal.number);
}

}  // namespace

std::vector<ShownGoal> shown_goals(const OpenedStudy& study) {
  std::vector<ShownGoal> goals{{0, study.metric, study.maximize}};
  for (const Goal& goal : study.further) goals.push_back({goals.size(), goal.metric, goal.maximize});
  return goals;
}

ShownGoal shown_goal(const OpenedStudy& study, const PictureWishes& wishes) {
  const std::vector<ShownGoal> goals = shown_goals(study);
  if (wishes.objective.empty()) return goals.front();
  std::vector<std::string> names;
  for (const ShownGoal& goal : goals) {
    if (goal.metric == wishes.objective) return goal;
    names.push_back(goal.metric);
  }
  throw Error(ErrorKind::usage, fmt::format("'{}' is no objective of study '{}'", wishes.objective, study.name),
              fmt::format("there {} {}", names.size() == 1 ? "is" : "are", fmt::join(names, ", ")));
}

double drawable(double value) {
  constexpr double kMost = 1e300;
  return std::clamp(value, -kMost, kMost);
}

ShownTrials shown_trials(const OpenedStudy& study, const ShownGoal& goal) {
  ShownTrials trials;
  storage::Statement rows =
      study.query(fmt::format("SELECT t.trial, t.state, {}, {} FROM dl_trial t ORDER BY t.trial", value_column(goal),
                              study.has_bounds ? "coalesce(t.violation, 0)" : "0"));
  while (rows.step()) {
    trials.all.push_back({rows.integer(0), TrialState(rows.integer(1)), std::nullopt, rows.real(3) <= 0});
    if (!rows.is_null(2) && std::isfinite(rows.real(2))) trials.all.back().value = drawable(rows.real(2));
  }
  if (goal.number > 0) {
    find_best(trials, goal);
    return trials;
  }
  const BestTrial best = best_trial_of(study);
  if (best.trial.is_number()) trials.best = best.trial.get<std::int64_t>();
  if (best.value.is_number()) trials.best_value = best.value.get<double>();
  return trials;
}

std::vector<plot::Group> look_groups() {
  using plot::Shape;
  return {{"failed", plot::kText, Shape::cross},        {"unfinished", plot::kQuiet, Shape::open_square},
          {"pruned", plot::kQuiet, Shape::open_circle}, {"infeasible", plot::kPurple, Shape::open_diamond},
          {"completed", plot::kBlue, Shape::disc},      {"best", plot::kVermilion, Shape::diamond}};
}

Look look_of(const ShownTrial& trial, const ShownTrials& trials) {
  if (trials.best == trial.number) return Look::best;
  if (trial.state == TrialState::failed) return Look::failed;
  if (!trial.is_feasible) return Look::infeasible;
  if (trial.state == TrialState::completed) return Look::completed;
  return trial.state == TrialState::pruned ? Look::pruned : Look::unfinished;
}

namespace {

/// Places of those things that must be there, of these numbers among them.
std::vector<std::size_t> among(const std::vector<bool>& must, const std::vector<std::size_t>& numbers) {
  std::vector<std::size_t> places, out;
  for (std::size_t i = 0; i < must.size(); ++i) {
    if (must[i]) places.push_back(i);
  }
  for (const std::size_t number : numbers) out.push_back(places[number]);
  return out;
}

}  // namespace

std::vector<std::size_t> even_sample(const std::vector<bool>& must, std::size_t most) {
  const auto musts = std::size_t(std::count(must.begin(), must.end(), true));
  if (musts > most) return among(must, even_sample(std::vector<bool>(musts), most));
  const std::size_t others = must.size() - musts, room = most > musts ? most - musts : 0;
  std::vector<std::size_t> taken;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < must.size(); ++i) {
    // Other things are taken at which the running share of the room grows.
    const bool is_due = !must[i] && (others <= room || (seen + 1) * room / others > seen * room / others);
    if (!must[i]) ++seen;
    if (must[i] || is_due) taken.push_back(i);
  }
  return taken;
}

std::vector<ShownTrial> sampled(const ShownTrials& from, std::size_t most, bool (*is_taken)(const ShownTrial&)) {
  std::vector<ShownTrial> all, out;
  std::copy_if(from.all.begin(), from.all.end(), std::back_inserter(all), is_taken);
  std::vector<bool> must;
  for (const ShownTrial& one : all) must.push_back(from.best == one.number);
  for (const std::size_t i : even_sample(must, most)) out.push_back(all[i]);
  return out;
}

std::vector<ShownTrial> with_result(const ShownTrials& from, std::size_t most, std::size_t least) {
  const auto is_completed = [](const ShownTrial& t) { return t.state == TrialState::completed && t.value; };
  std::vector<ShownTrial> trials = sampled(from, most, is_completed);
  if (trials.size() >= least) return trials;
  return sampled(from, most, [](const ShownTrial& t) { return t.value && t.state != TrialState::failed; });
}

const char* better_of(const ShownGoal& goal) { return goal.maximize ? "higher is better" : "lower is better"; }

std::string best_text(const ShownTrials& trials) {
  if (!trials.best || !trials.best_value) return "no trial has a result";
  const double value = *trials.best_value;
  return fmt::format("best {}{:.6g} (trial {})", value < 0 ? "−" : "", std::abs(value), *trials.best);
}

std::string drawn_text(std::size_t drawn, std::size_t all, const char* verb) {
  return drawn >= all ? "" : fmt::format("; {} of {} are {}, the best among them", drawn, all, verb);
}

std::string sample_text(const std::vector<ShownTrial>& drawn, const ShownTrials& from, const char* verb) {
  const auto is_completed = [](const ShownTrial& t) { return t.state == TrialState::completed && t.value; };
  if (!std::all_of(drawn.begin(), drawn.end(), is_completed)) return "; trials that stopped early are among them";
  return drawn_text(drawn.size(), std::size_t(std::count_if(from.all.begin(), from.all.end(), is_completed)), verb);
}

std::string short_name(const OpenedStudy& study) { return plot::shortened(study.name, kMostNameLetters); }

std::string file_name(const OpenedStudy& study, const std::string& kind) { return study.name + "-" + kind; }

}  // namespace dlrun::report
