// SPDX-License-Identifier: Apache-2.0
// Programs that wait between the pieces of their trials (`resources: parked`).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "spec/trial_section.hpp"
#include "trial/kinds.hpp"

namespace dlrun::spec {

namespace {

/// Programs that have another one run below a daemon or on another machine: signals stop only themselves.
constexpr std::array kAgents = {"docker", "podman", "nerdctl", "kubectl", "srun", "mpirun", "mpiexec", "ssh"};

std::string program_of(const Json& trial) {
  const Json& command = trial["command"];
  if (!command.is_array() || command.empty() || !command[0].is_string()) return {};
  const auto text = command[0].get<std::string>();
  return std::filesystem::path(text.substr(0, text.find(' '))).filename().string();
}

bool is_agent(const Json& trial) {
  return std::find(kAgents.begin(), kAgents.end(), program_of(trial)) != kAgents.end();
}

/// Why the trial's programs cannot wait, or never do; empty: they can.
std::string reason_against(const Json& study) {
  const Json& trial = study["trial"];
  if (!trial::runs_program(trial["kind"].get<std::string>()))
    return "changes nothing: only trials of `kind: command` and `python` wait";
  const Json pruner = study["search"].value("pruner", Json());
  if (!pruner.is_object() || pruner.value("op", "none") == "none")
    return "changes nothing: without a pruner a program runs to its end";
  if (!runs_elsewhere(study)) return {};
  if (!is_agent(trial)) return "cannot be kept: programs on several hosts cannot be stopped";
  return fmt::format("cannot be kept: {} has the program run elsewhere, and to stop {} does not stop that",
                     program_of(trial), program_of(trial));
}

}  // namespace

bool runs_elsewhere(const Json& study) {
  const Json& trial = study.at("trial");
  const Json resources = study.value("resources", Json());
  const Json nodes = resources.is_object() ? resources.value("nodes", Json()) : Json();
  return trial.at("kind") == "command" && (is_agent(trial) || (nodes.is_number_integer() && nodes > 1));
}

void check_parked(const Json& study, Faults& faults) {
  const std::string reason = reason_against(study);
  if (reason.empty()) return;
  const Json& resources = study["resources"];
  if (!resources.is_object()) return;
  for (const char* key : {"parked", "parked_memory_mb"}) {
    const std::string path = fmt::format("resources.{}", key);
    const bool is_none = runs_elsewhere(study) && resources.value(key, Json()) == 0;
    if (faults.was_written(path) && !is_none) faults.at_key(path, fmt::format("{} {}", path, reason), "remove it");
  }
}

}  // namespace dlrun::spec
