// SPDX-License-Identifier: Apache-2.0
#include "final/checkpoint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <optional>
#include <vector>

#include "driver/restoring.hpp"
#include "storage/artifact_files.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "storage/store.hpp"
#include "tensors/weights.hpp"
#include "trial/artifacts.hpp"
#include "trial/kinds.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace dlrun::final {

namespace {

/// Roles or epoch of the checkpoints that fit the request, and whether kept ones come first.
struct Wanted {
  const char* roles = "'last', 'best'";
  std::optional<std::int64_t> step;
  bool prefers_kept = false;
};

Wanted wanted_by(const std::string& epoch) {
  if (epoch.empty()) return {.prefers_kept = true};
  if (epoch == "best") return {};
  if (epoch == "last") return {.roles = "'last'"};
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(epoch.data(), epoch.data() + epoch.size(), number);
  if (fault == std::errc() && end == epoch.data() + epoch.size() && number >= 0)
    return {.roles = "'last', 'best', 'epoch'", .step = number, .prefers_kept = true};
  throw Error(ErrorKind::usage, fmt::format("--epoch {}: there is no such epoch", epoch), "best, last, or a number");
}

struct Found {
  Checkpoint checkpoint;
  bool is_given_up = false;
};

std::unique_ptr<storage::Database> open(const std::filesystem::path& store, const report::OneTrial& trial) {
  return storage::open_for_reading(storage::study_file(store, trial.study, ".db"));
}

/// The first of the wanted checkpoints; nullopt: the trial has left none.
std::optional<Found> find(const std::filesystem::path& store, const report::OneTrial& trial, const Wanted& wanted) {
  const auto database = open(store, trial);
  storage::Statement row = database->prepare(
      fmt::format("SELECT role, step, sha256, deleted IS NOT NULL AS given_up, replicate, fold FROM v_artifacts "
                  "WHERE trial = ?1 AND role IN ({}) AND (?2 IS NULL OR step = ?2) "
                  "ORDER BY {} role, replicate, fold, piece DESC, attempt DESC LIMIT 1",
                  wanted.roles, wanted.prefers_kept ? "given_up," : ""));
  if (!row.bind(trial.number, wanted.step).step()) return std::nullopt;
  const trial::Member member{trial::TrialId(trial.number), int(row.integer(4)), int(row.integer(5))};
  return Found{{std::string(row.text(0)), row.integer(1), std::string(row.text(2)), member}, row.integer(3) != 0};
}

/// Epochs whose checkpoints are still there.
std::vector<std::int64_t> epochs_left(const std::filesystem::path& store, const report::OneTrial& trial) {
  const auto database = open(store, trial);
  storage::Statement rows = database->prepare(
      "SELECT DISTINCT step FROM v_artifacts WHERE trial = ? AND role IN ('last', 'best', 'epoch') AND deleted IS NULL "
      "ORDER BY step");
  rows.bind(trial.number);
  std::vector<std::int64_t> epochs;
  while (rows.step()) epochs.push_back(rows.integer(0));
  return epochs;
}

[[noreturn]] void refuse_weights(const std::filesystem::path& store, const report::OneTrial& trial,
                                 const std::string& message) {
  const std::vector<std::int64_t> left = epochs_left(store, trial);
  const std::string name = fmt::format("{}/{}", trial.study, trial.number);
  throw Error(ErrorKind::not_found, message,
              left.empty()
                  ? "`keep:` in the study says whose stay; `dlrun show " + name + " --yaml` runs the trial again"
                  : fmt::format("still there: epoch {}; --epoch N takes one of them", fmt::join(left, ", ")));
}

std::filesystem::path stored_file(const std::filesystem::path& store, const report::OneTrial& trial,
                                  const Checkpoint& checkpoint) {
  const auto files = storage::files_of(store / "artifacts", checkpoint.sha256);
  if (!files.empty()) return files.front();
  throw Error(ErrorKind::store,
              fmt::format("artifact {} is missing: it is the checkpoint of trial {}/{} at epoch {}",
                          short_hash(checkpoint.sha256), trial.study, trial.number, checkpoint.step),
              driver::restore_hint(trial.study, trial.number, store));
}

std::string read_artifact(const std::filesystem::path& path, const std::string& sha256) {
  std::string bytes = read_file(path);
  if (Sha256::hex_of(bytes) == sha256) return bytes;
  throw Error(ErrorKind::store, "artifact '" + path.string() + "' is damaged: its content does not match its name");
}

/// How trials of this kind leave a checkpoint.
std::string reporting(const std::filesystem::path& store, const std::string& study) {
  const Json trial = storage::Store::find(store, study).value().spec.at("trial");
  return trial::runs_program(trial.at("kind").get<std::string>()) ? kReporting
                                                                  : "trials of kind train leave one when they have run";
}

}  // namespace

Checkpoint checkpoint_of(const std::filesystem::path& store, const report::OneTrial& trial, const std::string& epoch) {
  const std::string name = fmt::format("{}/{}", trial.study, trial.number);
  std::optional<Found> found = find(store, trial, wanted_by(epoch));
  if (!found) {
    if (find(store, trial, wanted_by("best")))
      refuse_weights(store, trial, fmt::format("trial {} has no checkpoint of epoch {}", name, epoch));
    throw Error(ErrorKind::not_found, fmt::format("trial {} has no checkpoint", name), reporting(store, trial.study));
  }
  if (found->is_given_up) refuse_weights(store, trial, fmt::format("the checkpoint of trial {} was given up", name));
  return std::move(found->checkpoint);
}

Checkpoint copy_checkpoint(const std::filesystem::path& store, const report::OneTrial& trial, const std::string& epoch,
                           const std::filesystem::path& target) {
  constexpr unsigned kMode = 0644;
  Checkpoint from = checkpoint_of(store, trial, epoch);
  const std::filesystem::path file = stored_file(store, trial, from);
  trial::require_sound(file, from.sha256);
  trial::copy_artifact(file, target, from.sha256, kMode);
  return from;
}

Weights weights_of(const std::filesystem::path& store, const report::OneTrial& trial, const std::string& epoch) {
  Checkpoint from = checkpoint_of(store, trial, epoch);
  const std::string what = fmt::format("the checkpoint of trial {}/{}", trial.study, trial.number);
  const std::filesystem::path stored = stored_file(store, trial, from);
  if (stored.extension() != ".safetensors")
    throw Error(ErrorKind::usage, what + " is a program's own file, in which dlrun knows no tensors",
                "`dlrun export --checkpoint` takes it out as it is");
  const tensors::SafeTensors file(read_artifact(stored, from.sha256), what);
  const std::vector<tensors::TensorView> weights = tensors::weights_of(file);
  return {tensors::write_safetensors(weights, {{"format", "pt"}}), weights.size(), std::move(from)};
}

}  // namespace dlrun::final
