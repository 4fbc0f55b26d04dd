// SPDX-License-Identifier: Apache-2.0
#include "driver/mending.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "driver/foreign_weights.hpp"
#include "driver/keeping.hpp"
#include "driver/orders.hpp"
#include "util/error.hpp"
#include "util/sha256.hpp"

namespace dlrun::driver {

namespace {

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

/// Can the failure pass by itself?
bool may_pass(trial::Cause cause) { return cause != trial::Cause::exception && cause != trial::Cause::nan; }

}  // namespace

Mending::Mending(const Parts& parts)
    : parts_(parts), setup_(spec::work_setup(parts.spec, parts.store.artifacts().folder())), repairs_(facts()) {}

Repairs::Facts Mending::facts() {
  return {[this](const std::string& sha256) { return has_artifact(sha256); },
          [this](const std::string& sha256) { return remake(sha256); }};
}

bool Mending::has_artifact(const std::string& sha256) const { return is_whole(parts_.store, setup_, sha256); }

bool Mending::has_all(const std::vector<std::string>& artifacts) const {
  return std::all_of(artifacts.begin(), artifacts.end(), [this](const auto& one) { return has_artifact(one); });
}

/// Finds the piece that made an artifact, to be run again, and tells people about it.
Remake Mending::remake(const std::string& sha256) {
  const trial::InputFile file{trial::artifact_file(setup_, sha256), sha256};
  const bool is_damaged = damaged_.contains(sha256) || std::filesystem::exists(file.path);
  const std::string fault = is_damaged ? "is damaged" : "is missing";
  const auto maker = parts_.store.artifacts().maker_of(sha256);
  if (!maker) throw lost_weights(file, fault, parts_.spec, parts_.store.artifacts().folder().parent_path());
  Remake out;
  out.work.is_repair = true;
  out.work.piece = {maker->key, maker->attempt, maker->from_step, maker->to_step, maker->resume};
  out.reads = trial::artifacts_read(setup_, make_order(out.work, parts_.spec, parts_.study, parts_.store).order);
  const std::string text = fmt::format("its checkpoint '{}' of epoch {} {} (artifact {}): {}", maker->role, maker->step,
                                       fault, short_hash(sha256), span_of(out.work.piece, parts_.spec.kind));
  parts_.display.line(trial::describe(maker->key.member) + ": " + text);
  parts_.side_rows.add_quiet(Remark{.trial = maker->key.member.trial, .text = text}, parts_.clock.now());
  return out;
}

/// Artifacts that work reads. Functions read nothing; later pieces read the artifact they go on from, first ones what
/// they begin with.
std::vector<std::string> Mending::reads_of(const Work& work) const {
  if (parts_.spec.kind == "function") return {};
  const std::string& resume = work.piece.resume;
  const bool begins = work.piece.from_step == 0 || resume.empty();
  if (work.is_test || !begins) return resume.empty() ? std::vector<std::string>() : std::vector{resume};
  return trial::artifacts_read(setup_, make_order(work, parts_.spec, parts_.study, parts_.store).order);
}

void Mending::queue(Work work) {
  const std::vector<std::string> reads = reads_of(work);
  if (has_all(reads)) return parts_.dispatcher.add(std::move(work));
  repairs_.hold(std::move(work), reads);
  queue_free();
}

void Mending::queue_free() {
  for (Work& work : repairs_.take_free()) {
    if (work.is_repair) {
      parts_.dispatcher.put_back(std::move(work));
    } else {
      parts_.dispatcher.add(std::move(work));
    }
  }
}

void Mending::examine(trial::PieceResult& result, const Work& work) {
  if (result.outcome != trial::Outcome::failed || result.cause != trial::Cause::artifact) return;
  bool is_true = false;
  for (const trial::InputFile& input :
       trial::inputs_of(setup_, make_order(work, parts_.spec, parts_.study, parts_.store).order)) {
    const std::string fault = trial::fault_of(input);
    if (fault.empty()) continue;
    is_true = true;
    const bool can_be_made = input.is_stored && parts_.store.artifacts().maker_of(input.sha256);
    if (!can_be_made) throw lost_weights(input, fault, parts_.spec, parts_.store.artifacts().folder().parent_path());
    set_aside(input);
  }
  if (is_true) return;
  result.cause = trial::Cause::machine;
  result.message += "; the driver finds it whole";
}

void Mending::set_aside(const trial::InputFile& input) {
  std::error_code fault;
  std::filesystem::rename(input.path, aside_of(input.path), fault);
  if (fault && std::filesystem::exists(input.path)) {
    throw Error(ErrorKind::outside,
                fmt::format("cannot move the damaged file '{}': {}", input.path.string(), fault.message()));
  }
  if (!fault) damaged_.insert(input.sha256);
}

void Mending::succeeded(trial::PieceResult& result, const Work& work, const std::string& numerics) {
  require_same_bits(result, work, numerics);
  if (!has_all(repairs_.wanted_of(work.attempt()))) {
    result.cause = trial::Cause::machine;
    result.message = "the new file vanished again";
    return failed(result, work);
  }
  repairs_.done(work.attempt());
  parts_.side_rows.add(RepairRow{work.attempt(), work.piece.to_step - work.piece.from_step, result.seconds},
                       parts_.clock.now());
  std::error_code none;
  std::filesystem::remove_all(repair_folder(work, parts_.store), none);
  queue_free();
}

void Mending::failed(trial::PieceResult& result, const Work& work) {
  examine(result, work);
  const bool is_lost = result.cause != trial::Cause::artifact;
  if (is_lost && (!may_pass(result.cause) || repairs_.tries_of(work.attempt()) >= kMostTries)) {
    throw Error(
        may_pass(result.cause) ? ErrorKind::outside : ErrorKind::store,
        fmt::format("{}: {} because of a missing or damaged artifact, but that failed: {}",
                    trial::describe(work.piece.key.member), span_of(work.piece, parts_.spec.kind), result.message),
        "nothing is lost: run this command again when the cause is mended");
  }
  repairs_.again(work.attempt());
  queue_free();
}

/// Refuses a repair with other bits: another machine or build may round otherwise, and a program need not be
/// deterministic.
void Mending::require_same_bits(const trial::PieceResult& result, const Work& work, const std::string& numerics) {
  for (const std::string& sha256 : repairs_.wanted_of(work.attempt())) {
    const auto same = std::find_if(result.artifacts.begin(), result.artifacts.end(),
                                   [&](const trial::Artifact& made) { return made.sha256 == sha256; });
    if (same == result.artifacts.end()) refuse_other_bits(sha256, work, numerics);
    std::error_code none;
    if (damaged_.erase(sha256) > 0) std::filesystem::remove(aside_of(trial::artifact_file(setup_, sha256)), none);
  }
}

void Mending::refuse_other_bits(const std::string& sha256, const Work& work, const std::string& numerics) {
  const auto maker = parts_.store.artifacts().maker_of(sha256);
  const std::string then = maker ? maker->numerics : std::string();
  const std::string why = parts_.spec.kind != "train"
                              ? "the program is not deterministic, or a file that it reads has changed"
                          : then != numerics && !then.empty() && !numerics.empty()
                              ? fmt::format("it was trained with {}, now with {}", then, numerics)
                              : "what it was trained with is not what it was";
  const trial::Member& member = work.piece.key.member;
  throw Error(ErrorKind::store,
              fmt::format("{}: artifact {} cannot be brought back: {}, and the result has other bits; {}",
                          trial::describe(member), short_hash(sha256), span_of(work.piece, parts_.spec.kind), why),
              fmt::format("bring back the file from a copy of the store; `dlrun reproduce {}/{}` shows what differs",
                          parts_.spec.name, member.trial.value));
}

void Mending::mend(const std::string& sha256, bool reads_it) {
  const trial::InputFile file{trial::artifact_file(setup_, sha256), sha256};
  try {
    const bool is_readable = reads_it && has_artifact(sha256) && parts_.store.artifacts().maker_of(sha256);
    if (is_readable && !trial::fault_of(file).empty()) set_aside(file);
    repairs_.want(sha256);
  } catch (const Error& fault) {
    parts_.display.line(
        fmt::format("warning: artifact {} is missing or damaged: {}", short_hash(sha256), fault.what()));
  }
}

void Mending::mend(const std::vector<std::string>& kept) {
  for (const std::string& sha256 : kept) mend(sha256, false);
  for (std::size_t i = 0; repairs_.has_begun() && i < kept.size(); ++i) mend(kept[i], true);
  queue_free();
}

}  // namespace dlrun::driver
