// SPDX-License-Identifier: Apache-2.0
#include "report/lineage_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "storage/paths.hpp"
#include "util/error.hpp"

namespace dlrun::report {

namespace {

constexpr const char* kArtifactColumns =
    "trial, replicate, fold, piece, attempt, role, step, sha256, bytes, deleted IS NOT NULL";

/// Follows the name of a study that is gone, if another one has this name now.
constexpr const char* kEarlier = " (an earlier one)";

std::optional<int> number(const storage::Statement& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(int(row.integer(column)));
}

/// A text of the study's normal form; empty: there is none.
std::string text_in(const OpenedStudy& study, const char* place) {
  storage::Statement row = study.query("SELECT json_extract(spec, ?) FROM dl_study");
  row.bind(place).step();
  return row.is_null(0) ? std::string() : std::string(row.text(0));
}

std::vector<std::string> teachers_of(const OpenedStudy& study) {
  std::vector<std::string> names;
  storage::Statement rows =
      study.query("SELECT value FROM dl_study, json_each(spec, '$.search.learn_from') WHERE type = 'text'");
  while (rows.step()) names.emplace_back(rows.text(0));
  return names;
}

/// Edge that stands in no row: `init:` and `learn_from:` hold for all trials of a study.
LineageEdge of_study(const char* kind, TrialName from, const std::string& study, const std::string& artifact = {}) {
  LineageEdge edge;
  edge.kind = kind;
  edge.from = std::move(from);
  edge.to.study = study;
  edge.artifact = artifact;
  return edge;
}

}  // namespace

LineageRows::LineageRows(const std::filesystem::path& store, const LineageOptions& options) : options_(options) {
  for (const std::string& name : storage::study_names(store)) {
    try {
      open(store, name);
    } catch (const Error&) {
      studies_.erase(name);  // damaged, or of a newer dlrun: the others can be asked all the same
    }
  }
}

void LineageRows::open(const std::filesystem::path& store, const std::string& name) {
  Study& study = studies_[name];
  study.opened = open_study(store, name);
  study.snapshot = std::make_unique<Snapshot>(study.opened);
  study.has_from_trial = study.opened.has_column("dl_edge", "from_trial");
  study.has_from_study = study.opened.has_column("dl_edge", "from_study");
  study.edge_columns = fmt::format(
      "trial, replicate, fold, piece, attempt, kind, from_piece, from_attempt, artifact, {}, {} FROM dl_edge",
      study.has_from_trial ? "from_trial" : "NULL", study.has_from_study ? "from_study" : "NULL");
  study.data = text_in(study.opened, "$.derived.data.sha256");
  study.init = text_in(study.opened, "$.trial.init.sha256");
  study.learned_from = teachers_of(study.opened);
}

const LineageRows::Study* LineageRows::find(const std::string& study) const {
  const auto found = studies_.find(study);
  return found == studies_.end() ? nullptr : &found->second;
}

bool LineageRows::has(const TrialName& trial) const {
  const Study* study = find(trial.study);
  if (study == nullptr) return false;
  return study->opened.query("SELECT 1 FROM dl_trial WHERE trial = ?").bind(trial.number).step();
}

void LineageRows::require(const TrialName& trial) const {
  const Study* study = find(trial.study);
  if (study == nullptr) throw Error(ErrorKind::not_found, fmt::format("study '{}' cannot be read", trial.study));
  require_trial(study->opened, trial.number);
}

LineageTrial LineageRows::facts(const TrialName& trial) const {
  const Study* study = find(trial.study);
  if (study == nullptr) return {.state = "gone"};
  if (trial.number == TrialName::kStudy) return {.state = "study"};
  storage::Statement row =
      study->opened.query("SELECT state, objective, epochs, attempts FROM v_trials WHERE trial = ?");
  if (!row.bind(trial.number).step()) return {.state = "gone"};
  return {std::string(row.text(0)), study->opened.metric, cell(row, 1), row.integer(2), row.integer(3)};
}

/// " AND replicate = 0", as asked for.
std::string LineageRows::member() const {
  std::string text;
  if (options_.replicate) text += fmt::format(" AND replicate = {}", *options_.replicate);
  if (options_.fold) text += fmt::format(" AND fold = {}", *options_.fold);
  return text;
}

/// False if the study that now has the donor's name is another one: its trial never left the artifact that was handed
/// over, or none of those that a citation took with it.
bool LineageRows::may_come_from(const LineageEdge& edge) const {
  const Study* donor = find(edge.from.study);
  if (donor == nullptr) return true;
  std::set<std::string> left, taken;
  if (!edge.artifact.empty()) taken.insert(edge.artifact);
  if (edge.kind == "cited_from") {
    for (const LineageArtifact& one : artifacts_of(edge.to)) {
      if (one.piece == edge.piece && one.attempt == edge.attempt) taken.insert(one.sha256);
    }
  }
  for (const LineageArtifact& one : artifacts_of(edge.from)) left.insert(one.sha256);
  return taken.empty() ||
         std::any_of(taken.begin(), taken.end(), [&](const std::string& sha256) { return left.contains(sha256); });
}

std::vector<LineageEdge> LineageRows::edges(const Study& study, storage::Statement rows) const {
  std::vector<LineageEdge> edges;
  while (rows.step()) {
    LineageEdge edge;
    edge.to = {study.opened.name, rows.integer(0)};
    edge.replicate = int(rows.integer(1));
    edge.fold = int(rows.integer(2));
    edge.piece = int(rows.integer(3));
    edge.attempt = int(rows.integer(4));
    edge.kind = rows.text(5);
    edge.from_piece = number(rows, 6);
    edge.from_attempt = number(rows, 7);
    edge.artifact = rows.text(8);
    edge.from.study = rows.is_null(10) ? study.opened.name : std::string(rows.text(10));
    edge.from.number = rows.is_null(9) ? edge.to.number : rows.integer(9);
    if (edge.from.study != study.opened.name && !may_come_from(edge)) edge.from.study += kEarlier;
    edges.push_back(std::move(edge));
  }
  return edges;
}

void LineageRows::add_of_study(const Study& study, std::vector<LineageEdge>& edges) const {
  const std::string& name = study.opened.name;
  for (const std::string& teacher : study.learned_from) edges.push_back(of_study("learned_from", {teacher}, name));
  if (study.init.empty()) return;
  const std::vector<LineageArtifact> left = artifact(study.init);
  if (!left.empty()) edges.push_back(of_study("initialised_from", left.front().trial, name, study.init));
}

std::vector<LineageEdge> LineageRows::into(const TrialName& trial) const {
  const Study* study = find(trial.study);
  if (study == nullptr) return {};
  std::vector<LineageEdge> found;
  if (trial.number == TrialName::kStudy) {
    add_of_study(*study, found);
    return found;
  }
  storage::Statement rows = study->opened.query("SELECT " + study->edge_columns + " WHERE trial = ?" + member());
  rows.bind(trial.number);
  return edges(*study, std::move(rows));
}

/// The trial's weights, or those of the study's trials, made `study` as a whole.
void LineageRows::add_made_by(const TrialName& trial, const Study& study, std::vector<LineageEdge>& edges) const {
  std::vector<LineageEdge> all;
  add_of_study(study, all);
  for (LineageEdge& edge : all) {
    if (edge.from == trial) edges.push_back(std::move(edge));
  }
}

std::vector<LineageEdge> LineageRows::out_of(const TrialName& trial) const {
  std::vector<LineageEdge> found;
  for (const auto& [name, study] : studies_) {
    add_made_by(trial, study, found);
    const bool is_own = name == trial.study;
    if (is_own ? !study.has_from_trial : !study.has_from_study) continue;
    std::string where = "from_trial = ?1 AND ";
    if (is_own) {
      where += study.has_from_study ? "coalesce(from_study, ?2) = ?2" : "?2 IS NOT NULL";
    } else {
      where += "from_study = ?2";
    }
    storage::Statement rows = study.opened.query("SELECT " + study.edge_columns + " WHERE " + where + member());
    rows.bind(trial.number, trial.study);
    for (LineageEdge& edge : edges(study, std::move(rows))) {
      if (edge.from == trial) found.push_back(std::move(edge));
    }
  }
  return found;
}

std::vector<LineageEdge> LineageRows::by_artifact(const std::string& sha256) const {
  std::vector<LineageEdge> found;
  for (const auto& [name, study] : studies_) {
    storage::Statement rows =
        study.opened.query("SELECT " + study.edge_columns + " WHERE artifact = ? AND artifact <> ''" + member());
    rows.bind(sha256);
    for (LineageEdge& edge : edges(study, std::move(rows))) found.push_back(std::move(edge));
    if (study.init == sha256) add_of_study(study, found);
  }
  return found;
}

std::vector<LineageArtifact> LineageRows::artifacts(const Study& study, storage::Statement rows) const {
  std::vector<LineageArtifact> found;
  while (rows.step()) {
    found.push_back({.sha256 = std::string(rows.text(7)),
                     .role = std::string(rows.text(5)),
                     .trial = {study.opened.name, rows.integer(0)},
                     .replicate = int(rows.integer(1)),
                     .fold = int(rows.integer(2)),
                     .piece = int(rows.integer(3)),
                     .attempt = int(rows.integer(4)),
                     .step = rows.integer(6),
                     .bytes = rows.integer(8),
                     .is_deleted = rows.integer(9) != 0});
  }
  return found;
}

std::vector<LineageArtifact> LineageRows::artifacts_of(const TrialName& trial) const {
  const Study* study = find(trial.study);
  if (study == nullptr) return {};
  storage::Statement rows = study->opened.query(
      fmt::format("SELECT {} FROM dl_artifact WHERE trial = ?{} ORDER BY replicate, fold, piece, attempt, step, role",
                  kArtifactColumns, member()));
  rows.bind(trial.number);
  return artifacts(*study, std::move(rows));
}

std::vector<LineageArtifact> LineageRows::artifact(const std::string& sha256) const {
  std::vector<LineageArtifact> found;
  for (const auto& [name, study] : studies_) {
    storage::Statement rows = study.opened.query(
        fmt::format("SELECT {} FROM dl_artifact WHERE sha256 = ? ORDER BY trial, replicate, fold, piece, attempt, role",
                    kArtifactColumns));
    rows.bind(sha256);
    for (LineageArtifact& one : artifacts(study, std::move(rows))) found.push_back(std::move(one));
  }
  return found;
}

std::vector<std::string> LineageRows::hashes(const std::string& prefix) const {
  std::set<std::string> found;
  const std::string past = prefix + 'g';  // behind every digit
  for (const auto& [name, study] : studies_) {
    storage::Statement rows =
        study.opened.query("SELECT DISTINCT sha256 FROM dl_artifact WHERE sha256 >= ? AND sha256 < ? LIMIT 10");
    rows.bind(prefix, past);
    while (rows.step()) found.emplace(rows.text(0));
  }
  return {found.begin(), found.end()};
}

std::vector<LineageAttempt> LineageRows::attempts(const TrialName& trial) const {
  const Study* study = find(trial.study);
  if (study == nullptr) return {};
  storage::Statement rows = study->opened.query(
      "WITH piece AS MATERIALIZED (SELECT replicate AS r, fold AS f, piece AS p, from_step, to_step FROM dl_decision "
      "WHERE trial = ?1 AND kind < 2) SELECT replicate, fold, piece, attempt, coalesce(from_step, 0), "
      "coalesce(to_step, 0), state, cause FROM v_attempts LEFT JOIN piece ON r = replicate AND f = fold AND p = piece "
      "WHERE trial = ?1" +
      member() + " ORDER BY replicate, fold, piece, attempt");
  rows.bind(trial.number);
  std::vector<LineageAttempt> found;
  while (rows.step()) {
    found.push_back({int(rows.integer(0)), int(rows.integer(1)), int(rows.integer(2)), int(rows.integer(3)),
                     rows.integer(4), rows.integer(5), std::string(rows.text(6)), std::string(rows.text(7))});
  }
  return found;
}

std::string LineageRows::data_of(const std::string& study) const {
  const Study* found = find(study);
  return found == nullptr ? std::string() : found->data;
}

std::map<std::string, std::int64_t> LineageRows::trials_on(const std::string& data) const {
  std::map<std::string, std::int64_t> found;
  for (const auto& [name, study] : studies_) {
    if (data.empty() || study.data != data) continue;
    storage::Statement row = study.opened.query("SELECT count(*) FROM dl_trial");
    row.step();
    found[name] = row.integer(0);
  }
  return found;
}

}  // namespace dlrun::report
