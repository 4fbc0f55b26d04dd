// SPDX-License-Identifier: Apache-2.0
// `report --sql` answers questions and does nothing else: attacks are refused, the file keeps its bytes, nothing new
// lies beside it.
#include <chrono>
#include <set>

#include "report/report.hpp"
#include "storage/paths.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace sandbox_test {

using namespace dlrun;
using report::sql;
using report::Table;
using support::TempFolder;

namespace {

void write_studies(const std::filesystem::path& folder, int count) {
  for (int s = 0; s < count; ++s) {
    auto store = storage::Store::create(folder, support::sample_row("s" + std::to_string(s)), {});
    store->study_state("running", "");
    for (std::int64_t i = 0; i < 20; ++i) support::write_trial(*store, i, double(i + s) / 100);
    store->close();
  }
}

/// Three studies that all tests of this file ask, for none may change them.
const std::filesystem::path& asked() {
  static const TempFolder folder;
  static const bool is_written = (write_studies(folder.path(), 3), true);
  REQUIRE(is_written);
  return folder.path();
}

std::set<std::string> files_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) names.insert(entry.path().string());
  return names;
}

std::string hash_of(const std::filesystem::path& folder) {
  return Sha256::hex_of(read_file(storage::study_file(folder, "s0", ".db")));
}

}  // namespace

TEST_CASE("median, quantile and stdev are those of Python", "[report][sql]") {
  // statistics.median and stdev of [3, 1, 4, 1, 5, 9, 2, 6]; numpy.quantile(…, 0.9)
  const Table table = sql(asked(), {"s0"},
                          "with v(x) as (values (3), (1), (4), (1), (5), (9), (2), (6), (null), ('text')) "
                          "select median(x), quantile(x, 0.9), stdev(x), quantile(x, 0), quantile(x, 1) from v");
  REQUIRE(table.rows.size() == 1);
  CHECK(table.rows[0][0] == 3.5);
  CHECK(table.rows[0][1].get<double>() == Approx(6.9));
  CHECK(table.rows[0][2].get<double>() == Approx(2.748376143938713));
  CHECK(table.rows[0][3] == 1.0);
  CHECK(table.rows[0][4] == 9.0);
}

TEST_CASE("aggregates of nothing, of one value and with a wrong share", "[report][sql]") {
  CHECK(sql(asked(), {"s0"}, "select median(objective), stdev(objective) from trials where trial < 0").rows[0] ==
        std::vector<Json>{nullptr, nullptr});
  CHECK(sql(asked(), {"s0"}, "select median(objective), stdev(objective) from trials where trial = 3").rows[0] ==
        std::vector<Json>{0.03, nullptr});
  CHECK_THROWS_WITH(sql(asked(), {"s0"}, "select quantile(objective, 2) from trials"),
                    Contains("quantile(x, p) needs p from 0 to 1"));
  CHECK(sql(asked(), {"s0"}, "select trial % 2, median(objective) from trials group by 1 order by 1").rows ==
        std::vector<std::vector<Json>>{{0, 0.09}, {1, 0.1}});
}

TEST_CASE("the tables that may be asked are listed with their columns", "[report][sql]") {
  const Table table = report::sql_tables(asked(), {"s0", "s1"});
  const auto notes = std::find_if(table.rows.begin(), table.rows.end(), [](auto& row) { return row[0] == "notes"; });
  REQUIRE(notes != table.rows.end());
  CHECK((*notes)[1] == "study, trial, time, text");
}

TEST_CASE("a query is answered with its columns and typed cells", "[report][sql]") {
  const Table table =
      sql(asked(), {"s0"}, "select trial, objective, state, cause from trials where trial < 2 order by 1;");
  CHECK(table.columns == std::vector<std::string>{"trial", "objective", "state", "cause"});
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[1] == std::vector<Json>{1, 0.01, "completed", nullptr});
}

TEST_CASE("every view answers under its short and its long name", "[report][sql]") {
  const auto view =
      GENERATE(as<std::string>{}, "study", "trials", "params", "metrics", "pieces", "attempts", "best", "artifacts",
               "events", "edges", "decisions", "workers", "notes", "tags", "parameters", "environment", "divergences");
  CHECK_NOTHROW(sql(asked(), {"s0"}, "select * from " + view));
  CHECK_NOTHROW(sql(asked(), {"s0"}, "select count(*) from v_" + view));
  CHECK_NOTHROW(sql(asked(), {"s0", "s1", "s2"}, "select * from " + view));
}

