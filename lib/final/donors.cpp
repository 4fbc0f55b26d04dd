// SPDX-License-Identifier: Apache-2.0
#include "final/donors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "driver/restoring.hpp"
#include "report/trial_reader.hpp"
#include "storage/artifact_files.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "storage/store.hpp"
#include "tensors/weights.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace dlrun::final {

namespace {

/// A checkpoint with what was measured at its epoch.
struct Measured {
  std::string role, sha256;
  std::int64_t epoch = 0;
  bool is_deleted = false;
  std::optional<double> value;
};

/// Checkpoints of each fold, by its number.
using OfFolds = std::map<int, std::vector<Measured>>;

std::map<std::int64_t, OfFolds> checkpoints_of(storage::Database& study, const std::string& metric) {
  storage::Statement rows = study.prepare(
      "SELECT a.trial, a.role, a.step, a.sha256, a.deleted IS NOT NULL, m.value, a.fold FROM v_artifacts a LEFT JOIN "
      "v_metrics m ON m.trial = a.trial AND m.replicate = a.replicate AND m.fold = a.fold AND m.step = a.step AND "
      "m.metric = ?1 "
      "WHERE a.replicate = 0 AND a.role IN ('last', 'best', 'epoch') "
      "ORDER BY a.trial, a.step, a.piece, a.attempt");
  rows.bind(metric);
  std::map<std::int64_t, OfFolds> out;
  while (rows.step()) {
    const int fold = int(rows.integer(6));
    Measured one{std::string(rows.text(1)), std::string(rows.text(3)), rows.integer(2), rows.integer(4) != 0, {}};
    if (!rows.is_null(5)) one.value = rows.real(5);
    out[rows.integer(0)][fold].push_back(std::move(one));
  }
  return out;
}

/// Trials that are never the best, and so give no weights either, with the reason.
std::map<std::int64_t, std::string> unfit_trials(storage::Database& study) {
  storage::Statement rows = study.prepare(
      "SELECT trial, CASE WHEN violation > 0 THEN 'it is infeasible' WHEN state = 'failed' THEN 'it failed' "
      "ELSE 'it was cancelled' END FROM v_trials WHERE state IN ('failed', 'cancelled') OR violation > 0");
  std::map<std::int64_t, std::string> out;
  while (rows.step()) out[rows.integer(0)] = rows.text(1);
  return out;
}

/// Checkpoint that is read; nullptr: there is none.
const Measured* wanted(const std::vector<Measured>& all, const Reading& reading) {
  const Measured* found = nullptr;
  for (const Measured& one : all) {
    const bool is_it = reading.epoch ? one.epoch == *reading.epoch : one.role == reading.role;
    if (is_it && (found == nullptr || !one.is_deleted)) found = &one;  // the newest that is there
  }
  return found;
}

std::int64_t horizon_of(const Json& config) {
  const Json horizon = config.value("horizon", Json());
  return horizon.is_number() ? horizon.get<std::int64_t>() : config.value("epochs", std::int64_t(0));
}

/// Names and shapes, but not of optimisers.
std::string donor_form(const std::filesystem::path& file) {
  const tensors::SafeTensors content(read_file(file), "'" + file.string() + "'");
  Json form = Json::object();
  for (const tensors::TensorView& view : tensors::weights_of(content)) form[view.name] = view.shape;
  return to_text(form);
}

}  // namespace

std::filesystem::path file_of(const std::filesystem::path& store, const warmstart::Donor& donor) {
  const auto files = storage::files_of(store / "artifacts", donor.sha256);
  return files.empty() ? storage::checkpoint_file(store, donor.sha256) : files.front();
}

Json to_json(const warmstart::Donor& donor) {
  Json out = {{"sha256", donor.sha256}, {"study", donor.study}, {"trial", donor.trial}, {"epoch", donor.epoch}};
  for (const warmstart::Donor& fold : donor.folds)
    out["folds"].push_back({{"sha256", fold.sha256}, {"epoch", fold.epoch}, {"value", fold.value.value()}});
  if (donor.horizon > 0) out["horizon"] = donor.horizon;
  if (donor.value) out["value"] = *donor.value;
  return out;
}

