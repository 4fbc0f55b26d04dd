// SPDX-License-Identifier: Apache-2.0
// v_ablation_effects says the same as the report's contributions.
#include <algorithm>
#include <cmath>

#include "recipe/metric_kinds.hpp"
#include "report/report.hpp"
#include "storage/schema.hpp"
#include "support/ablation_study.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"

namespace ablation_view_test {

using namespace dlrun;
using support::AblationPlan;

namespace {

using Names = std::vector<std::string>;

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Two parts with noise of their own in each replicate; without `b` replicate 2 fails.
std::optional<double> value_of(const Names& off, int r) {
  if (off == Names{"b"} && r == 2) return std::nullopt;
  const double noise = 0.01 * double((r * 7 + int(off.size()) * 3) % 5);
  return 0.9 + noise - (has(off, "a") ? 0.05 : 0) + (has(off, "b") ? 0.04 : 0);
}

struct Told {
  report::Table table;  ///< of the report
  report::Table view;
};

/// @param title  of the report's table
Told told(const AblationPlan& plan, const std::string& title, const std::string& contrast) {
  const support::TempFolder folder;
  const auto store = support::write_ablation(folder.path(), plan, value_of);
  Told out;
  for (report::Table& table : report::Reader(folder.path(), {}).ablation(report::Audience::programs)) {
    if (table.title == title) out.table = std::move(table);
  }
  out.view = report::sql(folder.path(), {},
                         "select component, n, lost, mean, contribution, contribution / stdev, stdev, difference, "
                         "base_mean, direction, base from ablation_effects where contrast = '" +
                             contrast + "'");
  return out;
}

const std::vector<Json>& row_of(const report::Table& table, const std::string& component) {
  for (const auto& row : table.rows) {
    if (row[0] == component) return row;
  }
  FAIL("no row " + component);
  return table.rows.at(0);
}

Json at(const report::Table& table, const std::string& component, const std::string& column) {
  const auto place = std::find(table.columns.begin(), table.columns.end(), column);
  REQUIRE(place != table.columns.end());
  return row_of(table, component)[std::size_t(place - table.columns.begin())];
}

void check_same(const Told& both, const std::string& component) {
  const std::vector<Json>& row = row_of(both.view, component);
  CHECK(row[1] == at(both.table, component, "pairs"));
  CHECK(row[2] == at(both.table, component, "lost"));
  const auto same = [&](std::size_t column, const std::string& name) {
    CHECK(row[column].get<double>() == Approx(at(both.table, component, name).get<double>()).epsilon(1e-5));
  };
  same(4, "contribution");
  same(5, "d_z");
}

}  // namespace

TEST_CASE("the effects in SQL are those of the report", "[report][ablation][sql]") {
  const bool maximize = GENERATE(true, false);
  const Told both = told({.off = {{"a"}, {"b"}}, .maximize = maximize}, "contributions", "left_out");
  REQUIRE(both.view.rows.size() == 2);
  for (const std::string component : {"a", "b"}) {
    check_same(both, component);
    CHECK(row_of(both.view, component)[3].get<double>() ==
          Approx(at(both.table, component, "metric").get<double>()).epsilon(1e-5));
    CHECK(row_of(both.view, component)[9] == (maximize ? "maximize" : "minimize"));
    CHECK(row_of(both.view, component)[10] == "baseline");
  }
  CHECK(row_of(both.view, "b")[2] == 1);
}

TEST_CASE("the difference in SQL is that of two means, by hand", "[report][ablation][sql]") {
  const Told both = told({.off = {{"a"}}, .replicates = 2}, "contributions", "left_out");
  const std::vector<Json>& row = row_of(both.view, "a");  // 0.9 and 0.92 with it; 0.88 and 0.85 without: -0.02, -0.07
  CHECK(row[8].get<double>() == Approx(0.91));
  CHECK(row[7].get<double>() == Approx(-0.045));
  CHECK(row[6].get<double>() == Approx(0.05 / std::sqrt(2.0)));
  CHECK(row[4].get<double>() == Approx(0.045));
}

TEST_CASE("a component that is put back alone is compared with none of them", "[report][ablation][sql]") {
  const Told both = told({.design = "add_one_in", .off = {{"a", "b"}, {"b"}, {"a"}}},
                         "contributions, each put back alone", "put_back");
  REQUIRE(both.view.rows.size() == 2);
  check_same(both, "a");
  check_same(both, "b");
}

TEST_CASE("variants without a run are there, with nothing measured", "[report][ablation][sql]") {
  const support::TempFolder folder;
  const auto store = storage::Store::create(folder.path(), support::ablation_row({.off = {{"a"}}}), space::Space());
  const auto rows =
      report::sql(folder.path(), {}, "select variant, n, lost, difference, stdev from ablation_effects").rows;
  CHECK(rows == std::vector<std::vector<Json>>{{"a", 0, 0, nullptr, nullptr}});
}

// A plugin's metric was minimized in SQL, so that components which help had negative contributions.
TEST_CASE("the plan says that a plugin's metric is maximized", "[report][ablation][sql]") {
  const bool maximize = GENERATE(true, false);
  const support::TempFolder folder;
  AblationPlan plan{.off = {{"a"}}, .analysis = {{"metric", "val.dice"}}};
  if (maximize) plan.derived = {{"maximize", true}};
  const auto store = storage::Store::create(folder.path(), support::ablation_row(plan), space::Space());
  const auto rows = report::sql(folder.path(), {}, "select metric, direction from ablation_effects").rows;
  CHECK(rows == std::vector<std::vector<Json>>{{"val.dice", maximize ? "maximize" : "minimize"}});
}

// A second objective, and a program's own metric, were minimized whatever they are.
TEST_CASE("report and view take an objective's direction, else that of the metric's name", "[report][ablation][sql]") {
  const auto [metric, direction] = GENERATE(table<const char*, const char*>({{"reward", "minimize"},
                                                                             {"gain", "maximize"},
                                                                             {"val_accuracy", "maximize"},
                                                                             {"Val_ACC", "maximize"},
                                                                             {"val_loss", "minimize"},
                                                                             {"seconds", "minimize"}}));
  const support::TempFolder folder;
  storage::StudyRow row = support::ablation_row({.off = {{"a"}}, .analysis = {{"metric", metric}}});
  row.spec["objective"] = Json::array({{{"metric", "cost"}, {"direction", "minimize"}},
                                       {{"metric", "gain"}, {"direction", "maximize"}},
                                       {{"metric", "reward"}, {"direction", "minimize"}}});
  const auto store = storage::Store::create(folder.path(), row, space::Space());
  CAPTURE(metric);
  CHECK(report::sql(folder.path(), {}, "select direction from ablation_effects").rows[0][0] == direction);
  const report::Table claim = report::Reader(folder.path(), {}).ablation(report::Audience::programs).at(0);
  const auto is_metric = [](const auto& fact) { return fact[0] == "metric"; };
  const auto told = std::find_if(claim.rows.begin(), claim.rows.end(), is_metric);
  REQUIRE(told != claim.rows.end());
  CHECK((*told)[1] ==
        std::string(metric) + (direction == std::string("maximize") ? ", more is better" : ", less is better"));
}

// A further objective was taken from the epoch of the first one, not as its own `at` measures it.
TEST_CASE("report and view judge a further objective by its own epoch", "[report][ablation][sql]") {
  const support::TempFolder folder;
  AblationPlan plan{.off = {{"a"}}, .replicates = 2, .analysis = {{"metric", "loss"}, {"claims", "split"}}};
  plan.objectives = {{{"metric", "val.accuracy"}, {"direction", "maximize"}, {"at", "best"}},
                     {{"metric", "loss"}, {"direction", "minimize"}, {"at", "last"}}};
  const auto store = support::write_ablation(folder.path(), plan, value_of);
  store->begin();
  for (std::int64_t trial = 0; trial < 4; ++trial) {
    const double loss = trial % 2 == 0 ? 1 : 3 + 0.5 * double(trial);  // without `a` 3.5 and 4.5
    store->change({trial::TrialId(trial), trial::TrialState::completed, 0.9, 2, trial::Cause::none, "", 1, {loss}});
  }
  store->commit(storage::Durability::normal);
  CHECK(report::sql(folder.path(), {}, "select mean, base_mean, contribution from ablation_effects").rows.at(0) ==
        std::vector<Json>{4.0, 1.0, 3.0});
  const auto tables = report::Reader(folder.path(), {}).ablation(report::Audience::programs);
  CHECK(at(tables.at(1), "a", "metric") == 4.0);
  CHECK(tables.back().rows.at(0).at(0).get<std::string>().find("loss at the last epoch") != std::string::npos);
}

TEST_CASE("the view knows which metrics are maximized", "[report][ablation][sql]") {
  const std::string& views = storage::embedded_sql().back().sql;
  const std::size_t from = views.find("CREATE VIEW v_ablation_effects");
  const std::string view = views.substr(from, views.find(';', from) - from);
  for (const recipe::MetricKind& kind : recipe::metric_kinds()) {
    CAPTURE(kind.name);
    CHECK((view.find("'" + kind.name + "'") != std::string::npos) == kind.maximize);
  }
}

}  // namespace ablation_view_test
