// SPDX-License-Identifier: Apache-2.0
// Programs that have several GPUs or several hosts (`resources: gpus, nodes`).
#include <fmt/format.h>

#include "spec/gang_processes.hpp"
#include "spec/trial_section.hpp"
#include "trial/kinds.hpp"
#include "trial/own_variables.hpp"

namespace dlrun::spec {

namespace {

constexpr const char* kRemove = "remove it";

bool runs_on_slurm(const Json& study, const std::string& executor) {
  if (!executor.empty()) return executor == "slurm";
  const Json own = study.value("executor", Json("local"));
  return own == "slurm" || (own.is_object() && own.contains("slurm"));
}

int whole_or(const Json& table, const char* key, int otherwise) {
  const Json value = table.value(key, Json());
  return value.is_number_integer() ? value.get<int>() : otherwise;
}

void check_gpus(const Json& study, Faults& faults) {
  const Json& resources = study["resources"];
  const int gpus = whole_or(resources, "gpus", 1);
  const Json& device = resources["device"];
  if (device == "cpu")
    return faults.at_key("resources.gpus", "gpus changes nothing where device is cpu",
                         "write device: cuda or auto beside it, or remove it");
  if (gpus == 1) return;
  if (device.is_string() && device.get<std::string>().starts_with("cuda:"))
    faults.at("resources.device", fmt::format("{} is one GPU, but gpus is {}", device.get<std::string>(), gpus),
              "write device: cuda");
  if (resources["gpu_share"].is_number() && resources["gpu_share"] < 1)
    faults.at("resources.gpu_share", fmt::format("a program of {} GPUs has them to itself", gpus), kRemove);
}

void check_nodes(const Json& study, const std::string& executor, Faults& faults) {
  const int nodes = whole_or(study["resources"], "nodes", 1);
  if (nodes > 1 && !runs_on_slurm(study, executor))
    faults.at("resources.nodes", fmt::format("{} hosts for a trial are Slurm's to give, but workers run here", nodes),
              "write executor: slurm, or nodes: 1");
}

/// Variables of the trial that dlrun sets by itself where there is a group.
void check_variables(const Json& study, Faults& faults) {
  const Json env = study["trial"].value("env", Json());
  for (const std::string_view name : trial::kGroupVariables) {
    if (!env.is_object() || !env.contains(name)) continue;
    faults.at_key(fmt::format("trial.env.{}", name),
                  fmt::format("'{}' is set by dlrun for programs with gpus or nodes", name), kRemove);
  }
}

void check_jobs(const Json& study, const std::string& executor, Faults& faults) {
  if (!runs_on_slurm(study, executor)) return;
  const Json own = study.value("executor", Json("local"));
  const Json slurm = own.is_object() ? own.value("slurm", Json()) : Json();
  if (slurm.is_object() && whole_or(slurm, "workers_per_job", 1) > 1)
    faults.at_key("executor.slurm.workers_per_job", "workers with resources.gpus or resources.nodes have a job each",
                  kRemove);
}

/// Was the key written, and with a kind of trial that heeds it?
bool is_asked(const std::string& key, bool is_heeded, const char* kinds, const std::string& kind, Faults& faults) {
  const std::string path = "resources." + key;
  if (!faults.was_written(path) || faults.is_bad(path)) return false;
  if (is_heeded) return true;
  faults.at_key(path, fmt::format("{} is for {}, but trials are of kind {}", key, kinds, kind), kRemove);
  return false;
}

}  // namespace

void check_group(const Json& study, const std::string& executor, Faults& faults) {
  const Json& resources = study["resources"];
  if (!resources.is_object()) return;
  const std::string kind = study["trial"]["kind"].get<std::string>();
  if (is_asked("gpus", trial::runs_program(kind), "programs (kind: command or python)", kind, faults))
    check_gpus(study, faults);
  is_asked("devices", kind == "train", "placed models (kind: train)", kind, faults);
  const bool heeds_nodes = kind == "command" || has_processes(study);
  const char* const kinds = "programs (kind: command) and ranks (cluster: processes)";
  if (is_asked("nodes", heeds_nodes, kinds, kind, faults)) check_nodes(study, executor, faults);
  if (resources["gpus"].is_null() && whole_or(resources, "nodes", 1) == 1) return;
  check_variables(study, faults);
  check_jobs(study, executor, faults);
}

}  // namespace dlrun::spec
