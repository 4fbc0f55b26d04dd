// SPDX-License-Identifier: Apache-2.0
// Tables of reports as answers of tools, a page at a time.
#pragma once
#include <string>
#include <vector>

#include "mcp/answer.hpp"
#include "mcp/parameters.hpp"
#include "report/report.hpp"

namespace dlrun::cli::agent {

/// `limit` and `offset`: which rows of each table.
mcp::Parameters page_parameters();

/// Rows of each table as the arguments say; `total` is their number where some are missing.
mcp::Answer to_answer(const std::vector<report::Table>& tables, const Json& arguments);

/// Text of an argument, or the fallback.
std::string text_in(const Json& arguments, const char* name, const std::string& fallback = {});
std::vector<std::string> texts_in(const Json& arguments, const char* name);

/// The argument `study` of many tools.
mcp::Parameter study_parameter(bool is_required = false);

}  // namespace dlrun::cli::agent
