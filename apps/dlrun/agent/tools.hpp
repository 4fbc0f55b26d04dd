// SPDX-License-Identifier: Apache-2.0
// Tools that `dlrun mcp` offers, in the order in which agents see them.
#pragma once
#include <memory>
#include <vector>

#include "agent/grant.hpp"
#include "mcp/tool.hpp"

namespace dlrun::cli::agent {

class Children;

std::vector<mcp::Tool> study_tools(const Grant& grant);      ///< studies, their reports, SQL
std::vector<mcp::Tool> trial_tools(const Grant& grant);      ///< one trial: facts, decisions, logs
std::vector<mcp::Tool> spec_tools(const Grant& grant);       ///< check, keys, help
std::vector<mcp::Tool> proposing_tools(const Grant& grant);  ///< enqueue, note, ask and tell
/// Start, stop, and the list of those started. @param children  outlives the tools
std::vector<mcp::Tool> starting_tools(const Grant& grant, Children& children);

}  // namespace dlrun::cli::agent
