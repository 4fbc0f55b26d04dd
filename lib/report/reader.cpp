// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "report/final_runs.hpp"
#include "report/opened.hpp"
#include "report/readable.hpp"
#include "report/report.hpp"
#include "report/winner.hpp"
#include "storage/paths.hpp"
#include "util/error.hpp"

namespace dlrun::report {

struct Reader::Impl {
  std::vector<OpenedStudy> studies;

  /// One study's table as it is; of several, one below the other with a column `study` in front. Columns that only some
  /// have (parameters) are empty in the others.
  template <class Make>
  Table over(Make make) const {
    std::vector<Table> parts;
    for (const OpenedStudy& study : studies) {
      const Snapshot snapshot(study);
      parts.push_back(make(study));
    }
    return parts.size() == 1 ? std::move(parts[0]) : joined(parts);
  }
  /// Everything that `make` says of each study, one study after the other.
  template <class T, class Make>
  std::vector<T> all(Make make) const {
    std::vector<T> out;
    for (const OpenedStudy& study : studies) {
      const Snapshot snapshot(study);
      for (T& one : make(study)) out.push_back(std::move(one));
    }
    return out;
  }
  Table joined(const std::vector<Table>& parts) const;
};

namespace {

void add_columns(std::vector<std::string>& all, const std::vector<std::string>& more) {
  for (const std::string& column : more) {
    if (std::find(all.begin(), all.end(), column) == all.end()) all.push_back(column);
  }
}

std::vector<Json> row_in(const std::vector<std::string>& columns, const Table& part, const std::vector<Json>& row) {
  std::vector<Json> out(columns.size());
  for (std::size_t i = 0; i < part.columns.size(); ++i) {
    const auto place = std::find(columns.begin(), columns.end(), part.columns[i]);
    out[std::size_t(place - columns.begin())] = row[i];
  }
  return out;
}

/// Title for the rows of all parts: theirs where it is the same, else that of each part behind its study's name.
std::string common_title(const std::vector<Table>& parts, const std::vector<OpenedStudy>& studies) {
  const auto is_first = [&](const Table& part) { return part.title == parts[0].title; };
  if (std::all_of(parts.begin(), parts.end(), is_first)) return parts[0].title;
  std::string title;
  for (std::size_t i = 0; i < parts.size(); ++i)
    title += (i == 0 ? "" : "; ") + studies[i].name + ": " + parts[i].title;
  return title;
}

}  // namespace

Table Reader::Impl::joined(const std::vector<Table>& parts) const {
  Table table{common_title(parts, studies), {"study"}, {}};
  for (const Table& part : parts) add_columns(table.columns, part.columns);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const std::vector<Json>& row : parts[i].rows) {
      table.rows.push_back(row_in(table.columns, parts[i], row));
      table.rows.back()[0] = studies[i].name;
    }
  }
  return table;
}

Reader::Reader(const std::filesystem::path& store, const std::vector<std::string>& studies)
    : impl_(std::make_unique<Impl>()) {
  for (const std::string& name : chosen(store, studies)) impl_->studies.push_back(open_study(store, name));
}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;

Table Reader::studies() const { return impl_->over(summary_of); }
Table Reader::status() const { return impl_->over(status_of); }
Table Reader::best(int count) const {
  return impl_->over([&](const OpenedStudy& study) { return best_of(study, count); });
}
Table Reader::winner() const { return impl_->over(winner_table); }
Table Reader::trials() const { return impl_->over(trials_of); }
Table Reader::progress() const { return impl_->over(progress_of); }
Table Reader::front() const { return impl_->over(front_of); }
Table Reader::hypervolume() const { return impl_->over(hypervolume_of); }

bool Reader::has_several() const {
  return std::all_of(impl_->studies.begin(), impl_->studies.end(), [](auto& s) { return !s.further.empty(); });
}

Table Reader::parameters() const { return impl_->over(parameters_of); }

