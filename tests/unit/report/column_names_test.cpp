// SPDX-License-Identifier: Apache-2.0
// Names of columns, and a wide table of trials whose parameters and metrics share names.
#include "report/column_names.hpp"

#include "report/report.hpp"
#include "storage/store.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"

namespace column_names_test {

using namespace dlrun;
using Names = std::vector<std::string>;

TEST_CASE("each column has a name of its own", "[report][columns]") {
  Names names{"trial", "state"};
  report::add_parameters(names, {"state", "lr", "study"});
  report::add_column(names, "lr", "metric.");
  report::add_column(names, "metric.lr", "metric.");
  CHECK(names == Names{"trial", "state", "param.state", "lr", "param.study", "metric.lr", "metric.metric.lr"});
}

// A parameter and a metric of one name, and an objective beside its metric, were two columns of that name.
TEST_CASE("the table of all trials names each column once", "[report][columns]") {
  const support::TempFolder folder;
  storage::StudyRow row = support::sample_row();
  row.spec["objective"] =
      Json::array({{{"metric", "value"}, {"direction", "minimize"}}, {{"metric", "cost"}, {"direction", "minimize"}}});
  const space::Space space({{.name = "x", .low = 0, .high = 1}, {.name = "seconds", .low = 0, .high = 9}});
  auto store = storage::Store::create(folder.path(), row, space);
  store->begin();
  store->add(support::start_of(0, {0.25, 3.0}));
  store->attempts().start({support::piece_of(0), 1, 0});
  trial::PieceResult result = support::result_of(0, 1);
  result.reports = {{1, {{"value", 1}, {"cost", 2}, {"x", 4}}}};
  store->add(study::Event(study::PieceEnded{result}));
  store->commit(storage::Durability::normal);
  store->close();
  const report::Table trials = report::Reader(folder.path(), {"sample"}).trials();
  CHECK(trials.columns == Names{"trial", "state", "objective", "epochs", "seconds", "attempts", "cause",
                                "objective/cost", "x", "param.seconds", "cost", "value", "metric.x"});
  CHECK(trials.rows.at(0).at(8) == 0.25);
  CHECK(trials.rows.at(0).at(12) == 4);
}

}  // namespace column_names_test
