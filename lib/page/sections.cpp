// SPDX-License-Identifier: Apache-2.0
#include "page/sections.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "page/figures.hpp"
#include "page/lineage_section.hpp"
#include "page/markup.hpp"
#include "page/placement_data.hpp"
#include "page/rerun_section.hpp"
#include "report/final_runs.hpp"
#include "report/winner.hpp"

namespace dlrun::page {

namespace {

using report::Table;

constexpr int kBestShown = 10;           ///< trials of the first table
constexpr int kFailuresShown = 20;       ///< failed trials
constexpr std::size_t kRanksShown = 20;  ///< trials of the table of ranks that is open

class Sections {
 public:
  explicit Sections(const StudyPage& page) : page_(page), study_(*page.study), data_(page.data) {}

  std::vector<Section> all() {
    if (page_.kind == Kind::search) {
      add_search();
    } else {
      add_comparison();
    }
    add_section("failures", "Why trials failed", tables({failures()}));
    add_shared();
    return std::move(sections_);
  }

 private:
  void add_section(const char* id, const char* title, std::string html) {
    if (!html.empty()) sections_.push_back({fmt::format("s{}-{}", page_.index, id), title, std::move(html)});
  }
  void add_plot(const char* plot, const char* title, const std::string& what) {
    add_section(plot, title, figure_html(page_, plot, what));
  }
  std::string table(const Table& table) const { return table_html(table, page_.named); }
  std::string tables(const std::vector<Table>& all) const {
    std::string out;
    for (const Table& one : all) {
      if (!one.rows.empty()) out += table(one);
    }
    return out;
  }
  std::size_t parameters() const { return data_.at("parameters").size(); }
  bool has_values() const {
    const Json& values = data_.at("trials").at("objectives")[0];
    return std::any_of(values.begin(), values.end(), [](const Json& value) { return !value.is_null(); });
  }

  /// Failed trials with the reason of the attempt that failed or was lost last, and the last output of its program.
  Table failures() const {
    const std::string from =
        " FROM (SELECT trial, cause, message, log_tail, row_number() OVER (PARTITION BY trial ORDER BY finished DESC, "
        "replicate DESC, fold DESC, piece DESC, attempt DESC) AS age FROM v_attempts WHERE state IN ('failed', "
        "'lost')) a "
        "JOIN v_trials t USING (trial) WHERE age = 1 AND t.state = 'failed'";
    Table table = report::table_of(study_.query("SELECT trial, a.cause, a.message, rtrim(log_tail, char(10))" + from +
                                                fmt::format(" ORDER BY trial LIMIT {}", kFailuresShown)),
                                   "trials that failed", {"trial", "cause", "why", "its last output"});
    const std::int64_t all = study_.database->integer("SELECT count(*)" + from);
    if (all > kFailuresShown) table.title = fmt::format("the first {} of {} trials that failed", kFailuresShown, all);
    return table;
  }

  void add_search() {
    add_section("best", "Best trials", table(report::best_of(study_, kBestShown)));
    add_section("winner", "How good is the winner?", tables({report::winner_table(study_)}));
    if (!has_values()) return;
    const std::string& metric = study_.metric;
    if (data_.contains("front"))
      add_section("front", "Pareto front",
                  figure_html(page_, "front", "The objectives of all trials; those on the front are marked") +
                      tables({report::front_of(study_), report::hypervolume_of(study_)}));
    add_plot("history", "History", "Value of " + metric + " of each trial, and the best so far");
    add_curves();
    add_parameters();
  }

  void add_curves() {
    if (data_.contains("curves")) add_plot("curves", "Learning curves", study_.metric + " by epoch");
  }

