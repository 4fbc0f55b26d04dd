// SPDX-License-Identifier: Apache-2.0
#include "worker/command_verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>

#include "process/child.hpp"

namespace dlrun::worker {

namespace {

using trial::Cause;

constexpr int kTransient = 75;  ///< EX_TEMPFAIL

Verdict failed(Cause cause, const std::string& message) { return {trial::Outcome::failed, cause, message}; }

/// Does a line say that an allocation has failed, as it does at a limit of memory?
bool is_memory_fault(std::string_view line) {
  constexpr std::array kWords{"MemoryError", "bad_alloc", "annot allocate", "an't allocate", "nable to allocate"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](const char* words) { return line.find(words) != std::string_view::npos; });
}

class Judge {
 public:
  Judge(const programs::PieceOver& over, const Heard& heard, const Asked& piece)
      : over_(over), heard_(heard), setup_(piece.setup), order_(piece.order), epochs_(piece.epochs) {}

  /// The program has come to the piece's end, but perhaps without a value on the way.
  Verdict of_parked() const {
    if (has_objective()) return {};
    return failed(
        Cause::exception,
        fmt::format("the program reported no value of '{}' for the steps {} to {}, but one of a later step; a "
                    "pruner needs one at each of its rungs",
                    setup_.metric, order_.from_step + 1, order_.to_step));
  }

  Verdict of_end() const {
    if (!heard_.silence.empty()) return failed(Cause::timeout, heard_.silence);
    if (WIFSIGNALED(over_.status)) return of_signal();
    if (!over_.message.empty()) return failed(over_.is_oom ? Cause::oom : Cause::exception, over_.message);
    const int code = WEXITSTATUS(over_.status);
    if (code == kTransient) return failed(Cause::worker_lost, why_again());
    return code == 0 ? of_success() : of_code(code);
  }

 private:
  Verdict of_success() const {
    const bool is_early = over_.newest < order_.to_step;
    if (is_early && (has_objective() || (order_.from_step > 0 && over_.names.contains(setup_.metric))))
      return {.outcome = trial::Outcome::early};
    if (has_objective()) return {};
    if (over_.beyond > 0) return failed(Cause::exception, no_value_but_beyond());
    return failed(Cause::exception,
                  "the program ended well, but reported no value of '" + setup_.metric + "'" + what_was_reported());
  }

  Verdict of_signal() const {
    const int signal = WTERMSIG(over_.status);
    const bool is_for_memory = (signal == SIGKILL && heard_.wanted_memory) || (signal == SIGABRT && has_met_limit());
    return failed(is_for_memory ? Cause::oom : Cause::signal,
                  "the program was killed by " + process::end_text(over_.status));
  }

  /// The leader of a program with several hosts says which one was lost.
  std::string why_again() const {
    const bool is_said = setup_.nodes > 1 && !heard_.last_error.empty();
    return is_said ? heard_.last_error : "the program asks to be tried again (exit code 75)";
  }

  Verdict of_code(int code) const {
    if (!heard_.port_fault.empty())
      return failed(Cause::worker_lost, "another process took the program's MASTER_PORT: " + heard_.port_fault);
    const std::string said = heard_.last_error.empty() ? "" : ": " + heard_.last_error;
    const std::string meanwhile = heard_.wanted_memory ? "; the kernel killed a process of it for want of memory" : "";
    return failed(heard_.wanted_memory || has_met_limit() ? Cause::oom : Cause::exception,
                  fmt::format("the program ended with exit code {}{}{}", code, said, meanwhile));
  }

  /// A program without dlrun's client says by its last words alone that resources.memory_mb was too little.
  bool has_met_limit() const { return setup_.memory_bytes > 0 && is_memory_fault(heard_.last_error); }

  std::string no_value_but_beyond() const {
    return fmt::format(
        "the program reported no value of '{}' up to step {}, but values up to step {}: `epochs: {}` says how many "
        "steps a trial has",
        setup_.metric, epochs_, over_.beyond, epochs_);
  }

  /// For the message of a program that speaks, but not of the objective.
  std::string what_was_reported() const {
    if (over_.names.empty()) return heard_.has_warned ? "; its log says which lines were not understood" : "";
    return fmt::format("; it reported '{}'", fmt::join(over_.names, "', '"));
  }

  bool has_objective() const {
    return std::any_of(over_.reports.begin(), over_.reports.end(), [&](const trial::Report& report) {
      return std::any_of(report.metrics.begin(), report.metrics.end(),
                         [&](const trial::Metric& metric) { return metric.name == setup_.metric; });
    });
  }

  const programs::PieceOver& over_;
  const Heard& heard_;
  const trial::WorkSetup& setup_;
  const trial::PieceOrder& order_;
  const std::int64_t epochs_;
};

}  // namespace

Verdict verdict_of(const programs::PieceOver& over, const Heard& heard, const Asked& piece) {
  if (over.is_lost) return failed(heard.wanted_memory ? Cause::oom : Cause::worker_lost, over.message);
  if (!heard.diverged.empty()) return failed(Cause::nan, heard.diverged);
  const Judge judge(over, heard, piece);
  return over.is_parked ? judge.of_parked() : judge.of_end();
}

}  // namespace dlrun::worker
