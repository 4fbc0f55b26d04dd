// SPDX-License-Identifier: Apache-2.0
#include "spec/same_work.hpp"

#include "spec/normal.hpp"
#include "spec/plugins_used.hpp"
#include "util/sha256.hpp"

namespace dlrun::spec {

namespace {

/// Parameters that are handed to the trial by name only.
Json named_values(const StudySpec& spec, const space::Values& values) {
  Json named = Json::object();
  const std::vector<space::Parameter>& parameters = spec.space.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool sets_a_place = !parameters[i].at.empty() || !parameters[i].edits.empty();
    if (!sets_a_place && spec.space.is_active(i, values)) named[parameters[i].name] = spec.space.to_json(i, values[i]);
  }
  return named;
}

/// Configuration without paths, and without what only says which member it is.
Json work_of(const Json& config) {
  Json trial = identity_of({{"trial", config}})["trial"];
  for (const char* key : {"first_replicate", "replicates"}) trial.erase(key);
  return trial;
}

/// Settings of a member, whatever its trial has of its own beside the configuration.
Json settings_of(const StudySpec& spec, const Json& config, const trial::Member& member) {
  Json settings = {{"trial", work_of(config)},
                   {"seed", spec.seed},
                   {"replicate", trial::replicate_of(config, member)},
                   {"fold", member.fold},
                   {"data", spec.json.value("derived", Json::object()).value("data", Json())},
                   {"objective", spec.json.at("objective")},
                   {"threads", spec.threads_per_trial},
                   {"determinism", spec.determinism}};
  if (Json plugins = plugins_of_workers(spec.json); !plugins.is_null()) settings["plugins"] = std::move(plugins);
  return settings;
}

}  // namespace

std::string work_hash(const StudySpec& spec, const space::Values& values, const trial::Member& member) {
  const Json config = trial::configured(spec.json.at("trial"), spec.space.sets(values));
  Json settings = settings_of(spec, config, member);
  settings["values"] = named_values(spec, values);
  settings["start"] = begins_after_baseline(spec, values) ? work_of(spec.json.at("trial")) : Json();
  return Sha256::hex_of(to_text(settings));
}

std::string config_hash(const StudySpec& spec, const Json& config, const trial::Member& member) {
  return Sha256::hex_of(to_text(settings_of(spec, config, member)));
}

bool begins_after_baseline(const StudySpec& spec, const space::Values& values) {
  return spec.cells && spec.cells->after_baseline &&
         spec.space.index_of(spec.cells->variant, values[spec.cells->variant]) != 0;
}

bool reuses_trials(const StudySpec& spec) {
  const bool is_dlruns =
      spec.kind == "train" || spec.kind == "function";  // else nobody knows whether the code is the same
  const char* usual = spec.ablation && is_dlruns ? "all" : "stages";
  const std::string reuse = spec.json.value("reuse", std::string(usual));
  return reuse == "trials" || reuse == "all";
}

}  // namespace dlrun::spec
