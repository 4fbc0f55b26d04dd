// SPDX-License-Identifier: Apache-2.0
#include "worker/command_runner.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "programs/command_line.hpp"
#include "programs/reports.hpp"
#include "programs/subprocess.hpp"
#include "trial/artifacts.hpp"
#include "util/cgroup.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::worker {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using trial::Host;
using trial::PieceOrder;
using trial::PieceResult;

constexpr int kRunAgain = 85;   ///< HTCondor's code of a self-checkpointing job
constexpr int kTransient = 75;  ///< EX_TEMPFAIL
constexpr int kMaxRuns = 1000;  ///< runs of one attempt, by exit code 85
constexpr milliseconds kTick{50};
constexpr std::int64_t kBytesOfMb = 1'000'000;
constexpr std::size_t kMostSaid = 200;  ///< bytes of the program's last line in a message

/// The keys of the trial a command reads.
struct CommandSettings {
  std::vector<std::string> command;
  std::map<std::string, std::string> env;
  std::map<std::string, std::string> regexes;
  int first_replicate = 1;
  bool shell = false;
  std::string folder;
  double grace = 5;
  std::int64_t epochs = 1;
  std::int64_t largest_checkpoint = trial::kLargestCheckpointMb * kBytesOfMb;
};

template <class T>
T get_or(const Json& json, const char* key, T fallback) {
  const auto found = json.find(key);
  return found == json.end() || found->is_null() ? fallback : found->get<T>();
}

CommandSettings read_command(const Json& trial) {
  try {
    CommandSettings s;
    s.command = trial.at("command").get<std::vector<std::string>>();
    s.env = get_or(trial, "env", s.env);
    s.regexes = get_or(trial, "metrics_regex", s.regexes);
    s.first_replicate = get_or(trial, "first_replicate", 1);
    s.shell = get_or(trial, "shell", false);
    s.folder = get_or(trial, "folder", std::string());
    s.grace = get_or(trial, "grace", s.grace);
    s.epochs = get_or(trial, "epochs", s.epochs);
    const Json artifacts = get_or(trial, "artifacts", Json::object());
    s.largest_checkpoint = get_or(artifacts, "max_mb", trial::kLargestCheckpointMb) * kBytesOfMb;
    if (s.command.empty()) throw Error(ErrorKind::usage, "'command' is empty");
    return s;
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::usage, std::string("malformed 'command' trial: ") + fault.what());
  }
}

std::vector<std::string> environment(const std::map<std::string, std::string>& own) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!own.contains(text.substr(0, text.find('=')))) out.push_back(text);
  }
  for (const auto& [name, value] : own) out.push_back(fmt::format("{}={}", name, value));
  return out;
}

/// One piece of one command: runs the program until it ends for good.
class CommandPiece {
 public:
  CommandPiece(const trial::WorkSetup& setup, const PieceOrder& order, Host& host)
      : setup_(setup),
        order_(order),
        host_(host),
        settings_(read_command(order.sets.empty() ? setup.trial : trial::configured(setup.trial, order.sets))),
        reports_({order.from_step, order.to_step, settings_.regexes}) {
    result_.key = order.key;
    result_.attempt = order.attempt;
    if (order.inherits && order.resume.empty()) {
      throw Error(ErrorKind::usage,
                  "this trial is to begin with what another one has learned, but that one left no checkpoint",
                  "let the program report one: {\"checkpoint\": FILE, \"step\": N}");
    }
    if (order.resume.empty()) return;
    resume_ = trial::artifact_path(setup.artifacts, order.resume).string();
    trial::require_sound(resume_, order.resume);
  }

  PieceResult run() {
    make_folders(order_.folder);
    write_file(params_file(), to_text(order_.params) + "\n", {.durable = false});
    for (int runs = 1; run_once() == kRunAgain; ++runs) {
      if (!prepare_next_run(runs)) return finished();
    }
    return finished();
  }

 private:
  std::string params_file() const { return order_.folder + "/params.json"; }

  programs::Launch program() const {
    programs::Launch options;
    const programs::TemplateValues values{order_.params, setup_.parameters};
    options.arguments = programs::expand_arguments(settings_.command, values, settings_.shell);
    if (settings_.shell) options.arguments = {"/bin/sh", "-c", options.arguments.empty() ? "" : options.arguments[0]};
    if (options.arguments.empty()) throw Error(ErrorKind::usage, "nothing is left of 'command'");
    options.environment = environment(variables());
    options.folder = settings_.folder.empty() ? order_.folder : settings_.folder;
    return options;
  }

