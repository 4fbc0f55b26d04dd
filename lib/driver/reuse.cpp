// SPDX-License-Identifier: Apache-2.0
#include "driver/reuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "spec/same_work.hpp"
#include "storage/store.hpp"
#include "storage/stored_trials.hpp"
#include "trial/artifacts.hpp"
#include "util/error.hpp"

namespace dlrun::driver {

namespace {

using trial::TrialState;

/// All studies of the store but this one, in the order of their creation.
std::vector<storage::StudyRow> other_studies(const std::filesystem::path& folder, const std::string& own) {
  std::vector<storage::StudyRow> rows;
  for (const std::string& name : storage::Store::names(folder)) {
    if (name == own) continue;
    try {
      if (auto row = storage::Store::find(folder, name)) rows.push_back(std::move(*row));
    } catch (const Error&) {  // damaged, or of another version: nothing is taken from it
      continue;
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.created < b.created; });
  return rows;
}

/// Could any of its trials be the same work? Spares the hashes of most that could not.
bool may_share(const storage::StudyRow& row, const spec::StudySpec& spec) {
  static const Json::json_pointer kKind("/trial/kind"), kData("/derived/data");
  const auto at = [](const Json& json, const Json::json_pointer& place) {
    return json.contains(place) ? json.at(place) : Json();
  };
  return row.seed == spec.seed && at(row.spec, kKind) == spec.kind && at(row.spec, kData) == at(spec.json, kData);
}

const trial::Artifact* last_of(const trial::PieceResult& result) {
  const auto found = std::find_if(result.artifacts.begin(), result.artifacts.end(),
                                  [](const trial::Artifact& a) { return a.role == "last"; });
  return found == result.artifacts.end() ? nullptr : &*found;
}

/// Metric of which a study keeps the values of single examples; empty: none.
std::string kept_metric(const spec::StudySpec& spec) {
  return spec.ablation ? spec.ablation->section.analysis.kept_metric() : std::string();
}

}  // namespace

Reuse::Reuse(const spec::StudySpec& spec, const std::filesystem::path& folder) : spec_(spec), folder_(folder) {
  if (!spec::reuses_trials(spec)) return;
  for (const storage::StudyRow& row : other_studies(folder, spec.name)) {
    if (!may_share(row, spec)) continue;
    try {
      learn(row);
    } catch (const Error&) {
      continue;
    }
  }
}

void Reuse::learn(const storage::StudyRow& row) {
  const spec::StudySpec earlier = spec::from_json(row.spec, row.spec_text);
  for (const storage::StoredTrial& trial : storage::read_trials(folder_, row.name, earlier.space)) {
    if (trial.state == TrialState::failed || trial.state == TrialState::cancelled) continue;
    const std::string values = kept_metric(earlier);
    for (int m = 0; m < earlier.rules.members.count(); ++m) {
      const trial::Member member = earlier.rules.members.at(trial::TrialId(trial.number), m);
      known_[spec::work_hash(earlier, trial.values, member)].push_back({row.name, member, earlier.keep.epochs, values});
    }
  }
}

const Reuse::Results& Reuse::results_of(const std::string& study) {
  const auto known = results_.find(study);
  if (known != results_.end()) return known->second;
  try {
    return results_[study] = storage::read_results(folder_, study);
  } catch (const Error&) {
    return results_[study];
  }
}

/// Does the donor leave what this study would have left: checkpoints of the same epochs, whose files are there?
bool Reuse::keeps_alike(const Donor& donor, const storage::StoredResult& stored) const {
  const auto within = [&](const std::vector<std::int64_t>& epochs) {
    std::set<std::int64_t> out(epochs.begin(), epochs.end());
    std::erase_if(out, [&](std::int64_t epoch) { return epoch <= stored.from_step || epoch > stored.to_step; });
    return out;
  };
  std::set<std::int64_t> wanted = within(spec_.keep.epochs);
  if (wanted != within(donor.kept)) return false;
  for (const trial::Artifact& artifact : stored.result.artifacts) {
    if (artifact.role != "epoch") continue;
    if (spec_.keep.epochs.empty() || !storage::has_artifact(folder_ / "artifacts", artifact.sha256)) return false;
    wanted.erase(artifact.step);
  }
  return wanted.empty();
}

/// Are the values of single examples among its files, and there?
bool Reuse::has_values(const trial::PieceResult& result) const {
  return std::any_of(result.artifacts.begin(), result.artifacts.end(), [&](const trial::Artifact& artifact) {
    return artifact.role == trial::kValues && storage::has_artifact(folder_ / "artifacts", artifact.sha256);
  });
}

/// The donor's piece over the same epochs that went on from the same file; nullptr: there is none.
const storage::StoredResult* Reuse::fitting(const Donor& donor, const study::StartPiece& piece,
                                            const std::string& numerics) {
  const Results& results = results_of(donor.study);
  const auto found = results.find({donor.member, piece.key.piece});
  if (found == results.end()) return nullptr;
  const storage::StoredResult& stored = found->second;
  const bool is_same = stored.from_step == piece.from_step && stored.to_step == piece.to_step;
  if (!is_same || stored.numerics != numerics || !keeps_alike(donor, stored)) return nullptr;
  const std::string wanted = kept_metric(spec_);
  if (!wanted.empty() && (wanted != donor.values || !has_values(stored.result))) return nullptr;
  if (piece.resume.empty()) return &stored;
  const auto before = results.find({donor.member, piece.key.piece - 1});
  const trial::Artifact* last = before == results.end() ? nullptr : last_of(before->second.result);
  return last != nullptr && last->sha256 == piece.resume ? &stored : nullptr;
}

std::vector<std::string> Reuse::missing_files(const trial::PieceResult& result) const {
  std::vector<std::string> missing;
  for (const trial::Artifact& artifact : result.artifacts) {
    if (!storage::has_artifact(folder_ / "artifacts", artifact.sha256)) missing.push_back(artifact.sha256);
  }
  return missing;
}

std::optional<Cited> Reuse::find(const study::StartPiece& piece, const space::Values& values,
                                 const std::string& numerics) {
  const bool is_heir = piece.key.piece == 0 && !piece.resume.empty();
  if (known_.empty() || is_heir) return std::nullopt;
  const auto donors = known_.find(spec::work_hash(spec_, values, piece.key.member));
  if (donors == known_.end()) return std::nullopt;
  for (const Donor& donor : donors->second) {
    const storage::StoredResult* stored = fitting(donor, piece, numerics);
    if (stored == nullptr) continue;
    Cited cited{stored->result, {donor.study, {donor.member, piece.key.piece}, missing_files(stored->result)}};
    const bool starts_others = spec_.cells && spec_.cells->after_baseline;
    const bool may_go_on =
        starts_others || (cited.result.outcome == trial::Outcome::completed && piece.to_step < spec_.rules.epochs);
    const trial::Artifact* last = last_of(cited.result);
    const auto& missing = cited.citation.missing;
    const bool lacks_it = last != nullptr && std::find(missing.begin(), missing.end(), last->sha256) != missing.end();
    if (may_go_on && lacks_it) continue;  // somebody is to go on from that file
    cited.result.key = piece.key;
    cited.result.attempt = piece.attempt;
    cited.result.message = fmt::format("cited from {}/{}", donor.study, donor.member.trial.value);
    if (kept_metric(spec_).empty())
      std::erase_if(cited.result.artifacts, [](const trial::Artifact& file) { return file.role == trial::kValues; });
    cited.result.shared.reset();
    cited.result.seconds = 0;
    cited.result.peak_rss = 0;
    return cited;
  }
  return std::nullopt;
}

}  // namespace dlrun::driver
