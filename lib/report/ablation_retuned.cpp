// SPDX-License-Identifier: Apache-2.0
// Which settings each variant got where they were retuned, and out of how many.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/ablation.hpp"
#include "report/opened.hpp"
#include "spec/space_section.hpp"
#include "trial/trial.hpp"

namespace dlrun::report {

namespace {

struct TunedTrial {
  std::int64_t number = 0;
  std::string settings;
  std::optional<double> objective;
  bool is_over = false;
};

/// Of one variant.
struct Tuning {
  std::vector<TunedTrial> tried;
  std::optional<std::string> settings;  ///< of its replicates, once there is one
};

/// Names of what is retuned: the parameters after the variant.
std::vector<std::string> setting_names(const Json& space) {
  std::vector<std::string> names;
  bool is_after = false;
  for (const Json& parameter : space) {
    if (is_after) names.push_back(parameter.at("name").get<std::string>());
    is_after = is_after || parameter.at("name") == spec::kVariant;
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

std::map<std::string, Tuning> tunings_of(const OpenedStudy& opened, const std::vector<std::string>& names) {
  std::map<std::string, Tuning> all;
  storage::Statement row = opened.query("SELECT trial, state, objective FROM dl_trial ORDER BY trial");
  while (row.step()) {
    const Json params = params_of(opened, row.integer(0));
    const Json& variant = params.at(spec::kVariant);
    Tuning& own = all[variant.is_string() ? variant.get<std::string>() : to_text(variant)];
    const std::string settings = settings_text(params, names);
    if (params.value(spec::kPurpose, Json()) != spec::kTuning) {
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

/// What won, or why nothing has.
std::string outcome(const Tuning& own) {
  if (own.settings) return *own.settings;
  const bool is_over = std::all_of(own.tried.begin(), own.tried.end(), [](auto& one) { return one.is_over; });
  return is_over && !own.tried.empty() ? "none trained" : "not known yet";
}

}  // namespace

Table retuned_table(const OpenedStudy& opened, const AblationStudy& study) {
  Table table{"retuned settings", {"variant", "settings", "trial", opened.metric, "tried", "failed", "not_tuned"}, {}};
  if (!study.section.contains("retune")) return table;
  const auto tunings = tunings_of(opened, setting_names(study.spec.at("space")));
  for (const Json& variant : study.derived.at("variants")) {
    const auto found = tunings.find(variant.at("id").get<std::string>());
    const Tuning own = found == tunings.end() ? Tuning{} : found->second;
    const auto won = std::find_if(own.tried.begin(), own.tried.end(),
                                  [&](const TunedTrial& one) { return own.settings == one.settings && one.objective; });
    std::vector<std::string> held;
    const Json kept = variant.value("held", Json::object());
    for (const auto& [name, why] : kept.items()) held.push_back(name);
    const auto failed = std::count_if(own.tried.begin(), own.tried.end(),
                                      [](const TunedTrial& one) { return one.is_over && !one.objective; });
    table.rows.push_back({variant.at("id"), outcome(own), won == own.tried.end() ? Json() : Json(won->number),
                          won == own.tried.end() ? Json() : figure(*won->objective), own.tried.size(), failed,
                          fmt::format("{}", fmt::join(held, ", "))});
  }
  return table;
}

}  // namespace dlrun::report