  std::map<std::string, std::string> variables() const {
    auto env = settings_.env;
    const trial::Member& member = order_.key.member;
    env["DLRUN_STUDY"] = setup_.study;
    env["DLRUN_TRIAL"] = std::to_string(member.trial.value);
    env["DLRUN_REPLICATE"] = std::to_string(settings_.first_replicate - 1 + member.replicate);
    env["DLRUN_FOLD"] = std::to_string(member.fold);
    env["DLRUN_ATTEMPT"] = std::to_string(order_.attempt);
    env["DLRUN_SEED"] = std::to_string(order_.seed);
    env["DLRUN_FROM_STEP"] = std::to_string(order_.from_step);
    env["DLRUN_TO_STEP"] = std::to_string(order_.to_step);
    env["DLRUN_PARAMS"] = params_file();
    env["DLRUN_DIR"] = order_.folder;
    env["DLRUN_RESUME"] = resume_;
    env["DLRUN_REPORT_FD"] = "3";
    env["DLRUN_CONTROL_FD"] = "4";
    return env;
  }

  /// A program whose name is no parameter's was there when the study began.
  programs::Subprocess start() const {
    const programs::Launch options = program();
    try {
      return programs::Subprocess(options);
    } catch (const Error& fault) {
      if (settings_.shell || settings_.command[0].find('{') != std::string::npos) throw;
      throw Error(ErrorKind::outside, fault.what(), fault.hint());
    }
  }

  /// The exit code, or -1 where a signal ended it (result_ says more). @throws Stopped.
  int run_once() {
    kills_before_ = oom_kills();
    programs::Subprocess child = start();
    const auto take = [&](programs::Stream stream, std::string_view line) { take_line(stream, line); };
    while (child.pump(kTick, take)) {
      tell_reports();
      if (host_.is_stopping()) stop(child, take);
      if (is_diverged_) stop_early(child);
    }
    tell_reports();
    result_.peak_rss = std::max(result_.peak_rss, child.peak_rss());
    return judge(child.status());
  }

  void take_line(programs::Stream stream, std::string_view line) {
    host_.step();
    if (stream == programs::Stream::report) {
      reports_.take_report_line(line);
    } else {
      host_.log(std::string(line));
      const bool is_blank = line.find_first_not_of(" \t\r") == std::string_view::npos;
      if (stream == programs::Stream::err && !is_blank) last_error_ = line.substr(0, kMostSaid);
      if (stream == programs::Stream::out) reports_.take_output_line(line);
    }
    for (const std::string& warning : reports_.take_warnings()) {
      host_.log(warning);
      has_warned_ = true;
    }
  }

  void tell_reports() {
    for (const trial::Report& report : reports_.take_fresh()) {
      host_.report(report);
      note_divergence(report);
    }
  }

  void note_divergence(const trial::Report& report) {
    for (const trial::Metric& metric : report.metrics) {
      if (metric.name != setup_.metric || std::isfinite(metric.value) || is_diverged_) continue;
      is_diverged_ = true;
      diverged_ = metric.name + " is " + (std::isnan(metric.value) ? "nan" : "infinite") + " at step " +
                  std::to_string(report.step);
    }
  }

  /// Asks the program to end, then ends it.
  template <class Take>
  [[noreturn]] void stop(programs::Subprocess& child, const Take& take) {
    child.tell(R"({"stop":"shutdown","grace_s":)" + std::to_string(settings_.grace) + "}");
    child.signal_group(SIGTERM);
    const auto end = steady_clock::now() + std::chrono::duration<double>(settings_.grace);
    while (child.pump(kTick, take) && steady_clock::now() < end) {
    }
    throw trial::Stopped{};
  }

  static void stop_early(const programs::Subprocess& child) { child.signal_group(SIGKILL); }

  /// The kernel's OOM killer struck while it ran.
  bool wanted_memory() const { return oom_kills() > kills_before_; }

