// SPDX-License-Identifier: Apache-2.0
// Studies opened for reading, shared by the tables of this room.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pareto/score.hpp"
#include "plot/picture.hpp"
#include "report/report.hpp"
#include "report/study_pictures.hpp"
#include "storage/sqlite.hpp"
#include "trial/trial.hpp"

namespace dlrun::report {

/// An objective of a study that has several.
struct Goal {
  std::string metric;
  bool maximize = false;
  std::optional<double> reference;  ///< reference of the hypervolume
};

struct AblationStudy;      // ablation_cells.hpp
struct PlacementOrReason;  // study_placement.hpp

/// Answers that take long to compute, for one moment of a study.
struct Remembered {
  std::map<std::string, std::vector<Table>> importance;  ///< by method and objective
  std::shared_ptr<const AblationStudy> ablation;
  std::shared_ptr<const PlacementOrReason> placement;
};

struct OpenedStudy {
  std::filesystem::path store;
  std::string name;
  std::string metric;
  bool maximize = false;
  std::vector<Goal> further;  ///< the objectives after the first
  std::optional<double> reference;
  bool has_bounds = false;                              ///< some trials may be infeasible
  mutable std::unique_ptr<storage::Database> database;  ///< reading moves SQLite's cursors, not the study
  mutable std::unique_ptr<Remembered> remembered;       ///< there while a Snapshot lasts

  storage::Statement query(std::string_view sql) const { return database->prepare(sql); }
  /// False in the file of an older dlrun that no driver has migrated yet.
  bool has_column(std::string_view view, std::string_view column) const;
  /// Normal form of the study.
  Json spec() const;
};

/// A read transaction: all queries of its scope see the same moment, and what takes long is computed once.
class Snapshot {
 public:
  explicit Snapshot(const OpenedStudy& study);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

