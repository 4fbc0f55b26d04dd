// SPDX-License-Identifier: Apache-2.0
// A study as exports read it: trial by trial, in constant memory, all at one moment. Every text is valid UTF-8.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exchange/wall_times.hpp"
#include "report/opened.hpp"
#include "trial/trial.hpp"

namespace dlrun::exchange {

struct Parameter {
  std::string name;
  std::string type;   ///< float | int | categorical | ordinal | constant
  std::string place;  ///< the place in the trial that it sets
  double low = 0;
  double high = 0;
  std::vector<Json> choices;  ///< values of categorical, ordinal and constant ones
};

/// One value by epoch.
struct Point {
  std::pair<int, int> member;  ///< replicate, fold
  std::int64_t step = 0;
  std::size_t metric = 0;  ///< index in StudySource::metrics()
  double value = 0;        ///< may be NaN or infinite
  std::int64_t time = 0;   ///< ms since 1970
};

/// Objectives as a tool is to show them. The step is that of the first one, in the trial's first member or in its own.
struct Scores {
  std::vector<Json> values;  ///< in the objectives' order, perhaps only the first; null: not measured
  std::int64_t step = 0;
};

struct Trial {
  std::int64_t number = 0;
  trial::TrialState state = trial::TrialState::waiting;
  Json objective;  ///< null: none
  std::int64_t objective_step = 0;
  std::vector<Json> further;                         ///< objectives after the first; null: none
  std::vector<std::pair<std::string, Json>> params;  ///< the active ones, typed as in the spec
  std::vector<Point> points;                         ///< by member, step, metric
  std::map<std::pair<int, int>, Scores> members;     ///< the first objective of each member of a mean
  std::int64_t epochs = 0;
  std::int64_t attempts = 0;
  double seconds = 0;
  std::string cause;
  std::string message;
  std::optional<std::int64_t> started;  ///< ms since 1970
  std::optional<std::int64_t> finished;
};

class StudySource {
 public:
  StudySource(const std::filesystem::path& store, const std::string& name);

  const report::OpenedStudy& study() const { return study_; }
  const std::string& name() const { return study_.name; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  /// Names of all metrics, sorted.
  const std::vector<std::string>& metrics() const { return metrics_; }
  /// Names of the objectives, the first one first.
  std::vector<std::string> objectives() const;
  /// Names of the metrics beside those of the objectives' tags: metric.NAME for one that is called as such a tag is.
  std::vector<std::string> metric_tags() const;
  std::int64_t created() const { return created_; }  ///< ms since 1970
  std::int64_t newest() const { return newest_; }    ///< time of the log's newest row
  bool is_finished() const;
  /// Whether its trials have replicates or folds.
  bool has_members() const { return has_members_; }
  /// Trials by number.
  void for_each_trial(const std::function<void(const Trial&)>& visit) const;

 private:
  void read_parameters();
  void read_metrics();

  report::OpenedStudy study_;
  report::Snapshot snapshot_;
  std::vector<Parameter> parameters_;
  std::vector<std::string> metrics_;
  std::map<std::int64_t, std::size_t> metric_places_;  ///< by number in the store
  std::int64_t created_ = 0;
  std::int64_t newest_ = 0;
  bool has_members_ = false;
  friend class TrialCursor;
};

/// The text with each byte that is no part of valid UTF-8 replaced by U+FFFD, as with NUL.
std::string clean_text(std::string_view text);

/// Whether there is anything of a trial to show: it has started, or has ended without.
bool has_begun(const Trial& trial);

/// Begin of a trial; of one that never started its end. REQUIRES: has_begun().
std::int64_t begin_of(const StudySource& source, const Trial& trial);

/// Whether a trial of this study ran several members, so that each is shown beside their mean.
bool shows_members(const StudySource& source, const Trial& trial);

/// Points of one member after the other.
std::vector<std::vector<Point>> by_member(const std::vector<Point>& points);

/// All objectives of a trial.
Scores scores_of(const Trial& trial);
/// Scores of a member: the first objective alone, because the store has the others as means. No values: none (yet)
Scores scores_of(const Trial& trial, const std::pair<int, int>& member);

/// Each metric's value at the last epoch of each member, the mean over the members; nullopt: the trial has none.
std::vector<std::optional<double>> last_values(const StudySource& source, const Trial& trial);

/// Means over the members by step and metric, ascending. A member that has no value at a step does not count there.
std::vector<Point> mean_points(const std::vector<Point>& points);

}  // namespace dlrun::exchange
