// SPDX-License-Identifier: Apache-2.0
#include "programs/kept.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <set>

#include "programs/cores.hpp"
#include "programs/descendants.hpp"
#include "programs/reported_files.hpp"
#include "util/error.hpp"
#include "util/memory.hpp"

namespace dlrun::programs {

namespace {

using std::chrono::milliseconds;

constexpr int kRunAgain = 85;                  ///< HTCondor's code of a self-checkpointing job
constexpr int kMaxRuns = 1000;                 ///< runs by exit code 85 without a checkpoint of a later step
constexpr milliseconds kMoment{500}, kNap{5};  ///< processes that a trial has left may print for so long
constexpr milliseconds kBetweenSigns{100};     ///< from one Alive to the next

std::int64_t memory_of(const std::set<pid_t>& processes) {
  std::int64_t sum = 0;
  for (const pid_t pid : processes) sum += own_memory(pid);
  return sum;
}

std::int64_t peak_of(const std::set<pid_t>& processes) {
  std::int64_t peak = 0;
  for (const pid_t pid : processes) peak = std::max(peak, peak_memory(pid));
  return peak;
}

void set_variable(Launch& launch, const std::string& name, const std::string& value) {
  std::erase_if(launch.environment, [&](const std::string& entry) { return entry.starts_with(name + "="); });
  launch.environment.push_back(name + "=" + value);
}

}  // namespace

Kept::Kept(Start start, Channel owner, std::optional<Running> running)
    : start_(std::move(start)),
      callers_(std::move(owner)),
      reports_(start_.reports),
      running_(std::move(running)),
      is_server_(running_.has_value()) {}

void Kept::serve() {
  while (hear()) {
    do {
      take_lines();
      if (piece_ && has_ended_ && lines_.empty()) judge_end();
    } while (answer());
    if ((is_ending_ || is_leaving_) && has_ended_) return;
    wait();
    if (is_free_ && has_ended_) return;  // before it gets another trial
  }
}

/// Takes requests that have come. False: the owner has gone.
bool Kept::hear() {
  if (!callers_.read()) return false;
  if (piece_ && caller_ == Caller::guest && !callers_.has_guest()) interrupt();
  return true;
}

/// The guest whose piece this is has gone.
void Kept::interrupt() {
  stop();
  const std::int64_t step = piece_->from;
  piece_.reset();
  tell_owner(false, step);
}

void Kept::tell_owner(bool is_lent, std::int64_t step) {
  const double objective = start_.reports.needed.empty() ? 0 : reports_.last_value(start_.reports.needed[0]);
  const std::int64_t held = is_lent || has_ended_ ? 0 : held_by(descendants().value_or(std::set<pid_t>()));
  callers_.say(Caller::owner, to_line(Lent{is_lent, step, objective, held}));
}

/// For a request, or for output while a piece runs.
void Kept::wait() {
  const bool is_running = program_ && !has_ended_ && (piece_ || is_ending_ || is_leaving_);
  std::array<pollfd, 7> items{};
  Subprocess::Watch watch{};
  const auto callers = callers_.watch();
  std::copy(callers.begin(), callers.end(), items.begin() + 5);
  for (std::size_t i = 0; i < 5; ++i) items[i].fd = -1;
  if (is_running) watch = program_->watch();
  if (is_running) std::copy(watch.items.begin(), watch.items.end(), items.begin());
  if (is_free_) items[0] = {program_->watch_end(), POLLIN, 0};
  std::optional<milliseconds> most = watch.most;
  if (grace_ends_) most = std::max(milliseconds(0), std::chrono::ceil<milliseconds>(*grace_ends_ - Clock::now()));
  ::poll(items.data(), items.size(), most ? static_cast<int>(most->count()) : -1);
  if (grace_ends_ && Clock::now() >= *grace_ends_) kill();
  if (is_free_ && items[0].revents != 0) has_ended_ = true;
  if (!is_running) return;
  std::copy_n(items.begin(), 5, watch.items.begin());
  has_ended_ =
      !program_->read(watch.items, [&](Stream stream, std::string_view line) { lines_.emplace_back(stream, line); });
}

/// Answers the first request that can be answered: another piece has to wait until the one that runs is over.
/// @return false: there is none
bool Kept::answer() {
  const auto said = callers_.next([&](const std::string& line) {
    return (!piece_ && !is_leaving_) || std::holds_alternative<EndProgram>(request_of(line));
  });
  if (!said) return false;
  Request asked = request_of(said->line);
  if (const auto* piece = std::get_if<RunPiece>(&asked)) begin(*piece, said->who);
  if (const auto* ending = std::get_if<EndProgram>(&asked)) end(*ending);
  if (auto* next = std::get_if<NextTrial>(&asked)) renew(std::move(*next));
  return true;
}

void Kept::begin(const RunPiece& piece, Caller caller) {
  if (is_ending_) return;
  piece_ = piece;
  progress_ = ProgressFile(piece.folder);
  reports_.begin_notes();
  caller_ = caller;
  if (caller == Caller::guest) tell_owner(true, piece.from);
  if (!program_) return launch();
  if (!has_ended_) resume();
  if (!reports_.client().is_there && reports_.has_reached(piece.to) && piece.to < start_.reports.last) park();
}

void Kept::resume() {
  move_to_cores_of(callers_.process(caller_));
  tell_piece();
  if (is_stopped_) program_->go_on();
  is_stopped_ = false;
}

/// How far it may go.
void Kept::tell_piece() {
  program_->tell(fmt::format(R"({{"to":{}}})", piece_->to));
  reports_.answered();
}

/// The interpreter has a further trial.
void Kept::renew(NextTrial next) {
  is_free_ = false;
  start_.facts = std::move(next.facts);
  start_.files = std::move(next.files);
  start_.reports = std::move(next.reports);
  reports_ = Reports(start_.reports);
  program_->tell(start_.facts);
}

void Kept::launch() {
  has_ended_ = false;
  ++runs_;
  try {
    start();
    if (!start_.facts.empty()) program_->tell(start_.facts);
    tell_piece();
  } catch (const Error& fault) {
    has_ended_ = true;
    fault_ = fault.kind() == ErrorKind::outside ? StartFault::machine : StartFault::program;
    finish(false, fault.what());
  }
}

void Kept::start() {
  program_.reset();
  if (running_) {
    program_.emplace(std::move(*running_));
    running_.reset();
  } else {
    program_.emplace(start_.launch);
  }
}

/// An interpreter that is to be free for another trial, and waits, leaves the one that it has. A guest may have ended
/// that one meanwhile: then it is free already, and has said so.
void Kept::end(const EndProgram& end) {
  if (is_free_ && end.is_freed) return;
  is_leaving_ = end.is_freed && start_.is_reusable && reports_.client().waits && !is_ending_ && end.grace > 0;
  is_ending_ = is_ending_ || !is_leaving_;
  if (!program_) has_ended_ = true;
  if (has_ended_) return;
  if (end.grace <= 0) return kill();
  ask_to_end(end);
}

/// A client that waits leaves its function as soon as it hears that; a signal would interrupt it there.
void Kept::ask_to_end(const EndProgram& end) {
  program_->tell(fmt::format(R"({{"stop":"shutdown","grace_s":{}}})", end.grace));
  if (!reports_.client().waits) program_->signal_all(SIGTERM);
  if (is_stopped_ || !reports_.client().waits) program_->go_on();
  is_stopped_ = false;
  grace_ends_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(end.grace));
}