 private:
  const OpenedStudy& study_;
};

/// The names asked for, or the last started. @throws Error(not_found) with the nearest name, or for an empty store.
std::vector<std::string> chosen(const std::filesystem::path& store, const std::vector<std::string>& studies);
OpenedStudy open_study(const std::filesystem::path& store, const std::string& name);

/// Costs of a study, and epochs it did not have to train again (cost.cpp).
std::vector<Table> cost_of(const OpenedStudy& study);

/// A column of a row as a cell; blobs as hexadecimal text.
Json cell(storage::Statement& row, int column);
/// The whole row.
std::vector<Json> cells(storage::Statement& row);
std::vector<Json> row_cells(sqlite3_stmt* row);
/// All rows of a query as a table with these columns.
Table table_of(storage::Statement query, std::string title, std::vector<std::string> columns);

// ---- one study's part of each table ----
/// @throws Error(not_found) where the study has no such trial.
void require_trial(const OpenedStudy& study, std::int64_t number);
/// {parameter: value} of a trial, typed as the spec has them.
Json params_of(const OpenedStudy& study, std::int64_t number);
/// Trial whose weights a trial began with; null: none.
Json donor_of(const OpenedStudy& study, std::int64_t number);
/// Epochs, trial and values of a trial and of its donors, the first ancestor first.
Table schedule_of(const OpenedStudy& study, std::int64_t number);
Table status_of(const OpenedStudy& study);
Table summary_of(const OpenedStudy& study);
/// Number and objective of the best trial; both null if there is none.
struct BestTrial {
  Json trial;
  Json value;
};
BestTrial best_trial_of(const OpenedStudy& study);
/// Have its trials several members (replicates, folds)?
bool has_members(const OpenedStudy& study);
/// "val.accuracy, highest first"
std::string goal_of(const OpenedStudy& study);
/// The goal, or all of them.
std::string goals_of(const OpenedStudy& study);

/// A trial and all its objectives.
struct Scored {
  std::int64_t trial = 0;
  std::vector<double> values;  ///< as measured
  pareto::Score score;
};
/// Completed trials, by number; infeasible ones too.
std::vector<Scored> completed_of(const OpenedStudy& study);
/// Objectives of a trial after the first, as measured; null where it has none.
std::vector<Json> further_values(const OpenedStudy& study, std::int64_t trial);
/// 0 where the study has no bounds.
double violation_of(const OpenedStudy& study, std::int64_t trial);
/// Completed feasible trials that none dominates, the best by the first objective first.
std::vector<Scored> front_scores(const OpenedStudy& study);
/// Table of front_scores().
Table front_of(const OpenedStudy& study);
/// How the hypervolume grew, a row for each trial that joined the front.
Table hypervolume_of(const OpenedStudy& study);
/// Trials that no earlier one dominates, at their time.
Table joining_of(const OpenedStudy& study);
/// The names of the parameters, in their order.
std::vector<std::string> parameter_names(const OpenedStudy& study);
Table best_of(const OpenedStudy& study, int count);
/// Notes and tags of the study and its trials.
Table notes_of(const OpenedStudy& study);
/// Every trial with its state, parameters and metrics at its last epoch.
Table trials_of(const OpenedStudy& study);
Table progress_of(const OpenedStudy& study);
Table parameters_of(const OpenedStudy& study);
/// Computed once in a Snapshot. @throws Error(usage) for an unknown method.
/// @param objective  a metric, or all; empty: the first
std::vector<Table> importance_of(const OpenedStudy& study, const std::string& method, const std::string& objective);
/// @throws Error(usage) where it is no ablation.
std::vector<Table> ablation_of(const OpenedStudy& opened, Audience audience);
std::vector<Table> findings_of(const OpenedStudy& opened, Audience audience);
/// Pictures of an ablation that it has figures for: contributions with their intervals or the standings of a race,
/// interactions, learning curves, pairs by seed.
/// @throws Error(usage) where it is no ablation.
std::vector<NamedPicture> ablation_pictures_of(const OpenedStudy& opened);
bool is_ablation(const OpenedStudy& study);
/// Every picture that the study has data for (picture_kinds.cpp).
std::vector<NamedPicture> pictures_of(const OpenedStudy& study);
/// @throws Error(usage) for an unknown kind, or one that the study has no data for
plot::Picture picture_of(const OpenedStudy& study, const std::string& kind, const PictureWishes& wishes);
/// Why a cell's variant has as many replicates as it has; no rows: not of an ablation with looks.
Table looks_of(const OpenedStudy& opened, std::int64_t trial);
/// "study/17"
std::string trial_name(const OpenedStudy& study, std::int64_t number);
Table facts_of(const OpenedStudy& study, std::int64_t number);
/// The same as fact and value, without the values of parameters.
std::vector<std::pair<std::string, Json>> facts_beside_params(const OpenedStudy& study, std::int64_t number);
/// Files and git revision of the program that a trial ran; none where nothing was recorded (program_facts.cpp).
std::vector<std::pair<std::string, Json>> program_facts(const OpenedStudy& study, std::int64_t number);
/// Plugins that started the workers of a trial, with version and hash; none where none did (program_facts.cpp).
std::vector<std::pair<std::string, Json>> executor_facts(const OpenedStudy& study, std::int64_t number);
/// Whether the study has costs of ranks (ranks.cpp).
bool has_ranks(const OpenedStudy& study);
/// Time, bytes and staleness of a trial's ranks and servers, over its epochs. REQUIRES: has_ranks().
Table ranks_of(const OpenedStudy& study, std::int64_t number);
/// The same of every trial, its ranks together and its servers together.
Table ranks_of(const OpenedStudy& study);
std::vector<Table> details_of(const OpenedStudy& study, std::int64_t number);
std::vector<Table> explanation_of(const OpenedStudy& study, std::int64_t number);
/// Settings that differ between two trials, and what both measured (difference.cpp).
std::vector<Table> difference_of(const OpenedStudy& a, std::int64_t first, const OpenedStudy& b, std::int64_t second);
std::vector<std::filesystem::path> logs_of(const OpenedStudy& study, std::int64_t number);
/// Logs of one attempt, in the order of their names.
std::vector<std::filesystem::path> logs_of(const OpenedStudy& study, const trial::PieceKey& piece, int attempt);
std::string log_tail_of(const OpenedStudy& study, std::int64_t number);
Json config_of(const OpenedStudy& study, std::int64_t number);

}  // namespace dlrun::report
