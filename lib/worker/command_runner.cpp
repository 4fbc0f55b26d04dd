// SPDX-License-Identifier: Apache-2.0
#include "worker/command_runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <optional>

#include "energy/nvml.hpp"
#include "process/child.hpp"
#include "programs/callers.hpp"
#include "programs/examples.hpp"
#include "programs/keeper.hpp"
#include "programs/progress.hpp"
#include "programs/rendezvous.hpp"
#include "trial/artifacts.hpp"
#include "util/cgroup.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/gpus.hpp"
#include "worker/command_settings.hpp"
#include "worker/silence.hpp"
#include "worker/starters.hpp"
#include "worker/waiting_programs.hpp"

namespace dlrun::worker {

namespace {

using programs::Keeper;
using programs::PieceOver;
using programs::Printed;
using programs::StartFault;
using programs::Stream;
using trial::Host;
using trial::PieceOrder;
using trial::PieceResult;

constexpr int kTransient = 75;          ///< EX_TEMPFAIL
constexpr std::size_t kMostSaid = 200;  ///< bytes of the program's last line in a message

/// One piece of one program.
class CommandPiece {
 public:
  CommandPiece(const trial::WorkSetup& setup, const PieceOrder& order, Host& host)
      : setup_(setup),
        order_(order),
        host_(host),
        settings_(read_command(order.sets.empty() ? setup.trial : trial::configured(setup.trial, order.sets))) {
    if (settings_.epochs == 0) settings_.epochs = order.to_step;
    result_.key = order.key;
    result_.attempt = order.attempt;
  }

  /// @throws Stopped.
  PieceResult run(programs::Channel& keeper) {
    kills_before_ = oom_kills();
    programs::begin_progress(order_.folder, goes_on_from_);
    over_ = programs::run_piece(keeper, {order_.from_step, order_.to_step, order_.folder}, listener());
    if (is_stopped_) throw trial::Stopped{};
    if (over_.is_lost) return lost();
    require_start();
    if (goes_on_from_) add_earlier();
    for (const trial::Report& report : over_.reports) note_divergence(report);
    result_.peak_rss = over_.peak_rss;
    result_.repeated = over_.repeated;
    if (over_.is_parked && diverged_.empty()) {
      judge_parked();
    } else {
      judge();
    }
    return finished();
  }

  /// The socket at which the program waits; empty: it does not.
  std::string parked_at() const {
    return over_.is_parked && result_.outcome != trial::Outcome::failed ? over_.socket : std::string();
  }

  /// The program as it waits for the next piece.
  Waiting waiting(std::unique_ptr<Keeper> keeper) const {
    const double objective = last_objective();
    return {std::move(keeper), order_.to_step, setup_.maximize ? -objective : objective, over_.held};
  }

  /// The start of a program for a piece that no program waits for.
  programs::Start prepare() {
    const FirstFiles files = go_on() ? files_of_progress() : first_files();
    if (!settings_.function || settings_.folder.empty()) make_folders(order_.folder);  // a function's client makes it
    if (!settings_.function) write_params(setup_, order_);
    return start_of(setup_, order_, settings_, files);
  }

  bool has_client() const { return over_.has_client; }

  /// False: the keeper has ended or has left the trial before it said anything of this piece.
  bool was_heard() const { return was_heard_ || !over_.is_lost; }

  /// The program is an interpreter that can have another trial.
  bool has_freed() const { return over_.is_free; }

  /// Whether the program failed before a further step, when it was to go on from an attempt that did not end the piece.
  bool could_not_go_on() const {
    return goes_on_from_ && result_.outcome == trial::Outcome::failed && result_.cause == trial::Cause::exception &&
           over_.newest <= goes_on_from_->checkpoint.step;
  }

 private:
  /// Looks for progress of an earlier attempt. Its values are this attempt's too.
  bool go_on() {
    if (order_.partial.empty()) return false;
    goes_on_from_ = programs::read_progress(order_.partial, {order_.from_step, order_.to_step, setup_.needed});
    if (!goes_on_from_) return false;
    host_.log(fmt::format("dlrun: goes on from '{}' of an earlier attempt, after step {}",
                          goes_on_from_->checkpoint.path, goes_on_from_->checkpoint.step));
    for (const trial::Report& report : goes_on_from_->reports) host_.report(report);
    return true;
  }

  FirstFiles files_of_progress() const {
    return {.resume = goes_on_from_->checkpoint.path, .resume_step = goes_on_from_->checkpoint.step, .init = {}};
  }

