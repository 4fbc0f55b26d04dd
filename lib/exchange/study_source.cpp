// SPDX-License-Identifier: Apache-2.0
#include "exchange/study_source.hpp"

#include <algorithm>
#include <stdexcept>

#include "report/column_names.hpp"
#include "storage/metric_tables.hpp"
#include "util/error.hpp"
#include "util/utf8.hpp"

namespace dlrun::exchange {

namespace {

Json clean_value(const Json& value) { return value.is_string() ? Json(clean_text(value.get<std::string>())) : value; }

std::vector<Json> choices_of(storage::Statement& row, int column) {
  std::vector<Json> out;
  if (row.is_null(column)) return out;
  for (const Json& choice : parse_json(row.text(column), "the choices of a parameter")) out.push_back(choice);
  return out;
}

Json typed(const Parameter& parameter, storage::Statement& row, int column) {
  if (!parameter.choices.empty()) {
    const auto index = std::size_t(row.integer(column));
    return index < parameter.choices.size() ? clean_value(parameter.choices[index]) : Json();
  }
  if (parameter.type == "int") return row.integer(column);
  return row.real(column);
}

std::optional<std::int64_t> time_at(const storage::Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return row.integer(column);
}

constexpr const char* kTrials =
    "SELECT t.trial, iif(t.state = 1 AND (SELECT v.state FROM v_trials v WHERE v.trial = t.trial) = 'waiting', "
    "0, t.state), t.objective, t.objective_step, t.epochs, t.attempts, t.seconds, t.started, t.finished, "
    "t.message, (SELECT word FROM dl_word WHERE family = 'cause' AND number = t.cause AND t.cause > 0) FROM dl_trial t "
    "ORDER BY t.trial";

constexpr const char* kPoints =
    "SELECT m.replicate, m.fold, m.step, m.metric, m.value, m.kind, m.attempt FROM dl_metric m WHERE m.trial = ? ORDER "
    "BY m.replicate, m.fold, m.step";

}  // namespace

/// Rows of one trial after the other. A trial whose next piece no worker has is waiting, as in v_trials.
class TrialCursor {
 public:
  explicit TrialCursor(const StudySource& source)
      : source_(source),
        spans_(source.study(), source.newest()),
        trials_(source.study().query(kTrials)),
        params_(source.study().query("SELECT parameter, value FROM dl_param WHERE trial = ? ORDER BY parameter")),
        points_(source.study().query(kPoints)) {
    if (source.has_members())
      members_ =
          source.study().query("SELECT replicate, fold, objective, objective_step FROM dl_member WHERE trial = ?");
  }

  bool step(Trial& trial) {
    if (!trials_.step()) return false;
    trial = {};
    take_row(trial);
    trial.further = report::further_values(source_.study(), trial.number);
    take_params(trial);
    take_points(trial);
    if (source_.has_members()) take_members(trial);
    return true;
  }

 private:
  void take_row(Trial& trial) {
    trial.number = trials_.integer(0);
    trial.state = static_cast<trial::TrialState>(trials_.integer(1));
    trial.objective = report::cell(trials_, 2);
    trial.objective_step = trials_.integer(3);
    trial.epochs = trials_.integer(4);
    trial.attempts = trials_.integer(5);
    trial.seconds = trials_.real(6);
    trial.started = time_at(trials_, 7);
    trial.finished = time_at(trials_, 8);
    trial.message = clean_text(trials_.text(9));
    trial.cause = clean_text(trials_.text(10));
  }

  void take_params(Trial& trial) {
    params_.bind(trial.number);
    while (params_.step()) {
      const Parameter& parameter = source_.parameters().at(std::size_t(params_.integer(0)));
      trial.params.emplace_back(parameter.name, typed(parameter, params_, 1));
    }
  }

  void take_points(Trial& trial) {
    const std::vector<Span> spans = spans_.spans_of(trial.number);
    const std::int64_t otherwise = trial.started.value_or(source_.created());
    points_.bind(trial.number);
    while (points_.step()) {
      const Measured at{int(points_.integer(0)), int(points_.integer(1)), points_.integer(2), points_.integer(6)};
      trial.points.push_back({{at.replicate, at.fold},
                              at.step,
                              source_.metric_places_.at(points_.integer(3)),
                              storage::stored_value(points_, 4),
                              time_of(spans, at, otherwise)});
    }
    std::stable_sort(trial.points.begin(), trial.points.end(), [](const Point& a, const Point& b) {
      return std::tie(a.member, a.step, a.metric) < std::tie(b.member, b.step, b.metric);
    });
  }

  void take_members(Trial& trial) {
    members_.bind(trial.number);
    while (members_.step())
      trial.members[{int(members_.integer(0)), int(members_.integer(1))}] = {{members_.real(2)}, members_.integer(3)};
  }

