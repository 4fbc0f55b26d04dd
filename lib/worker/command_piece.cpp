// SPDX-License-Identifier: Apache-2.0
#include "worker/command_piece.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <cmath>
#include <utility>

#include "programs/examples.hpp"
#include "programs/rendezvous.hpp"
#include "trial/artifacts.hpp"
#include "util/cgroup.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "worker/signals.hpp"

namespace dlrun::worker {

namespace {

using programs::Keeper;
using programs::Printed;
using programs::StartFault;
using programs::Stream;
using trial::Host;
using trial::PieceOrder;
using trial::PieceResult;

constexpr std::size_t kMostSaid = 200;  ///< bytes of the program's last line in a message

/// Failures that a checkpoint may bring about which cannot be loaded; `timeout` is that of a program which hangs there.
bool is_by_program(trial::Cause cause) {
  using enum trial::Cause;
  return cause == exception || cause == signal || cause == oom || cause == timeout;
}

}  // namespace

CommandPiece::CommandPiece(const trial::WorkSetup& setup, const PieceOrder& order, Host& host)
    : setup_(setup),
      order_(order),
      host_(host),
      settings_(read_command(order.sets.empty() ? setup.trial : trial::configured(setup.trial, order.sets))) {
  if (settings_.epochs == 0) settings_.epochs = order.to_step;
  result_.key = order.key;
  result_.attempt = order.attempt;
}

PieceResult CommandPiece::run(programs::Channel& keeper) {
  kills_before_ = oom_kills();
  silence_.end();  // an import may have taken longer
  programs::begin_progress(order_.folder, goes_on_from_);
  over_ = programs::run_piece(keeper, {order_.from_step, order_.to_step, order_.folder}, listener());
  if (is_stopped_) throw trial::Stopped{};
  if (!over_.is_lost) require_start();
  if (goes_on_from_ && !over_.is_lost) add_earlier();
  for (const trial::Report& report : over_.reports) note_divergence(report);
  judge();
  if (result_.outcome != trial::Outcome::completed && is_to_stop()) throw trial::Stopped{};
  result_.reports = over_.reports;
  result_.peak_rss = over_.peak_rss;
  result_.repeated = over_.repeated;
  if (result_.outcome != trial::Outcome::failed) keep_files();
  return result_;
}

/// The signal that asks a worker to end may be for its whole job: then the program can have ended before it was asked,
/// and even before the thread that serves the worker's connection has taken the signal.
bool CommandPiece::is_to_stop() const {
  constexpr int kMostNaps = 1000;  // each takes a millisecond
  for (int nap = 0; nap < kMostNaps && !host_.is_stopping() && Signals::is_pending(); ++nap) ::poll(nullptr, 0, 1);
  return host_.is_stopping();
}

void CommandPiece::judge() {
  if (silence_.was_too_long()) heard_.silence = silence_.text();
  heard_.wanted_memory = oom_kills() > kills_before_;
  const Verdict verdict = verdict_of(over_, heard_, {setup_, order_, settings_.epochs});
  result_.outcome = verdict.outcome;
  result_.cause = verdict.cause;
  result_.message = verdict.outcome == trial::Outcome::failed ? verdict.message : remark();
}

std::string CommandPiece::parked_at() const {
  return over_.is_parked && result_.outcome != trial::Outcome::failed ? over_.socket : std::string();
}

Waiting CommandPiece::waiting(std::unique_ptr<Keeper> keeper) const {
  const double objective = last_objective();
  return {std::move(keeper), order_.to_step, setup_.maximize ? -objective : objective, over_.held};
}

programs::Start CommandPiece::prepare() {
  const FirstFiles files = go_on() ? files_of_progress() : first_files();
  if (!settings_.function || settings_.folder.empty()) make_folders(order_.folder);  // a function's client makes it
  if (!settings_.function) write_params(setup_, order_, settings_);
  return start_of(setup_, order_, settings_, files);
}

bool CommandPiece::has_client() const { return over_.has_client; }

bool CommandPiece::was_heard() const { return was_heard_ || !over_.is_lost; }

bool CommandPiece::has_freed() const { return over_.is_free; }

bool CommandPiece::could_not_go_on() const {
  if (!goes_on_from_ || result_.outcome != trial::Outcome::failed) return false;
  return is_by_program(result_.cause) && over_.newest <= goes_on_from_->checkpoint.step;
}

bool CommandPiece::go_on() {
  if (order_.partial.empty()) return false;
  goes_on_from_ = programs::read_progress(order_.partial, {order_.from_step, order_.to_step, setup_.needed});
  if (!goes_on_from_) {
    host_.log("dlrun: no checkpoint of the earlier attempt counts, so all steps of the piece are run again");
    return false;
  }
  host_.log(fmt::format("dlrun: goes on from '{}' of an earlier attempt, after step {}", goes_on_from_->checkpoint.path,
                        goes_on_from_->checkpoint.step));
  for (const trial::Report& report : goes_on_from_->reports) host_.report(report);
  return true;
}

FirstFiles CommandPiece::files_of_progress() const {
  return {.resume = goes_on_from_->checkpoint.path, .resume_step = goes_on_from_->checkpoint.step, .init = {}};
}

void CommandPiece::add_earlier() {
  const std::vector<trial::Report>& earlier = goes_on_from_->reports;
  over_.reports.insert(over_.reports.begin(), earlier.begin(), earlier.end());
  if (!over_.checkpoint) over_.checkpoint = goes_on_from_->checkpoint;
  if (!over_.examples) over_.examples = goes_on_from_->examples;
}

FirstFiles CommandPiece::first_files() const {
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

programs::Listener CommandPiece::listener() {
  return {.printed = [this](const Printed& printed) { note_printed(printed); },
          .measured =
              [this](const trial::Report& report) {
                host_.report(report);
                note_divergence(report);
              },
          .wants_end = [this] { return wants_end(); },
          .heard = [this] { hear(); }};
}

void CommandPiece::hear() {
  was_heard_ = true;
  silence_.end();
}

void CommandPiece::note_printed(const Printed& printed) {
  host_.step();
  host_.log(printed.line);
  if (printed.stream == Stream::report) heard_.has_warned = true;
  const bool is_blank = printed.line.find_first_not_of(" \t\r") == std::string::npos;
  if (printed.stream != Stream::err || is_blank) return;
  heard_.last_error = printed.line.substr(0, kMostSaid);
  if (programs::is_port_fault(printed.line) && (setup_.gpus > 0 || setup_.nodes > 1))
    heard_.port_fault = heard_.last_error;
}

std::optional<double> CommandPiece::wants_end() {
  is_stopped_ = is_stopped_ || host_.is_stopping();
  if (is_stopped_) return settings_.grace;
  if (silence_.is_too_long()) return settings_.grace;
  return heard_.diverged.empty() ? std::nullopt : std::optional(0.0);
}

void CommandPiece::note_divergence(const trial::Report& report) {
  for (const trial::Metric& metric : report.metrics) {
    if (metric.name != setup_.metric || std::isfinite(metric.value) || !heard_.diverged.empty()) continue;
    heard_.diverged =
        fmt::format("{} is {} at step {}", metric.name, std::isnan(metric.value) ? "nan" : "infinite", report.step);
  }
}

void CommandPiece::require_start() const {
  if (over_.fault == StartFault::none) return;
  const bool is_by_trial =
      settings_.shell || (!settings_.function && settings_.command[0].find('{') != std::string::npos);
  throw Error(is_by_trial && over_.fault == StartFault::program ? ErrorKind::usage : ErrorKind::outside, over_.message);
}

double CommandPiece::last_objective() const {
  double value = 0;
  for (const trial::Report& report : over_.reports) {
    for (const trial::Metric& metric : report.metrics) value = metric.name == setup_.metric ? metric.value : value;
  }
  return value;
}

void CommandPiece::keep_files() {
  if (const auto& last = over_.checkpoint) {
    result_.artifacts.push_back(
        trial::keep_artifact(setup_.artifacts, {last->path, "last", last->step, settings_.largest_checkpoint}));
  }
  if (over_.examples) keep_examples(*over_.examples);
}

void CommandPiece::keep_examples(const programs::Checkpoint& file) {
  const trial::Artifact kept =
      trial::keep_artifact(setup_.artifacts, {file.path, trial::kExamples, file.step, programs::kMostExampleBytes});
  programs::count_examples(trial::artifact_path(setup_.artifacts, kept.sha256));
  result_.artifacts.push_back(kept);
}

std::string CommandPiece::remark() const {
  if (over_.beyond == 0) return {};
  return fmt::format(
      "the program reported values up to step {}, but those after step {} do not count: `epochs: {}` says "
      "how many steps a trial has",
      over_.beyond, order_.to_step, settings_.epochs);
}

}  // namespace dlrun::worker
