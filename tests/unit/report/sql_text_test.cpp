// SPDX-License-Identifier: Apache-2.0
// SQL as people type it: ends of statements, places of faults, completion.
#include "report/sql_text.hpp"

#include "report/report.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"

namespace sql_text_test {

using namespace dlrun;
using Words = std::vector<std::string>;

namespace {

const report::SqlWords kWords{{{"trials", {"trial", "objective", "objective_step"}}, {"tags", {"trial", "tag"}}},
                              {"total", "trim"},
                              {"from", "then", "transaction"}};

Words ends(const std::string& before) { return report::sql_completions(kWords, before); }

std::string message_of(const std::string& statement, const report::SqlOptions& options = {}) {
  const support::TempFolder folder;
  const auto store = storage::Store::create(folder.path(), support::sample_row(), {});
  try {
    report::sql(folder.path(), {}, statement, options);
  } catch (const Error& fault) {
    return fault.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a statement ends at a semicolon outside of texts and comments", "[report][sql]") {
  std::string text = "select ';' /* ; */ -- ;\n, 1; select 2; select";
  CHECK(report::take_statement(text) == "select ';' /* ; */ -- ;\n, 1;");
  CHECK(report::take_statement(text) == " select 2;");
  CHECK(report::take_statement(text) == std::nullopt);
  CHECK(text == " select");
}

TEST_CASE("spaces, comments and semicolons are no statement", "[report][sql]") {
  CHECK(report::is_blank_statement(" ;\n-- all\n/* of it */ ;"));
  CHECK_FALSE(report::is_blank_statement("select 1"));
  CHECK_FALSE(report::is_blank_statement("nonsense"));
}

TEST_CASE("a fault in SQL has its line, its column, and a mark below", "[report][sql]") {
  CHECK(message_of("select trial,\n  objectiv from trials") ==
        "sql:2:3: no such column: objectiv\n    2 |   objectiv from trials\n          ^");
  CHECK(message_of("select 'ä', objectiv from trials", {.first_line = 7}) ==
        "sql:7:13: no such column: objectiv\n    7 | select 'ä', objectiv from trials\n                    ^");
  CHECK(message_of("selekt 1").starts_with("sql:1:1: near \"selekt\": syntax error\n"));
}

TEST_CASE("of a long line the part around the fault is shown", "[report][sql]") {
  const std::string message = message_of("select " + std::string(300, ' ') + "objectiv" + std::string(300, ' '));
  CHECK(message.starts_with("sql:1:308: no such column: objectiv\n"));
  CHECK(message.substr(message.find("| ") + 2, 58) == std::string(50, ' ') + "objectiv");
  CHECK(message.ends_with("\n" + std::string(58, ' ') + "^"));
}

TEST_CASE("words are completed by what stands before them", "[report][sql]") {
  CHECK(ends("select * from t") == Words{"tags", "trials"});
  CHECK(ends("select * from ") == Words{"tags", "trials"});
  CHECK(ends("select tr") == Words{"transaction", "trial", "trials", "trim("});
  CHECK(ends("select TR") == Words{"TRANSACTION", "trial", "trials", "trim("});
  CHECK(ends("select * from tags where tag = trials.obj") == Words{"objective", "objective_step"});
  CHECK(ends("select * from tags where obj").empty());  // a column of another table
  CHECK(ends("select * from trials t where t.obj") == Words{"objective", "objective_step"});
  CHECK(ends("select ").empty());
  CHECK(ends("select objective") == Words{"objective", "objective_step"});
  CHECK(ends("select objective_step").empty());  // whole
}

TEST_CASE("the words to complete are those of the store and of SQLite", "[report][sql]") {
  const support::TempFolder folder;
  const auto store = storage::Store::create(folder.path(), support::sample_row(), {});
  const report::SqlWords words = report::sql_words(folder.path(), {});
  CHECK(report::sql_completions(words, "select medi") == Words{"median("});
  CHECK(report::sql_completions(words, "select group_con") == Words{"group_concat("});
  CHECK(report::sql_completions(words, "select 1 interse") == Words{"intersect"});
  CHECK(report::sql_completions(words, "select * from ablation_eff") == Words{"ablation_effects"});
  CHECK(report::sql_completions(words, "select costs.seconds_p") == Words{"seconds_per_epoch"});
}

}  // namespace sql_text_test