  const StudySource& source_;
  SpanReader spans_;
  storage::Statement trials_, params_, points_, members_;
};

StudySource::StudySource(const std::filesystem::path& store, const std::string& name)
    : study_(report::open_study(store, name)), snapshot_(study_), has_members_(report::has_members(study_)) {
  created_ = study_.database->integer("SELECT 1000 * CAST(strftime('%s', created) AS INTEGER) FROM dl_study");
  newest_ = study_.database->integer("SELECT coalesce((SELECT time FROM dl_log ORDER BY seq DESC LIMIT 1), 0)");
  newest_ = std::max(newest_, created_);
  read_parameters();
  read_metrics();
}

void StudySource::read_parameters() {
  storage::Statement rows =
      study_.query("SELECT parameter, name, type, place, low, high, choices FROM dl_parameter ORDER BY parameter");
  while (rows.step()) {
    const auto number = std::size_t(rows.integer(0));
    if (parameters_.size() <= number) parameters_.resize(number + 1);
    parameters_[number] = {
        clean_text(rows.text(1)), std::string(rows.text(2)), clean_text(rows.text(3)), rows.real(4), rows.real(5),
        choices_of(rows, 6)};
  }
}

void StudySource::read_metrics() {
  storage::Statement rows = study_.query("SELECT metric, name FROM dl_metric_name ORDER BY name");
  while (rows.step()) {
    metric_places_[rows.integer(0)] = metrics_.size();
    metrics_.push_back(clean_text(rows.text(1)));
  }
}

std::vector<std::string> StudySource::objectives() const {
  std::vector<std::string> out{clean_text(study_.metric)};
  for (const report::Goal& goal : study_.further) out.push_back(clean_text(goal.metric));
  return out;
}

std::vector<std::string> StudySource::metric_tags() const {
  std::vector<std::string> tags = metrics_;
  for (const std::string& objective : objectives()) {
    for (std::string& tag : tags) {
      if (tag == report::objective_tag(objective)) tag.insert(0, report::kMetricPrefix);
    }
  }
  return tags;
}

bool StudySource::is_finished() const { return study_.database->text("SELECT state FROM dl_study") == "finished"; }

void StudySource::for_each_trial(const std::function<void(const Trial&)>& visit) const {
  TrialCursor cursor(*this);
  Trial trial;
  const auto step = [&] {
    try {
      return cursor.step(trial);
    } catch (const std::out_of_range&) {
      throw Error(ErrorKind::store, "study '" + name() + "' has values of a parameter or metric that it lacks");
    }
  };
  while (step()) visit(trial);
}

std::string clean_text(std::string_view text) {
  if (is_utf8(text) && text.find('\0') == std::string_view::npos) return std::string(text);
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const Character character = first_character(text.substr(i));
    const bool is_kept = character.is_valid && character.code != 0;
    out += is_kept ? text.substr(i, character.bytes) : std::string_view("\xEF\xBF\xBD");
    i += character.bytes;
  }
  return out;
}

bool has_begun(const Trial& trial) { return trial.started || !trial.points.empty() || trial::is_final(trial.state); }

std::int64_t begin_of(const StudySource& source, const Trial& trial) {
  return trial.started.value_or(trial.finished.value_or(source.created()));
}

bool shows_members(const StudySource& source, const Trial& trial) {
  return source.has_members() && !trial.points.empty();
}

std::vector<std::vector<Point>> by_member(const std::vector<Point>& points) {
  std::vector<std::vector<Point>> out;
  for (const Point& point : points) {
    if (out.empty() || out.back().front().member != point.member) out.emplace_back();
    out.back().push_back(point);
  }
  return out;
}

Scores scores_of(const Trial& trial) {
  Scores scores{{trial.objective}, trial.objective_step};
  scores.values.insert(scores.values.end(), trial.further.begin(), trial.further.end());
  return scores;
}

Scores scores_of(const Trial& trial, const std::pair<int, int>& member) {
  const auto own = trial.members.find(member);
  return own == trial.members.end() ? Scores() : own->second;
}

std::vector<std::optional<double>> last_values(const StudySource& source, const Trial& trial) {
  std::map<std::pair<std::size_t, std::pair<int, int>>, double> last;
  for (const Point& point : trial.points) last[{point.metric, point.member}] = point.value;
  std::vector<double> sums(source.metrics().size());
  std::vector<int> counts(sums.size());
  for (const auto& [at, value] : last) {
    sums[at.first] += value;
    ++counts[at.first];
  }
  std::vector<std::optional<double>> out(sums.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (counts[i] > 0) out[i] = sums[i] / counts[i];
  }
  return out;
}

std::vector<Point> mean_points(const std::vector<Point>& points) {
  struct Sum {
    double values = 0;
    int count = 0;
    std::int64_t time = 0;
  };
  std::map<std::pair<std::int64_t, std::size_t>, Sum> sums;
  for (const Point& point : points) {
    Sum& sum = sums[{point.step, point.metric}];
    sum.values += point.value;
    ++sum.count;
    sum.time = std::max(sum.time, point.time);
  }
  std::vector<Point> out;
  for (const auto& [at, sum] : sums) out.push_back({{0, 0}, at.first, at.second, sum.values / sum.count, sum.time});
  return out;
}

}  // namespace dlrun::exchange
