// SPDX-License-Identifier: Apache-2.0
// Settings that each variant got where they were retuned, and out of how many.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ablation/cells.hpp"
#include "report/ablation.hpp"
#include "report/opened.hpp"
#include "trial/trial.hpp"

namespace dlrun::report {

namespace {

struct TunedTrial {
  std::int64_t number = 0;
  std::string settings;
  std::optional<double> objective;
  bool is_over = false;
};

struct Tuning {
  std::vector<TunedTrial> tried;
  std::optional<std::string> settings;  ///< settings of its replicates, once there is one
};

/// Tunings by variant and number of the tuning, from 1.
using Tunings = std::map<std::pair<std::string, std::int64_t>, Tuning>;

/// Names of what is retuned: the parameters after the variant.
std::vector<std::string> setting_names(const Json& space) {
  std::vector<std::string> names;
  bool is_after = false;
  for (const Json& parameter : space) {
    if (is_after) names.push_back(parameter.at("name").get<std::string>());
    is_after = is_after || parameter.at("name") == ablation::kVariant;
  }
  return names;
}

/// "lr=0.01, width=64"
std::string settings_text(const Json& params, const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (const std::string& name : names) {
    if (!params.contains(name)) continue;
    const Json& value = params[name];
    parts.push_back(name + "=" +
                    (value.is_number_float() ? fmt::format("{:.6g}", value.get<double>())
                     : value.is_string()     ? value.get<std::string>()
                                             : to_text(value)));
  }
  return parts.empty() ? "as written" : fmt::format("{}", fmt::join(parts, ", "));
}

/// Number of a trial's tuning: the one that it is a part of, or whose settings it has.
std::int64_t tuning_of(const AblationStudy& study, const Json& params) {
  if (params.contains(ablation::kTuning)) return params[ablation::kTuning].get<std::int64_t>();
  if (!study.plan.section.retune->is_per_replicate()) return 1;
  const auto found = std::find(study.seeds.begin(), study.seeds.end(), to_text(params.at(ablation::kReplicate)));
  return found - study.seeds.begin() + 1;
}

Tunings tunings_of(const OpenedStudy& opened, const AblationStudy& study) {
  const std::vector<std::string> names = setting_names(study.spec.at("space"));
  Tunings all;
  storage::Statement row = opened.query("SELECT trial, state, objective FROM dl_trial ORDER BY trial");
  while (row.step()) {
    const Json params = params_of(opened, row.integer(0));
    Tuning& own = all[{params.at(ablation::kVariant).get<std::string>(), tuning_of(study, params)}];
    const std::string settings = settings_text(params, names);
    if (!params.contains(ablation::kTuning)) {
      if (!own.settings) own.settings = settings;
      continue;
    }
    const auto state = trial::TrialState(row.integer(1));
    const bool has_value = state == trial::TrialState::completed && !row.is_null(2);
    own.tried.push_back(
        {row.integer(0), settings, has_value ? std::optional(row.real(2)) : std::nullopt, trial::is_final(state)});
  }
  return all;
}

/// Every setting that was tried is over, and none of it gave a value.
bool has_failed(const Tuning& own) {
  return !own.settings && !own.tried.empty() &&
         std::all_of(own.tried.begin(), own.tried.end(), [](auto& one) { return one.is_over && !one.objective; });
}

/// Settings that won, or why none has.
std::string outcome(const Tuning& own) {
  if (own.settings) return *own.settings;
  return has_failed(own) ? "none trained" : "not known yet";
}

std::vector<Json> row_of(const std::string& variant, std::int64_t number, const Tuning& own, const std::string& held) {
  const auto won = std::find_if(own.tried.begin(), own.tried.end(),
                                [&](const TunedTrial& one) { return own.settings == one.settings && one.objective; });
  const auto failed = std::count_if(own.tried.begin(), own.tried.end(),
                                    [](const TunedTrial& one) { return one.is_over && !one.objective; });
  const bool is_known = won != own.tried.end();
  return {variant,
          number,
          outcome(own),
          is_known ? Json(won->number) : Json(),
          is_known ? figure(*won->objective) : Json(),
          own.tried.size(),
          failed,
          held};
}

}  // namespace

void lose_untuned(const OpenedStudy& opened, AblationStudy& study) {
  if (!study.plan.section.retune || opened.database->text("SELECT state FROM dl_study") != "finished") return;
  const Tunings tunings = tunings_of(opened, study);
  const AblationVariant* base = study.without({});
  const auto has_none = [&](const AblationVariant& variant, std::size_t r) {
    const bool per_replicate = study.plan.section.retune->is_per_replicate();
    const auto own = tunings.find({variant.id, per_replicate ? std::int64_t(r) + 1 : 1});
    return own != tunings.end() && has_failed(own->second);
  };
  for (AblationVariant& variant : study.variants) {
    for (std::size_t r = 0; r < variant.cells.size(); ++r)
      variant.cells[r].is_decided |= has_none(variant, r) || (base != nullptr && has_none(*base, r));
  }
}

Table retuned_table(const OpenedStudy& opened, const AblationStudy& study) {
  Table table{"retuned settings",
              {"variant", "tuning", "settings", "trial", opened.metric, "tried", "failed", "not_tuned"},
              {}};
  if (!study.plan.section.retune) return table;
  const Tunings tunings = tunings_of(opened, study);
  for (const AblationVariant& variant : study.variants) {
    std::vector<std::string> held;
    for (const auto& [name, why] : variant.held) held.push_back(name);
    for (const auto& [key, own] : tunings) {
      if (key.first == variant.id)
        table.rows.push_back(row_of(variant.id, key.second, own, fmt::format("{}", fmt::join(held, ", "))));
    }
  }
  return table;
}

}  // namespace dlrun::report
