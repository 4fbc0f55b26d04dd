// SPDX-License-Identifier: Apache-2.0
#include "report/winner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "statistics/summary.hpp"
#include "storage/best_trials.hpp"
#include "storage/raced_winner.hpp"

namespace dlrun::report {

namespace {

using statistics::Noise;
using statistics::Shrunken;

/// Trials near the top whose members tell their luck: bad settings have another one.
constexpr std::size_t kMostTelling = 20;

/// An ablation, or a final training with rivals, compares all its variants and chooses none.
bool compares(const Json& spec) { return spec.value("derived", Json::object()).contains("ablation"); }

std::vector<study::Contender> contenders_of(const OpenedStudy& study) {
  std::vector<study::Contender> best = storage::best_trials(*study.database, std::numeric_limits<std::size_t>::max());
  if (!best.empty() && best[0].state != trial::TrialState::completed) best.clear();
  return best;
}

/// Examples that the objective is the share of right answers of, in each member; 0: it is none, or their number is
/// unknown.
std::int64_t judged_examples(const OpenedStudy& study, const Json& spec) {
  const Json data = spec.value("derived", Json::object()).value("data", Json());
  if (study.metric != "val.accuracy" || !data.is_object() || data.value("classes", 0) < 2) return 0;
  return data.value("target_shape", Json::array()).empty() ? data.value("val", std::int64_t(0)) : 0;
}

bool has_folds(const Json& spec) {
  const Json folds = spec.value("trial", Json::object()).value("folds", Json());
  return folds.is_number() && folds > 1;
}

/// Objectives of a trial's members, in order.
std::vector<double> members_of(const OpenedStudy& study, std::int64_t trial) {
  std::vector<double> values;
  storage::Statement rows = study.query("SELECT objective FROM dl_member WHERE trial = ? ORDER BY replicate, fold");
  rows.bind(trial);
  while (rows.step()) values.push_back(rows.real(0));
  return values;
}

/// Noise by the members of the best half of the contenders. nullopt: too few of them have all members.
std::optional<Noise> luck_by_members(const OpenedStudy& study, const std::vector<study::Contender>& contenders) {
  const std::size_t telling = std::min(kMostTelling, std::max(std::size_t(3), (contenders.size() + 1) / 2));
  std::vector<std::vector<double>> members;
  for (std::size_t i = 0; i < std::min(telling, contenders.size()); ++i)
    members.push_back(members_of(study, contenders[i].id.value));
  std::erase_if(members, [&, most = members[0].size()](const auto& row) { return row.size() != most; });
  return statistics::luck_of_members(members);
}

/// Do all members of a trial answer the same validation rows?
bool shares_rows(const Json& spec) {
  return spec.value("derived", Json::object()).contains("data") && !has_folds(spec);
}

/// Widens the interval by the luck of the validation rows of replicates, where the objective is a share of them.
void add_rows(const OpenedStudy& study, const Json& spec, double share, Noise& luck) {
  const std::int64_t examples = judged_examples(study, spec);
  if (examples == 0 || !shares_rows(spec)) return;
  luck.shared = std::hypot(luck.shared, std::sqrt(share * (1 - share) / double(examples)));
}

/// The estimate where less may be better.
Shrunken shrunken(const OpenedStudy& study, std::vector<double> values, const Noise& luck) {
  if (study.maximize) return statistics::shrunken_best(values, luck);
  for (double& value : values) value = -value;
  const Shrunken found = statistics::shrunken_best(values, luck);
  return {-found.value, -found.high, -found.low};
}

/// Takes the luck from members, or says why there is none to take.
void estimate(const OpenedStudy& study, const Json& spec, const std::vector<study::Contender>& contenders,
              const std::vector<double>& values, Winner& winner) {
  if (!has_members(study)) {
    winner.luck = "unknown: each trial ran once; set `trial.replicates` or `trial.folds` to measure it";
    return;
  }
  std::optional<Noise> luck = luck_by_members(study, contenders);
  if (!luck) {
    winner.luck = "unknown: two trials with all their members have to complete";
    return;
  }
  add_rows(study, spec, winner.measured, *luck);
  winner.value = shrunken(study, values, *luck);
  winner.luck = fmt::format("spread of the members of the best trials, {:.0f} degrees of freedom", luck->degrees);
}

void add_words(std::string& words, const std::string& more) { words += (words.empty() ? "" : "; ") + more; }

/// Choices that the estimate knows nothing of.
void add_choices(const OpenedStudy& study, const Json& spec, Winner& winner) {
  if (shares_rows(spec)) add_words(winner.not_covered, "the validation rows, which all replicates share");
  const Json objective = spec.value("objective", Json());
  const Json first = objective.is_array() && !objective.empty() ? objective[0] : objective;
  if (first.is_object() && first.value("at", "last") == "best")
    add_words(winner.not_covered, "the choice of the best epoch of each trial");
  storage::Statement row = study.query("SELECT count(*) FROM dl_trial WHERE state = ?");
  if (row.bind(int(trial::TrialState::pruned)).step() && row.integer(0) > 0)
    add_words(winner.not_covered, fmt::format("the choice among {} pruned trials", row.integer(0)));
}

}  // namespace

std::optional<Winner> winner_of(const OpenedStudy& study) {
  const Json spec = study.spec();
  const std::vector<study::Contender> contenders = contenders_of(study);
  if (contenders.empty() || compares(spec) || storage::raced_winner(*study.database)) return std::nullopt;
  std::vector<double> values;
  for (const study::Contender& one : contenders)
    values.push_back(study.maximize ? -one.score.values[0] : one.score.values[0]);
  Winner winner{contenders[0].id.value, values[0], {}, std::int64_t(contenders.size()), {}, {}};
  estimate(study, spec, contenders, values, winner);
  if (winner.value) add_choices(study, spec, winner);
  return winner;
}

namespace {

std::vector<std::vector<Json>> rows_of(const OpenedStudy& study, const storage::RacedWinner& raced) {
  storage::Statement row = study.query("SELECT trial, objective FROM dl_trial WHERE trial = ?");
  std::vector<std::vector<Json>> rows = {{"trial", raced.trial.value}};
  if (row.bind(raced.trial.value).step()) rows.push_back({"objective", cell(row, 1)});
  rows.insert(
      rows.end(),
      {{"raced", raced.measured}, {"runs", raced.runs}, {"contenders", raced.contenders}, {"race", raced.race}});
  if (!raced.value) return rows;
  rows.push_back({raced.value->metric, raced.value->value});
  if (raced.value->low < raced.value->high) {  // else its runs tell no luck
    rows.push_back({raced.value->metric + "_low", raced.value->low});
    rows.push_back({raced.value->metric + "_high", raced.value->high});
  }
  rows.push_back({"rests_on", raced.value->rests_on});
  return rows;
}

}  // namespace

Table winner_table(const OpenedStudy& study) {
  Table table{"the winner by " + goal_of(study), {"fact", "value"}, {}};
  if (const auto raced = storage::raced_winner(*study.database)) {
    table.rows = rows_of(study, *raced);
    return table;
  }
  const std::optional<Winner> winner = winner_of(study);
  if (!winner) return table;
  table.rows = {{"trial", winner->trial}, {"objective", winner->measured}};
  if (winner->value) {
    table.rows.push_back({"shrunken", winner->value->value});
    table.rows.push_back({"shrunken_low", winner->value->low});
    table.rows.push_back({"shrunken_high", winner->value->high});
  }
  table.rows.push_back({"contenders", winner->contenders});
  table.rows.push_back({"luck", winner->luck});
  if (!winner->not_covered.empty()) table.rows.push_back({"not_covered", winner->not_covered});
  return table;
}

}  // namespace dlrun::report
