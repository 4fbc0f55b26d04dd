// SPDX-License-Identifier: Apache-2.0
// Tools that read studies: lists, reports, SQL.
#include <fmt/format.h>

#include "agent/tables.hpp"
#include "agent/tools.hpp"
#include "report/readable.hpp"
#include "report/report.hpp"
#include "report/selectors.hpp"
#include "report_sections.hpp"
#include "storage/store.hpp"

namespace dlrun::cli::agent {

namespace {

using mcp::Answer;
using mcp::Caller;
using mcp::Parameters;
using mcp::Tool;
using mcp::Type;

constexpr double kMostSeconds = 10;  // limit for a query

Parameters with_page(Parameters parameters) {
  for (mcp::Parameter& parameter : page_parameters()) parameters.push_back(std::move(parameter));
  return parameters;
}

std::string study_in(const Grant& grant, const Json& arguments) {
  return report::find_study(grant.store, text_in(arguments, "study"));
}

Tool studies_tool(const Grant& grant) {
  return {.name = "list_studies",
          .title = "List studies",
          .text = "Studies of the store, the newest first: name, state, number of trials, best value.",
          .parameters = page_parameters(),
          .run = [grant](const Json& arguments, const Caller&) {
            report::StudyList list = report::list_studies(grant.store);
            std::vector<report::Table> tables{std::move(list.table)};
            if (!list.faults.empty()) tables.push_back(report::faults_table(list.faults));
            return to_answer(tables, arguments);
          }};
}

Tool status_tool(const Grant& grant) {
  return {.name = "study_status",
          .title = "Status of a study",
          .text = "State of a study and its number of trials in each state. It can be asked while the study runs.",
          .parameters = {study_parameter()},
          .run = [grant](const Json& arguments, const Caller&) {
            return to_answer({report::Reader(grant.store, {study_in(grant, arguments)}).status()}, arguments);
          }};
}

Answer report_section(const Grant& grant, const Json& arguments) {
  const report::Reader reader(grant.store, {study_in(grant, arguments)});
  const bool has_best = arguments.contains("top") || !reader.has_findings();
  const std::string name = text_in(arguments, "section", has_best ? "best" : "findings");
  require_followed(
      {name}, [&](const std::string& wish) { return arguments.contains(wish); }, "");
  const Wishes wishes{.top = arguments.value("top", 10),
                      .method = text_in(arguments, "method", "fanova"),
                      .objective = text_in(arguments, "objective")};
  return to_answer(section(reader, name, wishes), arguments);
}

Tool report_tool(const Grant& grant) {
  Parameters parameters = {
      study_parameter(),
      {.name = "section",
       .text =
           "best (default): the best trials; trials: all trials; winner: the best value without its luck; pareto: the "
           "front of several objectives; importance: which parameters matter; findings: the answer of an ablation",
       .choices = {"best", "trials", "winner", "findings", "progress", "parameters", "pareto", "importance", "ablation",
                   "final", "cost", "ranks", "divergences"}},
      {.name = "top", .type = Type::whole, .text = "trials of `best`, 10 by default", .least = 1, .most = 1000},
      {.name = "method", .text = "of `importance`, fanova by default", .choices = {"fanova", "ped_anova", "shapley"}},
      {.name = "objective", .text = "metric that `importance` is for, the first objective by default"}};
  return {.name = "report",
          .title = "Report of a study",
          .text = "One section of a study's report as tables. It can be asked while the study runs.",
          .parameters = with_page(std::move(parameters)),
          .run = [grant](const Json& arguments, const Caller&) { return report_section(grant, arguments); }};
}

Answer query(const Grant& grant, const Json& arguments) {
  const report::Readable readable = report::find_readable(grant.store, texts_in(arguments, "studies"));
  const double seconds = arguments.value("seconds", 1);
  std::vector<report::Table> tables{
      report::sql_apart(grant.store, readable.studies, text_in(arguments, "sql"), {.seconds = seconds})};
  if (!readable.faults.empty()) tables.push_back(report::faults_table(readable.faults));
  return to_answer(tables, arguments);
}

Tool sql_tool(const Grant& grant) {
  Parameters parameters = {{.name = "sql", .text = "one select statement", .is_required = true, .longest = 20'000},
                           {.name = "studies",
                            .type = Type::texts,
                            .text = "names of studies, or all; without it the one that was started last",
                            .longest = 200},
                           {.name = "seconds",
                            .type = Type::whole,
                            .text = "limit of time, 1 by default",
                            .least = 1,
                            .most = std::int64_t(kMostSeconds)}};
  return {.name = "query",
          .title = "Ask in SQL",
          .text =
              "One read-only select statement in SQLite's SQL over tables such as trials, params, metrics, attempts, "
              "decisions, notes. `query_tables` has their columns. median, quantile and stdev are there.",
          .parameters = with_page(std::move(parameters)),
          .run = [grant](const Json& arguments, const Caller&) { return query(grant, arguments); }};
}

Tool tables_tool(const Grant& grant) {
  return {.name = "query_tables",
          .title = "Tables of SQL",
          .text = "Tables that `query` may ask, with their columns.",
          .parameters = with_page({study_parameter()}),
          .run = [grant](const Json& arguments, const Caller&) {
            return to_answer({report::sql_tables(grant.store, {study_in(grant, arguments)})}, arguments);
          }};
}

Answer text_of(const Grant& grant, const Json& arguments) {
  const std::string study = study_in(grant, arguments);
  return {{{"study", study}, {"text", storage::Store::find(grant.store, study).value().spec_text}}};
}

Tool text_tool(const Grant& grant) {
  return {.name = "study_file",
          .title = "File of a study",
          .text = "The study file as its author wrote it, in YAML.",
          .parameters = {study_parameter()},
          .run = [grant](const Json& arguments, const Caller&) { return text_of(grant, arguments); }};
}

}  // namespace

std::vector<Tool> study_tools(const Grant& grant) {
  return {studies_tool(grant), status_tool(grant), report_tool(grant),
          sql_tool(grant),     tables_tool(grant), text_tool(grant)};
}

}  // namespace dlrun::cli::agent