  void add_earlier() {
    const std::vector<trial::Report>& earlier = goes_on_from_->reports;
    over_.reports.insert(over_.reports.begin(), earlier.begin(), earlier.end());
    if (!over_.checkpoint) over_.checkpoint = goes_on_from_->checkpoint;
  }

  /// @throws Error(store) for one that is missing or damaged.
  FirstFiles first_files() const {
    if (order_.inherits && order_.resume.empty()) {
      throw Error(ErrorKind::outside,
                  "this trial is to begin with what another one has learned, but that one left no checkpoint",
                  "let the program report one: {\"checkpoint\": FILE, \"step\": N}");
    }
    FirstFiles files;
    if (!order_.resume.empty()) files.resume_step = order_.resume_step;
    for (const trial::InputFile& input : trial::inputs_of(setup_, order_)) {
      const bool is_own = input.sha256 == order_.resume;
      if (!is_own && !order_.resume.empty()) continue;
      trial::require_sound(input.path, input.sha256);
      (is_own ? files.resume : files.init) = input.path.string();
    }
    return files;
  }

  programs::Listener listener() {
    return {.printed = [this](const Printed& printed) { take(printed); },
            .measured =
                [this](const trial::Report& report) {
                  hear();
                  host_.report(report);
                  note_divergence(report);
                },
            .wants_end = [this] { return wants_end(); }};
  }

  void hear() {
    was_heard_ = true;
    silence_.end();
  }

  void take(const Printed& printed) {
    hear();
    host_.step();
    host_.log(printed.line);
    if (printed.stream == Stream::report) has_warned_ = true;
    const bool is_blank = printed.line.find_first_not_of(" \t\r") == std::string::npos;
    if (printed.stream != Stream::err || is_blank) return;
    last_error_ = printed.line.substr(0, kMostSaid);
    if (programs::is_port_fault(printed.line) && (setup_.gpus > 0 || setup_.nodes > 1)) port_fault_ = last_error_;
  }

  std::optional<double> wants_end() {
    is_stopped_ = is_stopped_ || host_.is_stopping();
    if (is_stopped_) return settings_.grace;
    if (silence_.is_too_long()) return settings_.grace;
    return diverged_.empty() ? std::nullopt : std::optional(0.0);
  }

  void note_divergence(const trial::Report& report) {
    for (const trial::Metric& metric : report.metrics) {
      if (metric.name != setup_.metric || std::isfinite(metric.value) || !diverged_.empty()) continue;
      diverged_ =
          fmt::format("{} is {} at step {}", metric.name, std::isnan(metric.value) ? "nan" : "infinite", report.step);
    }
  }

  /// A program whose name is no parameter's was there when the study began.
  void require_start() const {
    if (over_.fault == StartFault::none) return;
    const bool is_by_trial =
        settings_.shell || (!settings_.function && settings_.command[0].find('{') != std::string::npos);
    throw Error(is_by_trial && over_.fault == StartFault::program ? ErrorKind::usage : ErrorKind::outside,
                over_.message);
  }

  /// The kernel's OOM killer struck while it ran.
  bool wanted_memory() const { return oom_kills() > kills_before_; }

  void judge() {
    const int status = over_.status;
    if (!diverged_.empty()) return fail(trial::Cause::nan, diverged_);
    if (silence_.was_too_long()) return fail(trial::Cause::timeout, silence_.text());
    if (WIFSIGNALED(status)) return judge_signal(status);
    if (!over_.message.empty()) return fail(over_.is_oom ? trial::Cause::oom : trial::Cause::exception, over_.message);
    const int code = WEXITSTATUS(status);
    if (code == kTransient) return fail(trial::Cause::worker_lost, why_again());
    if (code != 0) return judge_code(code);
    const bool is_early = over_.newest < order_.to_step;
    if (is_early && (has_objective() || (order_.from_step > 0 && over_.names.contains(setup_.metric)))) {
      result_.outcome = trial::Outcome::early;
      return;
    }
    if (has_objective()) return;
    if (over_.beyond > 0) return fail(trial::Cause::exception, no_value_but_beyond());
    fail(trial::Cause::exception,
         "the program ended well, but reported no value of '" + setup_.metric + "'" + what_was_reported());
  }

