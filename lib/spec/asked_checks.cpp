// SPDX-License-Identifier: Apache-2.0
// Trials that are carried out by whoever asks for them.
#include <fmt/format.h>

#include "spec/search_section.hpp"
#include "spec/trial_section.hpp"

namespace dlrun::spec {

namespace {

/// Keys about workers, of which there are none.
std::vector<std::string> keys_of_workers(const Json& study) {
  std::vector<std::string> keys{"executor",          "determinism",      "keep",           "limits.wall", "limits.hang",
                                "limits.trial_wall", "limits.gpu_hours", "limits.failures"};
  for (const char* key : {"worker_lost", "signal", "oom", "timeout", "delay", "max_delay", "quarantine"})
    keys.push_back(std::string("retry.") + key);  // people can tell nan and exception
  const Json resources = study.value("resources", Json::object());
  for (const auto& [key, value] : resources.items()) keys.push_back("resources." + key);
  return keys;
}

}  // namespace

void check_asked(Json& study, Faults& faults) {
  for (const std::string& key : keys_of_workers(study)) {
    if (faults.was_written(key))
      faults.at_key(key, fmt::format("{} changes nothing: dlrun does not run these trials", key), "remove it");
  }
  Json& search = study["search"];
  if (!search.is_object()) return;
  if (search["lanes"] == "auto") search["lanes"] = 1;
  if (!faults.was_written("search.slack")) search["slack"] = 0.0;
  if (has_heirs(search["pruner"]))
    faults.at("search.pruner",
              "an heir begins with the weights of another trial, and trials that are asked for leave none",
              "take another pruner, or kind: command");
}

}  // namespace dlrun::spec