/// Processes of a trial that a server has forked have groups of their own.
void Kept::kill() {
  grace_ends_.reset();
  if (has_ended_) return;
  program_->signal_group(SIGKILL);
  if (is_server_) program_->signal_all(SIGKILL);
}

void Kept::stop() {
  if (!program_ || has_ended_) return;
  program_->stop();
  is_stopped_ = true;
}

void Kept::take_lines() {
  while ((piece_ || is_leaving_ || is_ending_) && !lines_.empty()) {
    const auto [stream, line] = std::move(lines_.front());
    lines_.pop_front();
    take_line(stream, line);
    judge_line();
  }
  note_progress();
}

/// From the first checkpoint inside of the piece on.
void Kept::note_progress() {
  std::vector<Checkpoint> checkpoints = std::exchange(stamped_, {});
  if (!piece_) return;
  std::erase_if(checkpoints, [&](const Checkpoint& file) { return file.step <= piece_->from; });
  if (!progress_.has_begun() && checkpoints.empty()) return;
  ProgressNews news{reports_.take_unnoted(), std::move(checkpoints), reports_.take_unnoted_examples()};
  for (auto* files : {&news.checkpoints, &news.examples}) {
    for (Checkpoint& file : *files) file.path = path_in(start_.files, file.path);
  }
  progress_.append(news);
}

