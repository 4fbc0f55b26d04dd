// SPDX-License-Identifier: Apache-2.0
#include "agent/record.hpp"

#include "report/report.hpp"

namespace dlrun::cli::agent {

namespace {

Json first_cell(const std::filesystem::path& store, const std::string& study, const std::string& statement) {
  const report::Table table = report::sql(store, {study}, statement, report::kOwnSql);
  return table.rows.empty() ? Json() : table.rows[0][0];
}

}  // namespace

// The words "# started by agent " and "agent NAME enqueued " are part of the format: they are counted in stores.
std::string started_remark(const std::string& caller) { return "started by agent " + caller; }

bool was_started_by_agent(const std::filesystem::path& store, const std::string& study) {
  const Json command = first_cell(store, study, "select command from environment order by driver limit 1");
  return command.is_string() && command.get<std::string>().find("# started by agent ") != std::string::npos;
}

std::string enqueued_note(const mcp::Caller& caller, const std::string& values) {
  return "agent " + caller.name + " enqueued " + values;
}

// A colon before the word ends the name in an agent's own note; names hold none.
std::int64_t enqueued_by_agents(const std::filesystem::path& store, const std::string& study) {
  return first_cell(store, study,
                    "select count(*) from notes where text glob 'agent * enqueued *' and "
                    "instr(text, ':') not between 1 and instr(text, ' enqueued ')")
      .get<std::int64_t>();
}

std::string own_note(const mcp::Caller& caller, const std::string& text) {
  return "agent " + caller.name + ": " + text;
}

}  // namespace dlrun::cli::agent
