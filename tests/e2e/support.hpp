// SPDX-License-Identifier: Apache-2.0
// A study in a folder of its own, run in this process or in a child that can be killed.
#pragma once
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "driver/driver.hpp"
#include "report/report.hpp"
#include "spec/study_spec.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"

namespace dlrun::e2e {

class QuietDisplay final : public driver::Display {
 public:
  void progress(const driver::Progress& progress) override { last = progress; }
  void line(const std::string& text) override { lines.push_back(text); }

  driver::Progress last;
  std::vector<std::string> lines;
};

/// 60 trials of a function whose learning curves cross, under successive halving.
inline const char* const kHalving = R"(study: sphere
seed: 7
objective: {metric: value, direction: minimize}
space:
  x: {type: float, low: -1.0, high: 1.0}
  y: {type: float, low: -1.0, high: 1.0}
search: {sampler: random, lanes: 8, pruner: {op: asha, eta: 3, min_budget: 1, max_budget: 9}}
limits: {trials: 60}
retry: {worker_lost: 20}
trial: {kind: function, function: {op: sphere, curve: 1.0, sleep: 0.002}, epochs: 9}
)";

/// The trial of a program that gives `x`. While the bench's gate is closed, trials from its number on cannot end, so
/// that a test can act in the middle of the study.
inline const std::string kGatedTrial = R"(trial:
  kind: command
  shell: true
  command: ['while read -r first 2>/dev/null <FOLDER/gate && [ $DLRUN_TRIAL -ge $first ]; do sleep 0.02; done; echo "{{\"metric\": \"value\", \"step\": 1, \"value\": "{x}"}}" >&3']
  epochs: 1
)";

const std::string kGated = R"(study: sphere
seed: 7
objective: {metric: value, direction: minimize}
space:
  x: {type: float, low: -1.0, high: 1.0}
  y: {type: float, low: -1.0, high: 1.0}
search: {sampler: random, lanes: 4}
limits: {trials: 12}
retry: {worker_lost: 20}
)" + kGatedTrial;

/// The halving study with so many seconds for a step, e.g. "0.02": a lower bound of what it takes, on any machine.
inline std::string halving_of(const std::string& seconds) {
  std::string study = kHalving;
  return study.replace(study.find("0.002"), 5, seconds);
}

/// 12 trials with a fault that a parameter chooses.
inline std::string faulty(const std::string& faults, const std::string& more = "", const std::string& function = "") {
  return "study: faulty\nseed: 3\nobjective: {metric: value, direction: minimize}\nspace:\n"
         "  x: {type: float, low: -1.0, high: 1.0}\n"
         "  fault: {at: function.fault, type: categorical, choices: [" +
         faults +
         "]}\n"
         "search: {sampler: random, lanes: 4}\nlimits: {trials: 12" +
         more +
         "}\nretry: {delay: 0.01}\n"
         "trial: {kind: function, function: {op: sphere, fault: none" +
         function + "}}\n";
}

class Bench {
 public:
  explicit Bench(const std::string& study) {
    std::filesystem::create_directory(folder_ / "run");
    ::setenv("XDG_RUNTIME_DIR", (folder_ / "run").c_str(), 1);  // sockets of drivers that are killed go with it
    write(study);
  }

  /// @param study  FOLDER stands for the folder of this bench
  void write(std::string study) {
    if (const std::size_t at = study.find("FOLDER"); at != std::string::npos) study.replace(at, 6, folder().string());
    std::ofstream(folder_ / "study.yaml") << study;
  }

  /// @param first  The first trial that waits before it.
  void close_gate(int first) { std::ofstream(folder_ / "gate") << first << "\n"; }
  void open_gate() { std::filesystem::remove(folder_ / "gate"); }

  std::filesystem::path store(const std::string& name) const { return folder_ / name; }
  const std::filesystem::path& folder() const { return folder_.path(); }
  spec::StudySpec spec() const { return spec::read({.file = folder_ / "study.yaml"}); }

  driver::Options options(const std::string& store_name, int workers) const {
    driver::Options options;
    options.store = store(store_name);
    options.workers = workers;
    options.worker_binary = DLRUN_WORKER;
    options.command = "test";
    return options;
  }

  driver::Summary run(const std::string& store_name, int workers) {
    display = {};
    return driver::run_study(spec(), options(store_name, workers), display);
  }

  /// The same in a child process; exit code 0 finished, 1 not, else the kind of the error.
  pid_t start(const std::string& store_name, int workers) const {
    const pid_t child = ::fork();
    if (child != 0) return child;
    try {
      QuietDisplay quiet;
      ::_exit(driver::run_study(spec(), options(store_name, workers), quiet).finished ? 0 : 1);
    } catch (const Error& fault) {
      std::fprintf(stderr, "driver: %s\n", fault.what());
      ::_exit(fault.exit_code());
    }
  }

  std::string logical(const std::string& store_name) const {
    std::ostringstream out;
    report::export_logically(store(store_name), {spec().name}, out);
    return out.str();
  }

  report::Table sql(const std::string& store_name, const std::string& statement) const {
    return report::sql(store(store_name), {spec().name}, statement);
  }

  std::int64_t number(const std::string& store_name, const std::string& statement) const {
    return sql(store_name, statement).rows.at(0).at(0).get<std::int64_t>();
  }

  /// Trials that have a result by now; 0 where the store cannot be read yet.
  std::int64_t results(const std::string& store_name) const {
    try {
      return number(store_name, "select count(*) from trials where epochs > 0");
    } catch (const Error&) {
      return 0;
    }
  }

  QuietDisplay display;

 private:
  support::TempFolder folder_;
};

/// Polls for a state of the outside world; the deadline is for failing, never for passing.
inline bool wait_for(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(300);
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

/// Exit code of a child, or 128 + its signal.
inline int code_of(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

inline bool has_ended(pid_t child) {
  siginfo_t facts{};
  return ::waitid(P_PID, static_cast<id_t>(child), &facts, WEXITED | WNOHANG | WNOWAIT) == 0 && facts.si_pid == child;
}

inline bool is_alive(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  return std::getline(stat, text) && text.find(") Z") == std::string::npos;
}

/// Living children of a process, by the kernel's own list.
inline std::vector<pid_t> children(pid_t parent) {
  std::ifstream list("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) + "/children");
  std::vector<pid_t> out;
  for (pid_t pid = 0; list >> pid;) {
    if (is_alive(pid)) out.push_back(pid);
  }
  return out;
}

}  // namespace dlrun::e2e