  /// The program has come to the piece's end, but perhaps without a value on the way.
  void judge_parked() {
    if (has_objective()) return;
    fail(trial::Cause::exception,
         fmt::format("the program reported no value of '{}' for the steps {} to {}, but one of a later step; a pruner "
                     "needs one at each of its rungs",
                     setup_.metric, order_.from_step + 1, order_.to_step));
  }

  void judge_signal(int status) {
    fail(WTERMSIG(status) == SIGKILL && wanted_memory() ? trial::Cause::oom : trial::Cause::signal,
         "the program was killed by " + process::end_text(status));
  }

  /// The leader of a program with several hosts says which one was lost.
  std::string why_again() const {
    const bool is_said = setup_.nodes > 1 && !last_error_.empty();
    return is_said ? last_error_ : "the program asks to be tried again (exit code 75)";
  }

  void judge_code(int code) {
    if (!port_fault_.empty())
      return fail(trial::Cause::worker_lost, "another process took the program's MASTER_PORT: " + port_fault_);
    const std::string said = last_error_.empty() ? "" : ": " + last_error_;
    const bool struck = wanted_memory();
    const std::string meanwhile = struck ? "; the kernel killed a process of it for want of memory" : "";
    fail(struck ? trial::Cause::oom : trial::Cause::exception,
         fmt::format("the program ended with exit code {}{}{}", code, said, meanwhile));
  }

  void fail(trial::Cause cause, const std::string& message) {
    result_.outcome = trial::Outcome::failed;
    result_.cause = cause;
    result_.message = message;
  }

  std::string no_value_but_beyond() const {
    return fmt::format(
        "the program reported no value of '{}' up to step {}, but values up to step {}: `epochs: {}` says how many "
        "steps a trial has",
        setup_.metric, settings_.epochs, over_.beyond, settings_.epochs);
  }

  /// For the message of a program that speaks, but not of the objective.
  std::string what_was_reported() const {
    if (over_.names.empty()) return has_warned_ ? "; its log says which lines were not understood" : "";
    return fmt::format("; it reported '{}'", fmt::join(over_.names, "', '"));
  }

  bool has_objective() const {
    return std::any_of(over_.reports.begin(), over_.reports.end(), [&](const trial::Report& report) {
      return std::any_of(report.metrics.begin(), report.metrics.end(),
                         [&](const trial::Metric& metric) { return metric.name == setup_.metric; });
    });
  }

  /// The keeper died: somebody killed it, or the kernel did.
  PieceResult lost() {
    fail(wanted_memory() ? trial::Cause::oom : trial::Cause::worker_lost, over_.message);
    return result_;
  }

  double last_objective() const {
    double value = 0;
    for (const trial::Report& report : over_.reports) {
      for (const trial::Metric& metric : report.metrics) value = metric.name == setup_.metric ? metric.value : value;
    }
    return value;
  }

  PieceResult finished() {
    result_.reports = over_.reports;
    if (result_.outcome == trial::Outcome::failed) return result_;
    result_.message = remark();
    if (const auto& last = over_.checkpoint) {
      result_.artifacts.push_back(
          trial::keep_artifact(setup_.artifacts, {last->path, "last", last->step, settings_.largest_checkpoint}));
    }
    if (over_.examples) keep_examples(*over_.examples);
    return result_;
  }

  /// The copy is checked, because the program can write its own file again.
  void keep_examples(const programs::Checkpoint& file) {
    const trial::Artifact kept =
        trial::keep_artifact(setup_.artifacts, {file.path, trial::kExamples, file.step, programs::kMostExampleBytes});
    programs::count_examples(trial::artifact_path(setup_.artifacts, kept.sha256));
    result_.artifacts.push_back(kept);
  }

  /// About values that do not count.
  std::string remark() const {
    if (over_.beyond == 0) return {};
    return fmt::format(
        "the program reported values up to step {}, but those after step {} do not count: `epochs: {}` says "
        "how many steps a trial has",
        over_.beyond, order_.to_step, settings_.epochs);
  }

