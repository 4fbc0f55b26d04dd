// SPDX-License-Identifier: Apache-2.0
// Artifacts that are missing or damaged: found before a piece leaves, or by the worker that read them, and made again
// by this run's workers. The study hears nothing of it.
#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "driver/foreign_weights.hpp"
#include "driver/keeping.hpp"
#include "driver/loop.hpp"
#include "trial/artifacts.hpp"
#include "util/sha256.hpp"

namespace dlrun::driver {

namespace {

constexpr int kMostTries = 3;  ///< of a repair whose worker is lost

/// "epochs 4 to 9 are trained again"
std::string span_of(const study::StartPiece& piece, const std::string& kind) {
  const bool trains = kind == "train";
  const std::int64_t first = piece.from_step + 1;
  const std::string steps = first == piece.to_step
                                ? fmt::format("{} {} is", trains ? "epoch" : "step", first)
                                : fmt::format("{} {} to {} are", trains ? "epochs" : "steps", first, piece.to_step);
  return steps + (trains ? " trained again" : " run again");
}

std::filesystem::path aside_of(const std::filesystem::path& file) {
  return file.parent_path() / ("damaged-" + file.filename().string());
}

/// May pass by itself.
bool may_pass(trial::Cause cause) { return cause != trial::Cause::exception && cause != trial::Cause::nan; }

}  // namespace

Repairs::Facts Loop::repair_facts() {
  return {[this](const std::string& sha256) { return has_artifact(sha256); },
          [this](const std::string& sha256) { return remake(sha256); }};
}

bool Loop::has_artifact(const std::string& sha256) const { return is_whole(store_, setup_, sha256); }

bool Loop::has_all(const std::vector<std::string>& artifacts) const {
  return std::all_of(artifacts.begin(), artifacts.end(), [this](const auto& one) { return has_artifact(one); });
}

/// The piece to be run again, which is told to people.
Remake Loop::remake(const std::string& sha256) {
  const trial::InputFile file{trial::artifact_file(setup_, sha256), sha256};
  const bool is_damaged = damaged_.contains(sha256) || std::filesystem::exists(file.path);
  const std::string fault = is_damaged ? "is damaged" : "is missing";
  const auto maker = store_.maker_of(sha256);
  if (!maker) throw lost_weights(file, fault, spec_, store_.artifacts().parent_path());
  Remake out;
  out.work.is_repair = true;
  out.work.piece = {maker->key, maker->attempt, maker->from_step, maker->to_step, maker->resume};
  out.reads = trial::artifacts_read(setup_, make_order(out.work, spec_, study_, store_).order);
  const std::string text = fmt::format("its checkpoint '{}' of epoch {} {} (artifact {}): {}", maker->role, maker->step,
                                       fault, short_hash(sha256), span_of(out.work.piece, spec_.kind));
  display_.line(trial::describe(maker->key.member) + ": " + text);
  side_rows_.add_quiet(Remark{.trial = maker->key.member.trial, .text = text}, clock_.now());
  return out;
}

/// Functions read nothing. Later pieces read the artifact they go on from, first ones what they begin with.
std::vector<std::string> Loop::reads_of(const Work& work) const {
  if (spec_.kind == "function") return {};
  if (work.is_test || work.piece.from_step > 0 || spec_.kind != "train") {
    return work.piece.resume.empty() ? std::vector<std::string>() : std::vector{work.piece.resume};
  }
  return trial::artifacts_read(setup_, make_order(work, spec_, study_, store_).order);
}

/// To the dispatcher, once all that it reads is there.
void Loop::queue(Work work) {
  const std::vector<std::string> reads = reads_of(work);
  if (has_all(reads)) return dispatcher_.add(std::move(work));
  repairs_.add(std::move(work), reads);
  queue_free();
}

void Loop::queue_free() {
  for (Work& work : repairs_.take_free()) {
    if (work.is_repair) {
      dispatcher_.put_back(std::move(work));
    } else {
      dispatcher_.add(std::move(work));
    }
  }
}

/// The worker says that an input is missing or damaged; this driver's own look decides. A damaged file is moved aside
/// and stays until it is made again.
void Loop::examine(trial::PieceResult& result, const Work& work) {
  if (result.outcome != trial::Outcome::failed || result.cause != trial::Cause::artifact) return;
  bool is_true = false;
  for (const trial::InputFile& input : trial::inputs_of(setup_, make_order(work, spec_, study_, store_).order)) {
    const std::string fault = trial::fault_of(input);
    if (fault.empty()) continue;
    is_true = true;
    const bool can_be_made = input.is_stored && store_.maker_of(input.sha256);
    if (!can_be_made) throw lost_weights(input, fault, spec_, store_.artifacts().parent_path());
    set_aside(input);
  }
  if (is_true) return;
  result.cause = trial::Cause::machine;
  result.message += "; the driver finds it whole";
}

void Loop::set_aside(const trial::InputFile& input) {
  std::error_code fault;
  std::filesystem::rename(input.path, aside_of(input.path), fault);
  if (fault && std::filesystem::exists(input.path)) {
    throw Error(ErrorKind::outside,
                fmt::format("cannot move the damaged file '{}': {}", input.path.string(), fault.message()));
  }
  if (!fault) damaged_.insert(input.sha256);
}

/// A piece that was run again has ended.
void Loop::take_repaired(executor::ResultCame& came, const Work& work) {
  trial::PieceResult& result = came.result;
  executor_.send(came.worker, protocol::Ack{result.key, result.attempt});
  if (result.outcome == trial::Outcome::failed) {
    blame_.lost(came.worker, result.key, result.cause, clock_.now());
    tell_news();
    return try_repair_again(work, result);
  }
  blame_.succeeded(came.worker, result.key);
  require_same_bits(result, work);
  if (!has_all(repairs_.wanted_of(work.attempt()))) {
    result.cause = trial::Cause::machine;
    result.message = "the new file vanished again";
    return try_repair_again(work, result);
  }
  repairs_.done(work.attempt());
  side_rows_.add(RepairRow{work.attempt(), work.piece.to_step - work.piece.from_step, result.seconds}, clock_.now());
  std::error_code none;
  std::filesystem::remove_all(repair_folder(work, store_), none);
  queue_free();
}

void Loop::try_repair_again(const Work& work, trial::PieceResult& result) {
  examine(result, work);
  const bool is_lost = result.cause != trial::Cause::artifact;
  if (is_lost && (!may_pass(result.cause) || repairs_.tries_of(work.attempt()) >= kMostTries)) {
    throw Error(may_pass(result.cause) ? ErrorKind::outside : ErrorKind::store,
                fmt::format("{}: {} because of a missing or damaged artifact, but that failed: {}",
                            trial::describe(work.piece.key.member), span_of(work.piece, spec_.kind), result.message),
                "nothing is lost: run this command again when the cause is mended");
  }
  repairs_.again(work.attempt());
  queue_free();
}

/// Another machine or another build may round otherwise, and a program need not be deterministic.
void Loop::require_same_bits(const trial::PieceResult& result, const Work& work) {
  for (const std::string& sha256 : repairs_.wanted_of(work.attempt())) {
    const auto same = std::find_if(result.artifacts.begin(), result.artifacts.end(),
                                   [&](const trial::Artifact& made) { return made.sha256 == sha256; });
    if (same == result.artifacts.end()) refuse_other_bits(sha256, work);
    std::error_code none;
    if (damaged_.erase(sha256) > 0) std::filesystem::remove(aside_of(trial::artifact_file(setup_, sha256)), none);
  }
}

void Loop::refuse_other_bits(const std::string& sha256, const Work& work) {
  const auto maker = store_.maker_of(sha256);
  const std::string then = maker ? maker->numerics : std::string(), now = numerics_.value_or("");
  const std::string why =
      spec_.kind != "train" ? "the program is not deterministic, or a file that it reads has changed"
      : then != now && !then.empty() && !now.empty() ? fmt::format("it was trained with {}, now with {}", then, now)
                                                     : "what it was trained with is not what it was";
  const trial::Member& member = work.piece.key.member;
  throw Error(ErrorKind::store,
              fmt::format("{}: artifact {} cannot be brought back: {}, and the result has other bits; {}",
                          trial::describe(member), short_hash(sha256), span_of(work.piece, spec_.kind), why),
              fmt::format("bring back the file from a copy of the store; `dlrun reproduce {}/{}` shows what differs",
                          spec_.name, member.trial.value));
}

/// An artifact that the study keeps. One that cannot be made again is named, and is no reason to end otherwise.
void Loop::mend(const std::string& sha256, bool reads_it) {
  const trial::InputFile file{trial::artifact_file(setup_, sha256), sha256};
  try {
    const bool is_readable = reads_it && has_artifact(sha256) && store_.maker_of(sha256);
    if (is_readable && !trial::fault_of(file).empty()) set_aside(file);
    repairs_.want(sha256);
  } catch (const Error& fault) {
    display_.line(fmt::format("warning: artifact {} is missing or damaged: {}", short_hash(sha256), fault.what()));
  }
}

/// Makes whole what a finished study keeps. Contents are read only where something was found in this run.
void Loop::mend_kept() {
  if (spec_.kind == "function" || ending_.has_begun()) return;
  const std::vector<std::string> kept = store_.kept_artifacts(keep_policy(spec_, study_));
  for (const std::string& sha256 : kept) mend(sha256, false);
  for (std::size_t i = 0; repairs_.has_begun() && i < kept.size(); ++i) mend(kept[i], true);
  queue_free();
  while (!repairs_.is_idle() && !ending_.has_begun()) round();
}

}  // namespace dlrun::driver
