// SPDX-License-Identifier: Apache-2.0
// Question that the options of `dlrun report` ask.
#pragma once
#include "arguments.hpp"

namespace dlrun::cli {

enum class ReportQuestion {
  sections,  ///< --section, --trials, or none of all these
  sql,       ///< --sql, --sql-file or --query
  tables,    ///< --sql-tables
  queries,   ///< --list
  page       ///< --html
};

/// @throws Error(usage) where two options ask different questions, or one belongs to another question
ReportQuestion report_question_of(const Arguments& arguments);

}  // namespace dlrun::cli
