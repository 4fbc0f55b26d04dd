// SPDX-License-Identifier: Apache-2.0
#include "report_question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "util/error.hpp"

namespace dlrun::cli {

namespace {

/// An option that asks a question, and those that may stand beside it.
struct Asking {
  std::string option;
  ReportQuestion question;
  std::vector<std::string> beside;
  const char* hint;
};

constexpr const char* kOneByOne = "ask one question at a time";

const std::vector<Asking>& askings() {
  static const std::vector<std::string> answer = {"plots", "timeout", "format", "output"};
  static const char* const limit = "write `limit 5` and what else you want in the statement";
  static const std::vector<Asking> all = {
      {"list", ReportQuestion::queries, {"format", "output"}, kOneByOne},
      {"sql-tables", ReportQuestion::tables, {"format", "output"}, kOneByOne},
      {"html", ReportQuestion::page, {}, "a page has everything that a report has; run them one after the other"},
      {"sql", ReportQuestion::sql, answer, limit},
      {"sql-file", ReportQuestion::sql, answer, limit},
      {"query", ReportQuestion::sql, answer, limit}};
  return all;
}

constexpr const char* kOptions[] = {"section", "trials",  "top",      "method", "objective",
                                    "plots",   "timeout", "format",   "list",   "sql-tables",
                                    "html",    "sql",     "sql-file", "query",  "output"};

bool asks(const std::string& option) {
  return std::any_of(askings().begin(), askings().end(), [&](const Asking& one) { return one.option == option; });
}

void check_alone(const Arguments& arguments, const Asking& asking) {
  for (const std::string option : kOptions) {
    const bool may =
        option == asking.option || std::find(asking.beside.begin(), asking.beside.end(), option) != asking.beside.end();
    if (arguments.has(option) && !may)
      throw Error(ErrorKind::usage, fmt::format("--{} and --{} exclude one another", asking.option, option),
                  asks(option) ? kOneByOne : asking.hint);
  }
}

}  // namespace

ReportQuestion report_question_of(const Arguments& arguments) {
  for (const Asking& asking : askings()) {
    if (!arguments.has(asking.option)) continue;
    check_alone(arguments, asking);
    return asking.question;
  }
  if (arguments.has("timeout"))
    throw Error(ErrorKind::usage, "--timeout limits a query in SQL, and none is asked", "add --sql SELECT");
  return ReportQuestion::sections;
}

}  // namespace dlrun::cli
