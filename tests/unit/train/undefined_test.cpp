// SPDX-License-Identifier: Apache-2.0
// Splits that do not define every metric: the others are measured all the same.
#include "support/catch.hpp"
#include "train/use.hpp"
#include "unit/train/support.hpp"

namespace undefined_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

/// Twelve rows of two classes in training and validation, of one class in the test split.
std::string table() {
  std::string text = "x,y,part\n";
  for (int i = 0; i < 12; ++i) {
    const char* const part = i < 6 ? "train" : i < 9 ? "val" : "test";
    text += std::to_string(i) + (i < 9 && i % 2 == 0 ? ",0," : ",1,") + part + "\n";
  }
  return text;
}

Json trial_of(const std::filesystem::path& folder) {
  write_file(folder / "table.csv", table());
  write_file(folder / "new.csv", "x,y\n3,1\n4,1\n");
  return {{"kind", "train"},
          {"data",
           {{"op", "csv"},
            {"path", folder / "table.csv"},
            {"target", "y"},
            {"split", {{"column", "part"}, {"train", {"train"}}, {"val", {"val"}}, {"test", {"test"}}}}}},
          {"model", {{"nodes", {{{"name", "head"}, {"op", "linear"}, {"out", "classes"}}}}}},
          {"metrics", {"auc", "accuracy"}},
          {"epochs", 1},
          {"batch_size", 6}};
}

}  // namespace

TEST_CASE("a test split of one class has all figures but auc", "[train][metrics]") {
  Fixture fixture(Json{});
  fixture.setup.trial = trial_of(fixture.folder.make("data"));
  trial::PieceOrder order = fixture.order(0, 1);
  order.resume = artifact(fixture.run(order), "last");
  order.task = "test";
  FakeHost host;
  const trial::PieceResult result = fixture.run(order, host);
  REQUIRE(host.reports.size() == 1);
  CHECK(metric(host.reports.front(), "test.loss") >= 0);
  CHECK(metric(host.reports.front(), "test.accuracy") >= 0);
  CHECK(metric(host.reports.front(), "test.auc") == -1);
  CHECK(host.lines.front() == "test.auc is not defined: the split has too few classes or examples");
}

TEST_CASE("new examples of one class have all figures but auc, which is named", "[train][metrics]") {
  Fixture fixture(Json{});
  const std::filesystem::path folder = fixture.folder.make("data");
  fixture.setup.trial = trial_of(folder);
  trial::PieceOrder order = fixture.order(0, 1);
  order.resume = artifact(fixture.run(order), "last");
  const trial::Use use = use_trial(fixture.setup, order, {.files = {{"path", (folder / "new.csv").string()}}}, {});
  CHECK(use.undefined == std::vector<std::string>{"auc"});
  REQUIRE(use.metrics.size() == 2);
  CHECK(use.metrics[0].name == "loss");
  CHECK(use.metrics[1].name == "accuracy");
}

}  // namespace undefined_test
