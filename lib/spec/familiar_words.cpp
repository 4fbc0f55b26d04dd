// SPDX-License-Identifier: Apache-2.0
#include "spec/familiar_words.hpp"

#include <algorithm>
#include <string_view>

namespace dlrun::spec {

namespace {

/// Words between blanks, and sections between blanks in which they are looked for; `study` is the outermost.
struct Familiar {
  std::string_view sections, words, help;
};

constexpr Familiar kFamiliar[] = {
    {"study", "name study_name experiment experiment_name", "write study: NAME"},
    {"study search limits", "metric goal monitor direction mode maximize minimize",
     "write objective: {metric: NAME, direction: minimize}"},
    {"trial", "goal monitor direction mode maximize minimize", "write objective: {metric: NAME, direction: minimize}"},
    {"objective", "name goal monitor", "write metric: NAME"},
    {"objective", "mode type", "write direction: minimize, or maximize"},
    {"study search limits trial",
     "parameters params param_space search_space hyperparameters hyperparams config_space sweep",
     "write space: {NAME: {type: float, low: 0, high: 1}}"},
    {"study search limits trial",
     "n_trials num_trials max_trials trials num_samples max_evals n_iter n_iterations run_cap",
     "write limits: {trials: N}"},
    {"study search limits", "timeout max_time time_budget time_budget_s time_limit wall walltime max_duration",
     "write limits: {wall: 2h}"},
    {"trial", "timeout max_time time_budget time_budget_s time_limit wall walltime max_duration",
     "write limits: {trial_wall: 2h}"},
    {"study limits trial", "sampler algorithm algo method tuner search_alg strategy", "write search: {sampler: tpe}"},
    {"search", "algorithm algo method tuner search_alg strategy op type", "write sampler: tpe"},
    {"study limits trial", "pruner early_terminate assessor", "write search: {pruner: asha}"},
    {"search", "scheduler early_terminate assessor", "write pruner: asha"},
    {"study search limits trial resources",
     "n_jobs jobs workers num_workers concurrency max_concurrent max_concurrent_trials trial_concurrency parallelism",
     "use `dlrun tune --workers N`"},
    {"study search limits", "storage database store", "use `dlrun tune --store DIR`"},
    {"study search", "load_if_exists resume", "the same `dlrun tune` again goes on with a study"},
    {"study search limits", "max_failures fail_fast", "write limits: {failures: N}"},
    {"study search", "patience early_stopping", "write limits: {stall: N}, or trial: {stop: {patience: N}}"},
    {"study search", "max_epochs num_epochs n_epochs epochs max_t budget", "write trial: {epochs: N}"},
    {"trial", "max_epochs num_epochs n_epochs", "write epochs: N"},
    {"study search",
     "model network data dataset loss criterion optimizer schedule lr_scheduler batch_size kind command env",
     "it belongs to the section trial"},
    {"study", "program script entrypoint cmd run",
     "write trial: {kind: command, command: [python3, train.py, \"{lr}\"]}"},
    {"trial", "program script entrypoint cmd run", "write kind: command, command: [python3, train.py, \"{lr}\"]"},
    {"trial", "network architecture", "write model: {nodes: [{name: fc, op: linear, out: 10}]}"},
    {"trial", "dataset train_data", "write data: {op: csv, path: FILE}"},
    {"trial", "criterion", "write loss: cross_entropy"},
    {"trial", "lr learning_rate weight_decay momentum", "write optimizer: {op: sgd, lr: 0.1}"},
    {"trial", "scheduler lr_scheduler", "write schedule: cosine"},
    {"trial", "early_stopping patience", "write stop: {patience: N}"},
    {"trial", "batch batchsize bs per_device_train_batch_size", "write batch_size: N"},
    {"trial", "grad_clip gradient_clip gradient_clip_val max_grad_norm", "write clip_norm: 1.0"},
    {"trial", "gradient_accumulation gradient_accumulation_steps accumulate_grad_batches accum", "write accumulate: N"},
    {"trial search", "seed random_state random_seed", "the seed is the study's: seed: N, outside of every section"},
    {"study", "random_state random_seed", "write seed: N"},
    {"study search limits trial", "device gpus gpu num_gpus gpus_per_trial", "write resources: {device: auto}"},
    {"study search limits trial", "cpus num_cpus threads cpus_per_trial", "write resources: {threads_per_trial: N}"},
    {"resources", "cpus cpu num_cpus threads", "write threads_per_trial: N"},
    {"resources", "gpu num_gpus", "write gpus: N"},
    {"resources", "memory mem ram", "write memory_mb: N"},
    {"space.*", "min lower lower_bound minimum", "write low"},
    {"space.*", "max upper upper_bound maximum", "write high"},
    {"space.*", "values options categories items", "write choices: [a, b]"},
    {"space.*", "log log_scale is_log use_log", "write scale: log"},
    {"space.*", "q resolution", "write step"},
    {"space.*", "distribution kind dtype", "write type: float, int or categorical"},
    {"space.*", "default initial", "write search: {enqueue: [{NAME: VALUE}]}, which is tried first"},
    {"space.*.type", "loguniform log_uniform log_uniform_values qloguniform logfloat", "write type: float, scale: log"},
    {"space.*.type", "uniform real double continuous quniform number", "write type: float"},
    {"space.*.type", "integer randint int_uniform discrete long", "write type: int"},
    {"space.*.type", "choice category enum bool boolean", "write type: categorical, choices: [a, b]"},
    {"space.*.type", "fixed", "write type: constant, value: 1"}};

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

bool is_number(std::string_view part) {
  return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Name of the map in which the path's last part stands: a parameter's name is `*`, numbers of a list are left out.
std::string section_of(std::string_view path) {
  std::string out;
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
    const std::string_view part = path.substr(0, dot);
    path.remove_prefix(dot + 1);
    if (is_number(part)) continue;
    out += out.empty() ? std::string(part) : "." + (out == "space" ? std::string("*") : std::string(part));
  }
  return out.empty() ? "study" : out;
}

}  // namespace

std::string help_for_familiar(const std::string& path, const std::string& word) {
  const std::string section = section_of(path), place = section_of(path + ".");
  for (const Familiar& row : kFamiliar) {
    if (!has_word(row.words, word)) continue;
    if (has_word(row.sections, section) || has_word(row.sections, place)) return std::string(row.help);
  }
  return {};
}

}  // namespace dlrun::spec