namespace {

/// A donor whose file is gone is no worse than the others: the next best would be another training.
void require_file(const std::filesystem::path& store, const warmstart::Donor& donor) {
  for (const warmstart::Donor& fold : donor.folds) require_file(store, fold);
  if (std::filesystem::exists(file_of(store, donor))) return;
  throw Error(ErrorKind::store,
              fmt::format("artifact {} is missing: it is the checkpoint of trial {}/{} at epoch {}",
                          short_hash(donor.sha256), donor.study, donor.trial, donor.epoch),
              driver::restore_hint(donor.study, donor.trial, store) + "; then run this command again");
}

/// Reason for which a fold gives nothing; empty: it gives its checkpoint.
std::string refusal(const Measured* found, const Reading& reading) {
  if (found == nullptr && reading.epoch)
    return fmt::format("no checkpoint after epoch {0} (`keep: {{epochs: [{0}]}}` of the search keeps one)",
                       *reading.epoch);
  if (found == nullptr) return "no such checkpoint";
  if (!found->value) return fmt::format("{} was not measured after epoch {}", reading.metric, found->epoch);
  return found->is_deleted ? "its checkpoint was given up (`keep:` says whose stay)" : std::string();
}

/// The donor that a trial's checkpoints make, or why they make none.
struct Offer {
  warmstart::Donor donor;
  std::string refusal;
};

/// The mean of several folds counts. REQUIRES: there are checkpoints
Offer offer_of(const OfFolds& all, std::size_t folds, const warmstart::Donor& known, const Reading& reading) {
  Offer out{known, all.size() < folds ? "not every fold left a checkpoint" : ""};
  double sum = 0;
  for (const auto& [fold, checkpoints] : all) {
    const Measured* found = wanted(checkpoints, reading);
    const std::string refused = refusal(found, reading);
    if (out.refusal.empty()) out.refusal = refused;
    if (found != nullptr) out.donor.value = found->value;
    if (!refused.empty()) return out;
    warmstart::Donor one = known;
    one.sha256 = found->sha256, one.fold = fold, one.epoch = found->epoch, one.value = found->value;
    out.donor.folds.push_back(std::move(one));
    sum += *found->value;
  }
  const warmstart::Donor& first = out.donor.folds.front();
  out.donor.sha256 = first.sha256, out.donor.epoch = first.epoch, out.donor.value = sum / double(all.size());
  if (all.size() == 1) out.donor.folds.clear();
  return out;
}

std::size_t folds_of(const std::filesystem::path& store, const std::string& study) {
  const auto row = storage::Store::find(store, study);
  return row ? std::size_t(row->spec.at("trial").value("folds", 1)) : 1;
}

}  // namespace

RankedDonors rank_donors(const std::filesystem::path& store, const std::string& study, const Reading& reading) {
  RankedDonors out;
  const std::size_t folds = folds_of(store, study);
  const auto database = storage::open_for_reading(storage::study_file(store, study, ".db"));
  const auto unfit = unfit_trials(*database);
  for (const auto& [trial, all] : checkpoints_of(*database, reading.metric)) {
    Offer one = offer_of(all, folds, {.study = study, .trial = trial}, reading);
    if (const auto reason = unfit.find(trial); reason != unfit.end()) one.refusal = reason->second;
    if (!one.refusal.empty()) {
      out.refused.push_back({trial, one.donor.value, one.refusal});
      continue;
    }
    require_file(store, one.donor);
    out.donors.push_back(std::move(one.donor));
  }
  std::stable_sort(out.donors.begin(), out.donors.end(), [&](const auto& a, const auto& b) {
    return reading.maximize ? *a.value > *b.value : *a.value < *b.value;
  });
  return out;
}

std::vector<Refused> best_first(std::vector<Refused> refused, bool maximize) {
  std::stable_sort(refused.begin(), refused.end(), [&](const Refused& a, const Refused& b) {
    if (!a.value || !b.value) return a.value.has_value() && !b.value;
    return maximize ? *a.value > *b.value : *a.value < *b.value;
  });
  return refused;
}

void keep_alike(const std::filesystem::path& store, RankedDonors& ranked, std::size_t count) {
  if (ranked.donors.empty()) return;
  const std::string form = donor_form(file_of(store, ranked.donors.front()));
  std::vector<warmstart::Donor> kept;
  for (const warmstart::Donor& donor : ranked.donors) {
    if (kept.size() >= count) break;
    if (donor_form(file_of(store, donor)) == form) {
      kept.push_back(donor);
    } else {
      ranked.refused.push_back({donor.trial, donor.value, "its tensors have other names or shapes"});
    }
  }
  for (warmstart::Donor& donor : kept)
    donor.horizon = horizon_of(report::TrialReader(store, {donor.study, donor.trial}).config());
  ranked.donors = std::move(kept);
}

}  // namespace dlrun::final