std::vector<Table> Reader::importance(const std::string& method, const std::string& objective) const {
  if (objective == "all" && impl_->studies.size() > 1)
    throw Error(ErrorKind::usage, "--objective all is for one study", "name one objective that all of them have");
  std::vector<std::vector<Table>> parts;  // by kind of table, then by study
  for (const OpenedStudy& study : impl_->studies) {
    const Snapshot snapshot(study);
    std::vector<Table> tables = importance_of(study, method, objective);
    parts.resize(tables.size());
    for (std::size_t i = 0; i < tables.size(); ++i) parts[i].push_back(std::move(tables[i]));
  }
  std::vector<Table> out;
  for (auto& part : parts) out.push_back(part.size() == 1 ? std::move(part[0]) : impl_->joined(part));
  return out;
}

std::vector<Table> Reader::ablation(Audience audience) const {
  return impl_->all<Table>([audience](const OpenedStudy& study) { return ablation_of(study, audience); });
}

std::vector<Table> Reader::findings(Audience audience) const {
  return impl_->all<Table>([audience](const OpenedStudy& study) { return findings_of(study, audience); });
}

std::vector<NamedPicture> Reader::pictures() const { return impl_->all<NamedPicture>(pictures_of); }

plot::Picture Reader::picture(const std::string& kind, const PictureWishes& wishes) const {
  const Snapshot snapshot(impl_->studies.front());
  return picture_of(impl_->studies.front(), kind, wishes);
}

std::vector<Table> Reader::cost() const { return impl_->all<Table>(cost_of); }

Table Reader::ranks() const {
  return impl_->over([](const OpenedStudy& study) { return ranks_of(study); });
}

bool Reader::has_ranks() const {
  return std::any_of(impl_->studies.begin(), impl_->studies.end(),
                     [](const OpenedStudy& study) { return report::has_ranks(study); });
}

bool Reader::is_ablation() const {
  return std::all_of(impl_->studies.begin(), impl_->studies.end(),
                     [](const OpenedStudy& study) { return report::is_ablation(study); });
}

bool Reader::has_findings() const { return is_ablation() && !is_final(); }

std::vector<Table> Reader::final() const { return impl_->all<Table>(final_of); }

std::vector<std::string> Reader::failed_arms() const { return impl_->all<std::string>(report::failed_arms); }

bool Reader::is_final() const { return std::all_of(impl_->studies.begin(), impl_->studies.end(), is_final_study); }

Table Reader::workers() const {
  return impl_->over([](const OpenedStudy& study) {
    const bool knows = study.has_column("v_workers", "numerics");
    return table_of(
        study.query(std::string("SELECT driver, worker, pid, host, state, started, changed, ") +
                    (knows ? "device, numerics" : "NULL, NULL") + " FROM v_workers ORDER BY driver DESC, worker"),
        "workers", {"driver", "worker", "pid", "host", "state", "started", "changed", "device", "numerics"});
  });
}

Table Reader::divergences() const {
  return impl_->over([](const OpenedStudy& study) {
    return table_of(study.query("SELECT trial, step, metric, attempt, first, later FROM v_divergences"),
                    "attempts that measured something else", {"trial", "step", "metric", "attempt", "first", "later"});
  });
}

Table notes_of(const OpenedStudy& study) {
  return table_of(study.query("SELECT trial, 'note', text, time FROM v_notes UNION ALL "
                              "SELECT trial, 'tag', tag, NULL FROM v_tags ORDER BY 1, 2, 4, 3"),
                  "notes and tags", {"trial", "kind", "text", "time"});
}

Table Reader::notes() const { return impl_->over(notes_of); }

StudyList list_studies(const std::filesystem::path& store) {
  Table table{
      "studies", {"study", "state", "trials", "completed", "best", "best_trial", "metric", "started", "finished"}, {}};
  std::vector<Error> faults = read_each(store, storage::study_names(store), [&](const OpenedStudy& study) {
    for (auto& row : summary_of(study).rows) table.rows.push_back(std::move(row));
  });
  const auto started = [](const auto& row) -> const Json& { return row[7]; };
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [&](const auto& a, const auto& b) { return started(a) > started(b); });
  return {std::move(table), std::move(faults)};
}

}  // namespace dlrun::report