/// A client says itself where it waits.
void Kept::judge_line() {
  if (reports_.client().done) return leave_trial();
  if (is_ending_ || is_leaving_) return;
  if (reports_.client().is_there) return judge_waiting();
  if (piece_->to < start_.reports.last && reports_.has_reached(piece_->to)) park();
}

/// Metrics that decisions rest on may come with a later report: then it goes on.
void Kept::judge_waiting() {
  if (!reports_.client().waits) return;
  if (piece_->to < start_.reports.last && reports_.has_reached(piece_->to)) return park();
  program_->tell(fmt::format(R"({{"on":{}}})", *reports_.client().waits));
  reports_.answered();
}

/// Guests were to run a piece of this trial: the next one is not theirs.
void Kept::leave_trial() {
  callers_.change_door();
  if (is_server_) end_orphans();
  program_->read_printed([this](Stream stream, std::string_view line) { take_line(stream, std::string(line)); });
  const bool is_asked = std::exchange(is_leaving_, false);
  grace_ends_.reset();
  if (is_asked || caller_ == Caller::guest) callers_.say(Caller::owner, to_line(Free{}));
  if (piece_) reports_.put_results(piece_->from, piece_->to);
  if (piece_) finish(false, reports_.client().fault);
  reports_ = Reports(start_.reports);
  callers_.send_guest_away();
  caller_ = Caller::owner;
  is_free_ = true;
  if (is_ending_) kill();
}

/// Kills processes that a trial has left. They may print for a moment first, as those of a program may.
void Kept::end_orphans() {
  const auto until = Clock::now() + kMoment;
  const auto pass_on = [this](Stream stream, std::string_view line) { take_line(stream, std::string(line)); };
  while (!program_->orphans().empty() && Clock::now() < until) program_->pump(kNap, pass_on);
  program_->end_orphans();
}

/// Output between two pieces, of a program that ends, is for nobody.
void Kept::take_line(Stream stream, const std::string& line) {
  if (stream == Stream::report) {
    reports_.take_report_line(line);
  } else {
    if (piece_) say(Printed{stream, line});
    if (stream == Stream::out) reports_.take_output_line(line);
  }
  const auto stamped =
      reports_.stamp_files([this](const std::string& path) { return stamp_of(path_in(start_.files, path)); });
  stamped_.insert(stamped_.end(), stamped.begin(), stamped.end());
  for (const std::string& warning : reports_.take_warnings()) {
    if (piece_) say(Printed{Stream::report, warning});
  }
  if (piece_) tell_fresh();
  if (piece_ && stream == Stream::report) tell_alive();
}

void Kept::tell_fresh() {
  const auto fresh = reports_.take_fresh(piece_->to);
  if (!fresh.empty()) say(Measured{fresh});
}

