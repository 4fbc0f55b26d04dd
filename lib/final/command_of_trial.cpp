// SPDX-License-Identifier: Apache-2.0
#include "final/command_of_trial.hpp"

#include <algorithm>
#include <string>

#include "ablation/cells.hpp"
#include "ablation/plan_json.hpp"
#include "report/trial_reader.hpp"
#include "spec/placeholders.hpp"
#include "storage/store.hpp"

namespace dlrun::final {

namespace {

/// `{replicate}` is a name that every command has, and the other cells' are none that a command may have.
bool is_inactive(const std::string& name, const TrialParameters& parameters) {
  if (parameters.params.contains(name) || (parameters.has_cells && ablation::is_cell(name))) return false;
  return std::any_of(parameters.space.begin(), parameters.space.end(),
                     [&](const Json& parameter) { return parameter.at("name") == name; });
}

bool names_inactive(const std::string& argument, const TrialParameters& parameters) {
  const auto named = spec::placeholders_in(argument, false);
  return std::any_of(named.begin(), named.end(),
                     [&](const spec::Placeholder& one) { return is_inactive(one.name, parameters); });
}

}  // namespace

void settle_command(Json& trial, const TrialParameters& parameters) {
  if (!trial.value("command", Json()).is_array()) return;  // final.set may have written anything
  if (trial.value("shell", Json()) == true) return;        // a script names active parameters only
  Json settled = Json::array();
  for (const Json& argument : trial["command"]) {
    if (!argument.is_string() || !names_inactive(argument.get<std::string>(), parameters)) settled.push_back(argument);
  }
  trial["command"] = std::move(settled);
}

void settle_command(Json& trial, const std::filesystem::path& store, const report::OneTrial& of) {
  if (!trial.contains("command")) return;
  const Json study = storage::Store::find(store, of.study).value().spec;
  const Json params = report::TrialReader(store, of).params();
  settle_command(trial, {study.at("space"), params, ablation::plan_of(study).has_value()});
}

}  // namespace dlrun::final