TEST_CASE("several studies answer together", "[report][sql]") {
  const Table table = sql(asked(), {"s0", "s1", "s2"},
                          "select study, count(*), max(objective) from trials group by study order by study");
  REQUIRE(table.rows.size() == 3);
  CHECK(table.rows[2] == std::vector<Json>{"s2", 20, 0.21});
}

TEST_CASE("attacks are refused, the file keeps its bytes and no file appears", "[report][sql][attack]") {
  const std::string before = hash_of(asked());
  const std::set<std::string> files = files_in(asked());
  const std::string aside = (asked() / "stolen.db").string();
  const auto attack = GENERATE_COPY(
      as<std::string>{}, "insert into dl_trial (trial, state) values (99, 0)", "delete from dl_trial",
      "update dl_trial set objective = 1", "replace into dl_note values (1, 1, 1, 'x')", "drop table dl_log",
      "create table t (a)", "create temp table t (a)", "create view w as select 1",
      "create trigger g after insert on dl_note begin select 1; end", "create virtual table f using fts5(a)",
      "alter table dl_trial rename to gone", "create index i on dl_trial (state)", "analyze", "vacuum",
      "vacuum into '" + aside + "'", "attach '" + aside + "' as other", "detach main", "pragma query_only = 0",
      "pragma journal_mode = delete", "pragma user_version = 7", "select * from pragma_table_info('dl_trial')", "begin",
      "commit", "savepoint a", "select load_extension('/lib/x.so')", "select readfile('/etc/passwd')",
      "select writefile('" + aside + "', 'x')", "select zeroblob(1000000000)", "select randomblob(1000000000)",
      "select 1; delete from dl_trial", "select 1; vacuum into '" + aside + "'",
      "with d as (select 1) delete from dl_trial where trial in (select * from d)",
      "select replace(hex(zeroblob(1000)), '0', hex(zeroblob(100000)))", "select fts3_tokenizer('simple')",
      "explain query plan delete from dl_trial", std::string("select 1\0; drop table dl_log", 28), "", ";",
      "-- nothing", "nonsense");
  INFO(attack);
  CHECK_THROWS_AS(sql(asked(), {"s0"}, attack), Error);
  CHECK(hash_of(asked()) == before);
  CHECK(files_in(asked()) == files);
}

TEST_CASE("a query that never ends is stopped at its deadline", "[report][sql][attack]") {
  const auto endless = GENERATE(
      as<std::string>{}, "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n",
      "select count(*) from trials a, trials b, trials c, trials d, trials e, trials f, trials g, trials h",
      "with recursive n(i) as (select 1 union all select i + 1 from n) select group_concat(i) from n",
      "with recursive n(s) as (select 'aaaaaaaaaa' union all select s || s from n) select length(s) from n");
  const auto began = std::chrono::steady_clock::now();
  try {
    sql(asked(), {"s0"}, endless, {.seconds = 0.3});
    FAIL("it ended");
  } catch (const Error& fault) {
    CHECK(fault.exit_code() == 2);
    INFO(fault.what());
  }
  CHECK(std::chrono::steady_clock::now() - began <
        std::chrono::seconds(10));  // far above the deadline: loaded machines
}

TEST_CASE("more rows than the cap are an error, not a cut table", "[report][sql]") {
  CHECK_THROWS_WITH(sql(asked(), {"s0"}, "select a.trial from trials a, trials b, trials c, trials d limit 10001"),
                    "the query gives more than 10000 rows");
  CHECK(sql(asked(), {"s0"}, "select a.trial from trials a, trials b, trials c, trials d limit 10000").rows.size() ==
        10000);
}

TEST_CASE("a mistake in a query is told in SQLite's words", "[report][sql]") {
  CHECK_THROWS_WITH(sql(asked(), {"s0"}, "select nope from trials"),
                    Catch::Matchers::StartsWith("sql:1:8: no such column: nope\n"));
  CHECK_THROWS_WITH(sql(asked(), {"s0"}, "select 1; select 2"), "sql: more than one statement");
  CHECK(sql(asked(), {"s0"}, "select 1 ; -- and nothing more\n ;").rows.size() == 1);
}

}  // namespace sandbox_test