/// Silence counts until the last report, also one that no value came with.
void Kept::tell_alive() {
  const Clock::time_point now = Clock::now();
  if (now < next_sign_) return;
  say(Alive{});
  next_sign_ = now + kBetweenSigns;
}

void Kept::park() {
  if (!reports_.client().waits) stop();
  finish(true);
}

void Kept::judge_end() {
  if (may_run_again()) return launch();
  reports_.put_results(piece_->from, piece_->to);
  const int status = program_->status();
  const bool asks_again = WIFEXITED(status) && WEXITSTATUS(status) == kRunAgain;
  if (!asks_again) return finish(false, reports_.client().fault);
  if (!start_.facts.empty()) return finish(false, "exit code 85 is for programs of `kind: command`");
  finish(false,
         reports_.checkpoint(start_.reports.last)
             ? fmt::format("the program asked to be run again {} times without a checkpoint of a later step", runs_)
             : "exit code 85 (checkpointed, run me again), but no checkpoint was reported");
}

bool Kept::may_run_again() {
  const int status = program_->status();
  const auto checkpoint = reports_.checkpoint(start_.reports.last);
  if (is_ending_ || !start_.facts.empty() || !WIFEXITED(status) || WEXITSTATUS(status) != kRunAgain || !checkpoint)
    return false;
  if (checkpoint->step > resumed_step_) runs_ = 1;
  if (runs_ >= kMaxRuns) return false;
  resumed_step_ = std::max(resumed_step_, checkpoint->step);
  set_variable(start_.launch, "DLRUN_RESUME", path_in(start_.files, checkpoint->path));
  set_variable(start_.launch, "DLRUN_FROM_STEP", std::to_string(checkpoint->step));
  reports_.go_back(checkpoint->step);
  return true;
}

/// Bytes. What a server holds, its trial has from it.
std::int64_t Kept::held_by(std::set<pid_t> processes) const {
  if (is_server_) processes.erase(program_->pid());
  return memory_of(processes);
}

/// Bytes that the trial's largest process has held.
std::int64_t Kept::peak_rss(const std::set<pid_t>& running) const {
  if (reports_.client().peak_rss > 0) return reports_.client().peak_rss;
  if (!program_) return 0;
  if (has_ended_) return program_->peak_rss();
  return peak_of(reports_.client().done ? std::set{program_->pid()} : running);
}

void Kept::finish(bool is_parked, const std::string& message) {
  const Client& client = reports_.client();
  const Listed listed = has_ended_ || client.done ? std::set<pid_t>() : descendants();
  const std::set<pid_t> running = listed.value_or(std::set<pid_t>());
  PieceOver over;
  over.is_parked = is_parked;
  over.is_oom = client.is_oom;
  over.has_client = client.is_there;
  over.is_free = client.done.has_value();
  over.fault = fault_;
  if (client.done) over.status = *client.done;
  if (has_ended_ && program_) over.status = program_->status();
  over.reports = reports_.of_piece(piece_->from, piece_->to);
  over.names = reports_.names();
  over.beyond = reports_.beyond();
  over.newest = reports_.newest();
  over.repeated = reports_.take_repeated();
  over.peak_rss = peak_rss(running);
  over.held = is_parked ? held_by(running) : 0;
  over.socket = callers_.name();
  over.message = message;
  try {
    over.checkpoint = unchanged(reports_.checkpoint(piece_->to), start_.files, listed);
    over.examples = unchanged(reports_.take_examples(piece_->to), start_.files, listed);
  } catch (const Error& fault) {  // the piece is run again
    over.fault = StartFault::machine;
    over.message = fault.what();
  }
  const std::int64_t step = is_parked ? piece_->to : -1;  // a free interpreter has left the trial too
  piece_.reset();
  if (caller_ == Caller::guest) tell_owner(false, step);
  say(over);
}

}  // namespace dlrun::programs
