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

std::map<std::int64_t, std::vector<Measured>> checkpoints_of(const std::filesystem::path& store,
                                                             const std::string& study, const std::string& metric) {
  const auto database = storage::open_for_reading(storage::study_file(store, study, ".db"));
  storage::Statement rows = database->prepare(
      "SELECT a.trial, a.role, a.step, a.sha256, a.deleted IS NOT NULL, m.value FROM v_artifacts a LEFT JOIN v_metrics "
      "m "
      "ON m.trial = a.trial AND m.replicate = a.replicate AND m.fold = a.fold AND m.step = a.step AND m.metric = ?1 "
      "WHERE a.replicate = 0 AND a.fold = 0 AND a.role IN ('last', 'best', 'epoch') "
      "ORDER BY a.trial, a.step, a.piece, a.attempt");
  rows.bind(metric);
  std::map<std::int64_t, std::vector<Measured>> out;
  while (rows.step()) {
    Measured one{std::string(rows.text(1)), std::string(rows.text(3)), rows.integer(2), rows.integer(4) != 0, {}};
    if (!rows.is_null(5)) one.value = rows.real(5);
    out[rows.integer(0)].push_back(std::move(one));
  }
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
  if (donor.horizon > 0) out["horizon"] = donor.horizon;
  if (donor.value) out["value"] = *donor.value;
  return out;
}

namespace {

/// A donor whose file is gone is no worse than the others: the next best would be another training.
void require_file(const std::filesystem::path& store, const warmstart::Donor& donor) {
  if (std::filesystem::exists(file_of(store, donor))) return;
  throw Error(ErrorKind::store,
              fmt::format("artifact {} is missing: it is the checkpoint of trial {}/{} at epoch {}",
                          short_hash(donor.sha256), donor.study, donor.trial, donor.epoch),
              driver::restore_hint(donor.study, donor.trial, store) + "; then run this command again");
}

}  // namespace

RankedDonors rank_donors(const std::filesystem::path& store, const std::string& study, const Reading& reading) {
  RankedDonors out;
  for (const auto& [trial, all] : checkpoints_of(store, study, reading.metric)) {
    const Measured* found = wanted(all, reading);
    const auto refuse = [&, number = trial](const std::string& why) {
      out.refused.push_back({number, found == nullptr ? std::nullopt : found->value, why});
    };
    if (found == nullptr) {
      refuse(reading.epoch
                 ? fmt::format("no checkpoint after epoch {0} (`keep: {{epochs: [{0}]}}` of the search keeps one)",
                               *reading.epoch)
                 : "no such checkpoint");
    } else if (!found->value) {
      refuse(fmt::format("{} was not measured after epoch {}", reading.metric, found->epoch));
    } else if (found->is_deleted) {
      refuse("its checkpoint was given up (`keep:` says whose stay)");
    } else {
      warmstart::Donor donor{
          .sha256 = found->sha256, .study = study, .trial = trial, .epoch = found->epoch, .value = found->value};
      require_file(store, donor);
      out.donors.push_back(std::move(donor));
    }
  }
  std::stable_sort(out.donors.begin(), out.donors.end(), [&](const auto& a, const auto& b) {
    return reading.maximize ? *a.value > *b.value : *a.value < *b.value;
  });
  return out;
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
