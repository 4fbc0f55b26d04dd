// SPDX-License-Identifier: Apache-2.0
// Worth of a warm start, as tables.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "report/ablation.hpp"
#include "report/final_runs.hpp"
#include "statistics/corrections.hpp"
#include "statistics/equivalence.hpp"
#include "statistics/paired.hpp"
#include "statistics/summary.hpp"

namespace dlrun::report {

namespace {

using Read = std::function<std::optional<double>(const FinalTraining&)>;

std::vector<double> values(const FinalArm& arm, const Read& read) {
  std::vector<double> out;
  for (const auto& [seed, training] : arm.trainings) {
    if (const auto value = read(training)) out.push_back(*value);
  }
  return out;
}

Json mean_cell(const FinalArm& arm, const Read& read) {
  const std::vector<double> all = values(arm, read);
  return all.empty() ? Json() : figure(statistics::mean(all));
}

/// first - second, by seed.
std::vector<double> differences(const FinalArm& first, const FinalArm& second, const Read& read) {
  std::vector<double> out;
  for (const auto& [seed, training] : first.trainings) {
    const auto other = second.trainings.find(seed);
    if (other == second.trainings.end()) continue;
    const auto a = read(training), b = read(other->second);
    if (a && b) out.push_back(*a - *b);
  }
  return out;
}

std::optional<double> epochs(const FinalTraining& t) { return double(t.reached); }
std::optional<double> logarithm(const FinalTraining& t) {
  return std::log(double(std::max<std::int64_t>(1, t.reached)));
}
std::optional<double> final_metric(const FinalTraining& t) { return t.curve.back(); }
std::optional<double> final_test_metric(const FinalTraining& t) { return t.test; }
std::optional<double> seconds(const FinalTraining& t) { return t.seconds; }
std::optional<double> trained(const FinalTraining& t) { return double(t.curve.size()); }
std::optional<double> seconds_to(const FinalTraining& t) {
  return t.seconds * double(t.reached) / double(t.curve.size());  // as if it had gone on at its pace
}

using Effects = std::vector<std::optional<statistics::Effect>>;

/// Effects of every arm but the first beside it, with p corrected by Holm over them.
struct Found {
  Effects effects;
  std::vector<double> p;

