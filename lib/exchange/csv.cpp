// SPDX-License-Identifier: Apache-2.0
#include "exchange/csv.hpp"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "exchange/csv_text.hpp"
#include "exchange/study_source.hpp"
#include "report/column_names.hpp"
#include "util/files.hpp"

namespace dlrun::exchange {

namespace {

constexpr std::size_t kBuffer = 1 << 16;  // bytes

/// A file that is written line by line.
class CsvFile {
 public:
  explicit CsvFile(const std::filesystem::path& path) : file_(path, 0666) {}

  void add_row(const std::vector<Json>& cells) {
    lines_ += csv_line(cells);
    if (lines_.size() >= kBuffer) finish();
  }
  void finish() {
    file_.write(lines_);
    lines_.clear();
  }

 private:
  FileWriter file_;
  std::string lines_;
};

/// A file that has a view's columns as they are. The last lines of logs stay in the store.
struct ViewFile {
  const char* name;
  const char* view;
  const char* columns;
  const char* order;  ///< "1, 2": columns to sort by
};
constexpr ViewFile kViews[] = {
    {"study", "v_study", "study,state,reason,metric,direction,seed,hash,created,started,finished", "1"},
    {"parameters", "v_parameters", "name,place,type,low,high,step,log,choices", "1"},
    {"attempts", "v_attempts",
     "trial,replicate,fold,piece,attempt,state,cause,message,driver,worker,started,finished,seconds,peak_rss,device,"
     "threads",
     "1, 2, 3, 4, 5"},
    {"members", "v_members", "trial,replicate,fold,objective,objective_step,epochs", "1, 2, 3"},
    {"artifacts", "v_artifacts", "trial,replicate,fold,piece,attempt,role,step,sha256,bytes,deleted",
     "1, 2, 3, 4, 5, 6, 7"},
    {"notes", "v_notes", "trial,time,text", "2, 1, 3"},
    {"tags", "v_tags", "trial,tag", "1, 2"}};

/// A number that is not finite, as pandas and R read it.
Json value_cell(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

/// Stores of an earlier dlrun lack some columns, and a view: their cells are empty.
void write_view(const StudySource& source, const ViewFile& view, CsvFile& file) {
  std::istringstream columns(view.columns);
  std::vector<Json> names;
  std::string list;
  bool has_view = false;
  for (std::string name; std::getline(columns, name, ',');) {
    const bool is_there = source.study().has_column(view.view, name);
    list += (names.empty() ? "" : ", ") + (is_there ? name : "NULL");
    has_view = has_view || is_there;
    names.emplace_back(name);
  }
  file.add_row(names);
  if (has_view) {
    storage::Statement rows =
        source.study().query(fmt::format("SELECT {} FROM {} ORDER BY {}", list, view.view, view.order));
    while (rows.step()) file.add_row(report::cells(rows));
  }
  file.finish();
}

/// trials.csv and metrics.csv, in one pass.
class TrialFiles {
 public:
  TrialFiles(const StudySource& source, CsvFile& trials, CsvFile& metrics)
      : source_(source), trials_(trials), metrics_(metrics) {}

  void write() {
    trials_.add_row(columns());
    metrics_.add_row({"trial", "replicate", "fold", "step", "metric", "value"});
    source_.for_each_trial([&](const Trial& trial) {
      trials_.add_row(row(trial));
      for (const Point& point : trial.points)
        metrics_.add_row({trial.number, point.member.first, point.member.second, point.step,
                          source_.metrics()[point.metric], value_cell(point.value)});
      ++count_;
      values_ += std::int64_t(trial.points.size());
    });
    trials_.finish();
    metrics_.finish();
  }
  std::int64_t count() const { return count_; }
  std::int64_t values() const { return values_; }

 private:
  std::vector<Json> columns() const {
    std::vector<std::string> out{"trial", "state", "objective", "epochs", "seconds", "attempts", "cause"};
    const std::vector<std::string> objectives = source_.objectives();
    for (std::size_t i = 1; i < objectives.size(); ++i) report::add_column(out, objective_tag(objectives[i]), "");
    for (const Parameter& parameter : source_.parameters())
      report::add_column(out, parameter.name, report::kParameterPrefix);
    for (const std::string& metric : source_.metrics()) report::add_column(out, metric, report::kMetricPrefix);
    return {out.begin(), out.end()};
  }

  std::vector<Json> row(const Trial& trial) const {
    std::vector<Json> out{trial.number,  trial::to_string(trial.state), trial.objective, trial.epochs, trial.seconds,
                          trial.attempts};
    out.push_back(trial.cause.empty() ? Json() : Json(trial.cause));
    out.insert(out.end(), trial.further.begin(), trial.further.end());
    for (const Parameter& parameter : source_.parameters()) out.push_back(param(trial, parameter.name));
    for (const auto& value : last_values(source_, trial)) out.push_back(value ? value_cell(*value) : Json());
    return out;
  }

  static Json param(const Trial& trial, const std::string& name) {
    for (const auto& [key, value] : trial.params) {
      if (key == name) return value;
    }
    return nullptr;
  }

  const StudySource& source_;
  CsvFile& trials_;
  CsvFile& metrics_;
  std::int64_t count_ = 0;
  std::int64_t values_ = 0;
};

void write_study(ExportFolder& folder, const StudySource& source, Exported& done) {
  const std::filesystem::path at = source.name();
  CsvFile trials(folder.place(at / "trials.csv"));
  CsvFile metrics(folder.place(at / "metrics.csv"));
  TrialFiles files(source, trials, metrics);
  files.write();
  done.trials += files.count();
  done.values += files.values();
  for (const ViewFile& view : kViews) {
    CsvFile file(folder.place(at / (std::string(view.name) + ".csv")));
    write_view(source, view, file);
  }
}

}  // namespace

Exported export_csv(const ExportRequest& request) {
  ExportFolder folder(request.folder);
  Exported done;
  for (const std::string& name : request.studies) {
    const StudySource source(request.folder.store, name);
    write_study(folder, source, done);
    if (!source.is_finished()) done.unfinished.push_back(source.name());
  }
  folder.keep();
  done.final_path = folder.final_path();
  return done;
}

}  // namespace dlrun::exchange
