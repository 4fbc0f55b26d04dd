// SPDX-License-Identifier: Apache-2.0
#include "executor/slurm/script.hpp"

#include <fmt/format.h>

#include "util/error.hpp"

namespace dlrun::executor {

namespace {

/// Array tasks go by `123_4`, as squeue calls them; a requeued one keeps its name.
constexpr const char* kJob = R"("${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}")";

void add_directive(std::string& script, const std::string& option, const std::string& value) {
  if (value.find_first_of("\"\n\\") != std::string::npos) {
    throw Error(ErrorKind::usage, "executor.slurm: '" + value + "' cannot be handed to sbatch",
                "quotes, backslashes and line breaks have no place in a batch script's options");
  }
  const bool is_plain = value.find_first_of(" '#") == std::string::npos;
  script += "#SBATCH --" + option + "=" + (is_plain ? value : '"' + value + '"') + "\n";
}

void add_unless_empty(std::string& script, const std::string& option, const std::string& value) {
  if (!value.empty()) add_directive(script, option, value);
}

/// `%` begins a pattern in sbatch's file names.
std::string as_pattern(const std::string& path) {
  std::string out;
  for (const char c : path) out += c == '%' ? "%%" : std::string(1, c);
  return out;
}

std::string header(const SlurmOptions& o) {
  std::string script = "#!/bin/bash\n";
  add_directive(script, "job-name", o.name);
  add_directive(script, "output", as_pattern((o.logs / "slurm-").string()) + "%A_%a.log");
  script += "#SBATCH --open-mode=append\n#SBATCH --requeue\n";
  if (o.nodes > 1) script += fmt::format("#SBATCH --nodes={}\n#SBATCH --ntasks-per-node=1\n", o.nodes);
  add_directive(script, "ntasks", std::to_string(o.nodes));
  add_directive(script, "cpus-per-task", std::to_string(o.cores * o.workers_per_job));
  add_unless_empty(script, "partition", o.partition);
  add_unless_empty(script, "account", o.account);
  add_unless_empty(script, "qos", o.qos);
  add_unless_empty(script, "mem", o.memory);
  add_unless_empty(script, "gres", o.gres);
  add_unless_empty(script, "time", o.time);
  add_directive(script, "signal", fmt::format("B:USR1@{:.0f}", o.notice));
  for (const std::string& argument : o.arguments) script += "#SBATCH " + argument + "\n";
  for (const std::string& line : o.prologue) script += line + "\n";
  return script;
}

/// A notice goes to the shell of a batch job alone, which hands it on. SIGTERM goes to the workers too if Slurm ends
/// the job, and a second one would end them before they have saved: they get a notice instead, and the earlier end
/// counts. The shell waits until all workers have ended.
std::string several(const std::string& call, int workers) {
  return fmt::format(
      "workers=()\n"
      "trap 'kill -USR1 \"${{workers[@]}}\" 2>/dev/null' USR1 TERM\n"
      "for _ in $(seq {}); do\n"
      "  {} &\n"
      "  workers+=($!)\n"
      "done\n"
      "while [[ -n $(jobs -rp) ]]; do wait; done\n",
      workers, call);
}

}  // namespace

std::string shell_word(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

namespace {

/// A word in which the job's shell replaces variables; if the result is empty, the worker refuses it.
std::string expanded_word(const std::string& text) {
  if (text.find_first_of("\"`\n\\") == std::string::npos) return '"' + text + '"';
  throw Error(ErrorKind::usage, "executor.slurm.scratch: '" + text + "' cannot stand in a batch script",
              "a path, with variables of the shell, and without quotes, backslashes and line breaks");
}

}  // namespace

std::string batch_script(const SlurmOptions& options) {
  std::string call;
  for (const std::string& word : options.call) call += shell_word(word) + " ";
  if (!options.scratch.empty()) call += "--scratch " + expanded_word(options.scratch) + " ";
  call += std::string("--job ") + kJob;
  if (options.workers_per_job > 1) return header(options) + several(call, options.workers_per_job);
  return header(options) + "exec " + call + "\n";
}

}  // namespace dlrun::executor