  int judge(int status) {
    for (const trial::Report& report : reports_.reports()) note_divergence(report);
    if (is_diverged_) return fail(trial::Cause::nan, diverged_);
    if (WIFSIGNALED(status)) {
      const int number = WTERMSIG(status);
      return fail(number == SIGKILL && wanted_memory() ? trial::Cause::oom : trial::Cause::signal,
                  "the program was killed by signal " + std::to_string(number) + " (" + ::strsignal(number) + ")");
    }
    const int code = WEXITSTATUS(status);
    if (code == kRunAgain) return code;
    if (code == kTransient) return fail(trial::Cause::worker_lost, "the program asks to be tried again (exit code 75)");
    if (code != 0) {
      const std::string said = last_error_.empty() ? "" : ": " + last_error_;
      const bool struck = wanted_memory();
      const std::string meanwhile = struck ? "; the kernel killed a process of it for want of memory" : "";
      return fail(struck ? trial::Cause::oom : trial::Cause::exception,
                  "the program ended with exit code " + std::to_string(code) + said + meanwhile);
    }
    if (!has_objective()) {
      return fail(trial::Cause::exception,
                  "the program ended well, but reported no value of '" + setup_.metric + "'" + what_was_reported());
    }
    return 0;
  }

  int fail(trial::Cause cause, const std::string& message) {
    result_.outcome = trial::Outcome::failed;
    result_.cause = cause;
    result_.message = message;
    return -1;
  }

  /// For the message of a program that speaks, but not of the objective.
  std::string what_was_reported() const {
    std::set<std::string> names;
    for (const trial::Report& report : reports_.reports()) {
      for (const trial::Metric& metric : report.metrics) names.insert(metric.name);
    }
    if (names.empty()) return has_warned_ ? "; its log says which lines were not understood" : "";
    std::string text = "; it reported";
    for (const std::string& name : names) text += (name == *names.begin() ? " '" : ", '") + name + "'";
    return text;
  }

  bool has_objective() const {
    const auto steps = reports_.reports();
    return std::any_of(steps.begin(), steps.end(), [&](const trial::Report& report) {
      return std::any_of(report.metrics.begin(), report.metrics.end(),
                         [&](const trial::Metric& metric) { return metric.name == setup_.metric; });
    });
  }

  /// False: it may not run again.
  bool prepare_next_run(int runs) {
    const auto& checkpoint = reports_.checkpoint();
    if (!checkpoint) {
      fail(trial::Cause::exception, "exit code 85 (checkpointed, run me again), but no checkpoint was reported");
      return false;
    }
    if (runs >= kMaxRuns) {
      fail(trial::Cause::exception, "the program asked to be run again 1000 times");
      return false;
    }
    resume_ = absolute(checkpoint->path);
    return true;
  }

  std::string absolute(const std::string& path) const {
    return (std::filesystem::path(order_.folder) / path).lexically_normal().string();
  }

  PieceResult finished() {
    result_.reports = reports_.reports();
    if (result_.outcome != trial::Outcome::failed) result_.message = remark();
    if (result_.outcome != trial::Outcome::failed && reports_.checkpoint()) {
      const programs::Checkpoint& last = *reports_.checkpoint();
      result_.artifacts.push_back(trial::keep_artifact(
          setup_.artifacts, {absolute(last.path), "last", last.step, settings_.largest_checkpoint}));
    }
    return result_;
  }

  /// About values that do not count. A program that is stopped at rungs may well go on to its end each time.
  std::string remark() const {
    if (reports_.beyond() == 0 || order_.to_step < settings_.epochs) return {};
    return fmt::format(
        "the program reported values up to step {}, but those after step {} do not count: `epochs: {}` says "
        "how many steps a trial has",
        reports_.beyond(), order_.to_step, settings_.epochs);
  }

  const trial::WorkSetup& setup_;
  const PieceOrder& order_;
  Host& host_;
  CommandSettings settings_;
  programs::Reports reports_;
  PieceResult result_;
  std::string resume_;
  bool is_diverged_ = false;
  std::string diverged_;
  bool has_warned_ = false;
  std::int64_t kills_before_ = 0;  ///< kills by the kernel's OOM killer, when the program began
  std::string last_error_;         ///< last line of standard error: nearly always the reason
};

class CommandRunner final : public trial::Runner {
 public:
  explicit CommandRunner(const trial::WorkSetup& setup) : setup_(setup) { read_command(setup.trial); }
  PieceResult run(const PieceOrder& order, Host& host) override { return CommandPiece(setup_, order, host).run(); }

 private:
  trial::WorkSetup setup_;
};

}  // namespace

std::unique_ptr<trial::Runner> make_command_runner(const trial::WorkSetup& setup) {
  return std::make_unique<CommandRunner>(setup);
}

}  // namespace dlrun::worker