  const trial::WorkSetup& setup_;
  const PieceOrder& order_;
  Host& host_;
  CommandSettings settings_;
  std::optional<programs::Progress> goes_on_from_;
  PieceOver over_;
  PieceResult result_;
  bool is_stopped_ = false;
  Silence silence_{setup_.silence_limit};
  bool was_heard_ = false;
  std::string diverged_;  ///< empty: the objective was finite
  bool has_warned_ = false;
  std::int64_t kills_before_ = 0;  ///< kills by the kernel's OOM killer, when the piece began
  std::string port_fault_;         ///< line about a port of the rendezvous that was taken; empty: none
  std::string last_error_;         ///< last line of standard error: nearly always the reason
};

/// Waiting programs may hold memory of a GPU, and no key says how many there may be.
bool are_limited_by_gpu(const trial::WorkSetup& setup) { return setup.device != "cpu" && setup.parked < 0; }

/// Half of a GPU's memory is left to the program that runs.
bool has_gpu_room() {
  constexpr double kLeft = 0.5;
  return energy::free_gpu_memory(energy::nvml_library(), visible_gpus()).value_or(0) >= kLeft;
}

WaitingLimits limits_of(const trial::WorkSetup& setup) {
  WaitingLimits limits;
  if (are_limited_by_gpu(setup)) limits.has_room = has_gpu_room;
  if (setup.parked >= 0) limits.programs = std::size_t(setup.parked);
  if (setup.parked_bytes > 0) limits.bytes = setup.parked_bytes;
  return limits;
}

class CommandRunner final : public trial::Runner {
 public:
  explicit CommandRunner(const trial::WorkSetup& setup)
      : setup_(setup),
        starter_(make_starter(read_command(setup.trial), setup.threads)),
        waiting_(limits_of(setup), read_command(setup.trial).grace, setup.maximize) {}

  PieceResult run(const PieceOrder& order, Host& host) override {
    auto keeper = waiting_.take(order.key.member, order.from_step);
    if (!keeper && !order.program.empty()) {
      if (auto result = run_elsewhere(order, host)) return *result;
    }
    return run_here(std::move(keeper), order, host);
  }

  std::set<std::string> folders() override { return waiting_.folders(); }
  void end_trial(trial::TrialId trial) override { waiting_.end_trial(trial); }

 private:
  /// @param keeper  of the trial's program, which waits; nullptr: it is started
  PieceResult run_here(std::unique_ptr<Keeper> keeper, const PieceOrder& order, Host& host) {
    CommandPiece piece(setup_, order, host);
    if (!keeper) keeper = start(piece.prepare(), host);
    PieceResult result = piece.run(keeper->channel());
    const std::string socket = piece.parked_at();
    if (piece.has_freed()) starter_->take_back(std::move(keeper));
    if (!socket.empty()) waiting_.add(order.key.member, piece.waiting(std::move(keeper)));
    if (!piece.has_client() && are_limited_by_gpu(setup_)) waiting_.end_member(order.key.member);
    if (waiting_.has(order.key.member)) result.parked_at = socket;
    if (!piece.could_not_go_on()) return result;
    keeper.reset();
    return run_anew(order, host, result.message);
  }

  /// From the piece's beginning, after an attempt to go on from its middle. @param why  that failed
  PieceResult run_anew(PieceOrder order, Host& host, const std::string& why) {
    host.log(fmt::format("dlrun: it could not go on ({}), and is run from step {} again", why, order.from_step + 1));
    order.partial.clear();
    return run_here(nullptr, order, host);
  }

  /// Where the machine can have no other process, one that waits makes room for it.
  std::unique_ptr<Keeper> start(const programs::Start& start, Host& host) {
    if (start.is_reusable) {
      for (auto& keeper : waiting_.take_free(starter_->patience())) starter_->take_back(std::move(keeper));
    }
    while (true) {
      try {
        return starter_->start(start, host);
      } catch (const Error& fault) {
        if (fault.kind() != ErrorKind::outside || !waiting_.give_way()) throw;
      }
    }
  }

  /// The piece by the program of another worker; nullopt: it waits no longer, or was about to end.
  std::optional<PieceResult> run_elsewhere(const PieceOrder& order, Host& host) const {
    std::optional<programs::Channel> channel;
    try {
      channel.emplace(programs::visit(order.program));
    } catch (const Error&) {
      return std::nullopt;
    }
    CommandPiece piece(setup_, order, host);
    PieceResult result = piece.run(*channel);
    if (!piece.was_heard()) return std::nullopt;
    result.parked_at = piece.parked_at();
    return result;
  }

  trial::WorkSetup setup_;
  std::unique_ptr<Starter> starter_;
  WaitingPrograms waiting_;
};

}  // namespace

std::unique_ptr<trial::Runner> make_command_runner(const trial::WorkSetup& setup) {
  return std::make_unique<CommandRunner>(setup);
}

}  // namespace dlrun::worker