  /// Mean, interval and p of an arm; of the first, and of too few pairs, nothing.
  void add(std::vector<Json>& row, std::size_t arm, bool is_ratio) const {
    const statistics::Effect* effect = arm > 0 && effects[arm - 1] ? &*effects[arm - 1] : nullptr;
    if (effect == nullptr) {
      row.insert(row.end(), 4, nullptr);
      return;
    }
    for (const double value : {effect->mean, effect->low, effect->high})
      row.push_back(figure(is_ratio ? std::exp(value) : value));
    row.push_back(figure(p[arm - 1]));
  }
};

/// p values corrected by Holm over the effects there are; 1 where there is no effect.
std::vector<double> corrected(const Effects& effects, const std::function<double(const statistics::Effect&)>& p_of) {
  std::vector<double> raw, out;
  for (const auto& effect : effects) {
    if (effect) raw.push_back(p_of(*effect));
  }
  const std::vector<double> all = statistics::holm(raw);
  std::size_t next = 0;
  for (const auto& effect : effects) out.push_back(effect ? all[next++] : 1);
  return out;
}

Found judged(const FinalStudy& study, const std::function<std::vector<double>(const FinalArm&)>& differences) {
  Found out;
  for (std::size_t i = 1; i < study.arms.size(); ++i)
    out.effects.push_back(statistics::effect_of(differences(study.arms[i])));
  out.p = corrected(out.effects, [](const statistics::Effect& effect) { return effect.p; });
  return out;
}

constexpr double kLevel = 0.05;

/// Verdict on every arm but the first: "equivalent within 0.3 points (p = 0.012)", "not shown (p = 0.31)".
std::vector<Json> equivalence_of(const FinalStudy& study, const Effects& effects) {
  const auto p_of = [&](const statistics::Effect& effect) {
    return statistics::equivalence_p(effect, study.points / 100);
  };
  const std::vector<double> p = corrected(effects, p_of);
  std::vector<Json> out;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    const std::string verdict =
        p[i] < kLevel ? fmt::format("equivalent within {} points", study.points) : std::string("not shown");
    out.push_back(effects[i] ? Json(fmt::format("{} (p = {:.2g})", verdict, p[i])) : Json());
  }
  return out;
}

std::string reached_text(const FinalArm& arm) {
  const auto count =
      std::count_if(arm.trainings.begin(), arm.trainings.end(), [](const auto& one) { return one.second.has_reached; });
  return fmt::format("{} of {}", count, arm.trainings.size());
}

/// Speed-up by a pure shift of the epochs that were trained before: T / (T - E).
Json shift_bound(const FinalArm& kaiming, const FinalArm& arm) {
  const std::vector<double> all = values(kaiming, epochs);
  if (all.empty() || arm.depth == 0) return nullptr;
  const double t = statistics::mean(all), e = double(arm.depth);
  return t > e ? figure(t / (t - e)) : Json();
}

Table target_table(const FinalStudy& study) {
  const std::string how =
      study.is_own_target ? "" : fmt::format(", {} of what kaiming ends with", study.maximize ? "99 %" : "101 %");
  Table table{fmt::format("{}: epochs to {} {} {:.6g}{}", study.name, study.metric,
                          study.maximize ? ">=" : "<=", study.target, how),
              {"arm", "reached", "epochs_to_target", "times_faster", "low", "high", "p_corrected", "shift_bound"},
              {}};
  const FinalArm& kaiming = study.arms.front();
  const Found found = judged(study, [&](const FinalArm& arm) { return differences(kaiming, arm, logarithm); });
  for (std::size_t i = 0; i < study.arms.size(); ++i) {
    const FinalArm& arm = study.arms[i];
    std::vector<Json> row{arm.name, reached_text(arm), mean_cell(arm, epochs)};
    found.add(row, i, true);
    row.push_back(i > 0 ? shift_bound(kaiming, arm) : Json());
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table end_table(const FinalStudy& study, const std::string& metric, const Read& read, const char* when) {
  Table table{fmt::format("{}: {} {}", study.name, metric, when),
              {"arm", "runs", metric, "change", "low", "high", "p_corrected"},
              {}};
  const FinalArm& kaiming = study.arms.front();
  const Found found = judged(study, [&](const FinalArm& arm) { return differences(arm, kaiming, read); });
  const std::vector<Json> equivalence = equivalence_of(study, found.effects);
  if (study.points > 0) table.columns.emplace_back("equivalence");
  for (std::size_t i = 0; i < study.arms.size(); ++i) {
    const FinalArm& arm = study.arms[i];
    std::vector<Json> row{arm.name, values(arm, read).size(), mean_cell(arm, read)};
    found.add(row, i, false);
    if (study.points > 0) row.push_back(i > 0 ? equivalence[i - 1] : Json());
    table.rows.push_back(std::move(row));
  }
  return table;
}

Json plus(const Json& cell, double more) { return cell.is_number() ? figure(cell.get<double>() + more) : cell; }

/// Epochs to the target as if the search were free, with the donors' epochs, and with the whole search.
Table cost_table(const FinalStudy& study) {
  Table table{
      fmt::format("{}: what it cost; the search counted as sunk, with the donors' epochs, as spent", study.name),
      {"arm", "epochs", "seconds", "epochs_to_target", "with_donors", "with_search", "seconds_to_target"},
      {}};
  for (const FinalArm& arm : study.arms) {
    const Json to_target = mean_cell(arm, epochs);
    table.rows.push_back({arm.name, mean_cell(arm, trained), mean_cell(arm, seconds), to_target,
                          plus(to_target, double(arm.donor_epochs)),
                          study.search_epochs ? plus(to_target, double(*study.search_epochs)) : Json(),
                          mean_cell(arm, seconds_to)});
  }
  return table;
}

}  // namespace

std::vector<Table> tables_of(const FinalStudy& study) {
  std::vector<Table> out{target_table(study), end_table(study, study.metric, final_metric, "after the last epoch")};
  const bool has_test = std::any_of(study.arms.begin(), study.arms.end(),
                                    [](const FinalArm& arm) { return !values(arm, final_test_metric).empty(); });
  if (has_test) out.push_back(end_table(study, study.test, final_test_metric, "measured once"));
  out.push_back(cost_table(study));
  return out;
}

std::vector<Table> final_of(const OpenedStudy& opened) { return tables_of(final_study(opened)); }

}  // namespace dlrun::report
