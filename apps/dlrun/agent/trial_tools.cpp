// SPDX-License-Identifier: Apache-2.0
// Tools that read one trial.

#include "agent/log_tail.hpp"
#include "agent/tables.hpp"
#include "agent/tools.hpp"
#include "report/selectors.hpp"
#include "report/trial_reader.hpp"

namespace dlrun::cli::agent {

namespace {

using mcp::Answer;
using mcp::Caller;
using mcp::Parameters;
using mcp::Tool;

mcp::Parameter trial_parameter() {
  return {.name = "trial",
          .text = "STUDY/17, STUDY/best, STUDY/last, or a number alone for a trial of the study that was started last",
          .is_required = true,
          .longest = 200};
}

report::OneTrial trial_in(const Grant& grant, const Json& arguments) {
  return report::find_trial(grant.store, text_in(arguments, "trial"));
}

Parameters with_page() {
  Parameters out = page_parameters();
  out.insert(out.begin(), trial_parameter());
  return out;
}

Answer facts(const Grant& grant, const Json& arguments) {
  const report::TrialReader reader(grant.store, trial_in(grant, arguments));
  std::vector<report::Table> tables = {reader.facts()};
  for (report::Table& table : reader.details()) {
    if (!table.rows.empty()) tables.push_back(std::move(table));
  }
  return to_answer(tables, arguments);
}

Answer logs(const Grant& grant, const Json& arguments) {
  const report::TrialReader reader(grant.store, trial_in(grant, arguments));
  LogTail tail(arguments.value("lines", std::size_t(50)));
  for (const std::filesystem::path& file : reader.logs()) tail.add_file(file);
  if (tail.is_empty()) tail.append(reader.log_tail());
  return {{{"trial", reader.name()}, {"lines", tail.lines()}, {"is_whole", tail.is_whole()}}};
}

}  // namespace

std::vector<Tool> trial_tools(const Grant& grant) {
  return {
      {.name = "show_trial",
       .title = "Facts of a trial",
       .text = "State, parameters, metrics by epoch, attempts and artifacts of one trial.",
       .parameters = with_page(),
       .run = [grant](const Json& arguments, const Caller&) { return facts(grant, arguments); }},
      {.name = "explain_trial",
       .title = "Decisions about a trial",
       .text = "Why a trial has its values and why it stopped: each decision with its reason and rivals.",
       .parameters = with_page(),
       .run =
           [grant](const Json& arguments, const Caller&) {
             return to_answer(report::TrialReader(grant.store, trial_in(grant, arguments)).explanation(), arguments);
           }},
      {.name = "trial_logs",
       .title = "Logs of a trial",
       .text = "The last lines that the attempts of a trial wrote.",
       .parameters =
           {trial_parameter(),
            {.name = "lines", .type = mcp::Type::whole, .text = "last lines, 50 by default", .least = 1, .most = 500}},
       .run = [grant](const Json& arguments, const Caller&) { return logs(grant, arguments); }}};
}

}  // namespace dlrun::cli::agent
