// SPDX-License-Identifier: Apache-2.0
// Worth of a warm start, as tables.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/ablation.hpp"
#include "report/final_effects.hpp"
#include "report/final_findings.hpp"
#include "statistics/summary.hpp"

namespace dlrun::report {

namespace {

Json mean_cell(const FinalArm& arm, const Read& read) {
  const std::vector<double> all = values_by(arm, read);
  return all.empty() ? Json() : figure(statistics::mean(all));
}

std::optional<double> seconds_of(const FinalTraining& t) { return t.seconds + t.overhead_seconds; }
std::optional<double> trained(const FinalTraining& t) { return t.epochs() + t.overhead; }
std::optional<double> seconds_to(const FinalTraining& t) {
  const double epochs = *epochs_to_target(t) - t.overhead;
  const double own = t.seconds * epochs / t.epochs();  // as if it had gone on at its pace
  return own + t.overhead_seconds;
}

/// Mean, interval and p of an arm; of the first, and of too few pairs, nothing.
void add_effect(std::vector<Json>& row, const FinalEffects& found, std::size_t arm, bool is_ratio) {
  const statistics::Effect* effect = arm > 0 && found.effects[arm - 1] ? &*found.effects[arm - 1] : nullptr;
  if (effect == nullptr) {
    row.insert(row.end(), 4, nullptr);
    return;
  }
  for (const double value : {effect->mean, effect->low, effect->high})
    row.push_back(figure(is_ratio ? std::exp(value) : value));
  row.push_back(figure(found.p[arm - 1]));
}

/// Verdict on every arm but the first: "equivalent within 0.3 points (p = 0.012)", "not shown (p = 0.31)".
std::vector<Json> equivalence_of(const FinalStudy& study, const Effects& effects) {
  const std::vector<double> p = equivalence_p(study, effects);
  std::vector<Json> out;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    const std::string verdict =
        p[i] < kFinalAlpha ? fmt::format("equivalent within {} points", study.points) : std::string("not shown");
    out.push_back(effects[i] ? Json(fmt::format("{} (p = {:.2g})", verdict, p[i])) : Json());
  }
  return out;
}

std::string reached_text(const FinalArm& arm) {
  return fmt::format("{} of {}", reaching_of(arm), arm.trainings.size());
}

/// Speed-up by a pure shift of the epochs that were trained before: T / (T - E); of arms that get there.
Json shift_bound(const FinalArm& kaiming, const FinalArm& arm) {
  if (reaching_of(kaiming) == 0 || reaching_of(arm) == 0) return nullptr;
  const std::vector<double> all = values_by(kaiming, epochs_to_target);
  if (all.empty() || arm.depth == 0) return nullptr;
  const double t = statistics::mean(all), e = double(arm.depth);
  return t > e ? figure(t / (t - e)) : Json();
}

Table target_table(const FinalStudy& study) {
  const char* const share = study.maximize == (study.target >= 0) ? "99 %" : "101 %";
  const std::string how = (study.is_own_target ? "" : fmt::format(", {} of what kaiming ends with", share)) +
                          (study.race ? ", of `race` with its race" : "");
  Table table{fmt::format("{}: epochs to {} {} {:.6g}{}", study.name, study.metric,
                          study.maximize ? ">=" : "<=", study.target, how),
              {"arm", "reached", "epochs_to_target", "times_faster", "low", "high", "p_corrected", "shift_bound"},
              {}};
  const FinalArm& kaiming = study.arms.front();
  const FinalEffects found = speed_ups(study);
  for (std::size_t i = 0; i < study.arms.size(); ++i) {
    const FinalArm& arm = study.arms[i];
    std::vector<Json> row{arm.name, reached_text(arm), mean_cell(arm, epochs_to_target)};
    add_effect(row, found, i, true);
    row.push_back(i > 0 ? shift_bound(kaiming, arm) : Json());
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table end_table(const FinalStudy& study, const std::string& metric, const Read& read, const char* when) {
  Table table{fmt::format("{}: {} {}", study.name, metric, when),
              {"arm", "runs", metric, "change", "low", "high", "p_corrected"},
              {}};
  const FinalEffects found = changes_by(study, read);
  const std::vector<Json> equivalence = equivalence_of(study, found.effects);
  if (study.points > 0) table.columns.emplace_back("equivalence");
  for (std::size_t i = 0; i < study.arms.size(); ++i) {
    const FinalArm& arm = study.arms[i];
    std::vector<Json> row{arm.name, values_by(arm, read).size(), mean_cell(arm, read)};
    add_effect(row, found, i, false);
    if (study.points > 0) row.push_back(i > 0 ? equivalence[i - 1] : Json());
    table.rows.push_back(std::move(row));
  }
  return table;
}

Json plus(const Json& cell, double more) { return cell.is_number() ? figure(cell.get<double>() + more) : cell; }

/// Epochs to the target as if the search were free, with the donors' epochs, and with the whole search.
Table cost_table(const FinalStudy& study) {
  Table table{fmt::format("{}: what it cost{}; the search counted as sunk, with the donors' epochs, as spent",
                          study.name, study.race ? ", of `race` with its race" : ""),
              {"arm", "epochs", "seconds", "epochs_to_target", "with_donors", "with_search", "seconds_to_target"},
              {}};
  for (const FinalArm& arm : study.arms) {
    const Json to_target = mean_cell(arm, epochs_to_target);
    table.rows.push_back({arm.name, mean_cell(arm, trained), mean_cell(arm, seconds_of), to_target,
                          plus(to_target, double(arm.donor_epochs)),
                          study.search_epochs ? plus(to_target, double(*study.search_epochs)) : Json(),
                          mean_cell(arm, seconds_to)});
  }
  return table;
}

}  // namespace

std::vector<Table> tables_of(const FinalStudy& study) {
  if (study.arms.empty()) return {final_findings(study)};
  std::vector<Table> out{final_findings(study), target_table(study),
                         end_table(study, study.metric, metric_at_end, "after the last epoch")};
  if (has_test(study)) out.push_back(end_table(study, study.test, metric_of_test, "measured once"));
  out.push_back(cost_table(study));
  return out;
}

std::vector<Table> final_of(const OpenedStudy& opened) { return tables_of(final_study(opened)); }

}  // namespace dlrun::report