  void add_parameters() {
    const std::string& metric = study_.metric;
    if (parameters() == 0) return;
    const std::string plot =
        data_.contains("importance")
            ? figure_html(page_, "importance", "Share of each parameter in the variance of " + metric)
            : "";
    add_section("importance", "Which parameters matter", plot + tables(page_.importance));
    add_plot("slice", "Each parameter alone", metric + " by the value of each parameter");
    if (parameters() < 2) return;
    add_plot("parallel", "All parameters together", "Parameters and " + metric + " of each trial, as lines");
    add_plot("contour", "Two parameters together", metric + " over two parameters");
  }

  void add_comparison() {
    if (page_.kind == Kind::final) {
      add_section("final", "Comparison", tables(report::final_of(study_)));
      return add_curves();
    }
    const std::vector<Table> findings = add_findings();
    if (data_.contains("ablation") && !data_["ablation"]["interactions"].empty())
      add_plot("interactions", "Interactions", "How much two components need each other");
    add_section("pairs", "Seed by seed", picture_html(page_, "pairs"));
    add_section("without", "Learning curves without each component", picture_html(page_, "curves"));
    add_section("details", "Details", tables(details_without(findings)));
  }

  /// Tables of the details that are not among the findings.
  std::vector<Table> details_without(const std::vector<Table>& findings) const {
    std::vector<Table> details = report::ablation_of(study_, report::Audience::people);
    std::erase_if(details, [&](const Table& one) {
      return std::any_of(findings.begin(), findings.end(), [&](const Table& other) {
        return other.title == one.title && other.columns == one.columns && other.rows == one.rows;
      });
    });
    return details;
  }

  /// The sentences stand in the header already. @return the tables
  std::vector<Table> add_findings() {
    std::vector<Table> findings = report::findings_of(study_, report::Audience::people);
    std::erase_if(findings, [](const Table& table) { return table.shape == report::Shape::sentences; });
    const bool is_race = page_.kind == Kind::race;
    const std::string what =
        is_race ? "How far the others are behind the leader by " : "Contribution of each component to ";
    const std::string plot = data_.contains("ablation") ? figure_html(page_, "ablation", what + study_.metric)
                                                        : picture_html(page_, "ablation");
    add_section("ablation", is_race ? "Contenders" : "Contributions", plot + tables(findings));
    return findings;
  }

  void add_shared() {
    if (data_.contains("workers")) add_plot("gantt", "Workers", "Attempts of each worker over time");
    add_section("cost", "Cost and savings", tables(report::cost_of(study_)));
    add_ranks();
    if (data_.contains("placement")) add_section("placement", "Placement", placement_html(page_));
    add_section("lineage", "Where the best trial comes from", lineage_html(page_));
    add_section("notes", "Notes", notes_html(page_));
    add_section("trials", "All trials", trials_html());
    add_section("again", "Run it again", rerun_html(page_));
  }

  void add_ranks() {
    if (!data_.contains("ranks")) return;
    const std::string plot = figure_html(page_, "ranks", "Time, bytes and staleness of ranks");
    const std::string all = table(report::ranks_of(study_));
    const bool is_long = data_["ranks"]["trials"].size() > kRanksShown;
    add_section("ranks", "Ranks",
                plot + (is_long ? "<details><summary>Ranks of all trials</summary>" + all + "</details>\n" : all));
  }

  std::string trials_html() const {
    const std::size_t trials = data_.at("trials").at("number").size();
    if (trials == 0) return {};
    return fmt::format(
        "<details class=\"trials\" data-study=\"{}\"><summary>{} trial{}, {} parameter{}</summary>\n"
        "<noscript><p>The list needs JavaScript. <code>dlrun report --sql 'select * from trials'</code> prints "
        "it.</p></noscript></details>\n",
        page_.index, trials, trials == 1 ? "" : "s", parameters(), parameters() == 1 ? "" : "s");
  }

  const StudyPage& page_;
  const report::OpenedStudy& study_;
  const Json& data_;
  std::vector<Section> sections_;
};

}  // namespace

std::vector<Section> sections_of(const StudyPage& page) { return Sections(page).all(); }

}  // namespace dlrun::page
