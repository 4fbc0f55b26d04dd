// SPDX-License-Identifier: Apache-2.0
#include "programs/reports.hpp"

#include <cmath>

#include "programs/subprocess.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"

namespace reports_test {

using namespace dlrun;
using namespace dlrun::programs;

TEST_CASE("metrics come as JSON lines on the report pipe", "[programs]") {
  Reports reports({0, 3, {}});
  reports.take_report_line(R"({"metric": "val_acc", "step": 1, "value": 0.5})");
  reports.take_report_line(R"({"metric": "loss", "value": "nan"})");
  CHECK(reports.take_fresh().empty());  // step 1 may not be over
  reports.take_report_line(R"({"metric": "val_acc", "step": 2, "value": 0.75})");
  REQUIRE(reports.take_fresh().size() == 1);
  reports.take_report_line(R"({"result": {"val_acc": 0.8}})");
  const auto steps = reports.reports();
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].metrics.size() == 2);
  CHECK(std::isnan(steps[0].metrics[0].value));
  CHECK(steps[2] == trial::Report{3, {{"val_acc", 0.8}}});
}

TEST_CASE("numbers that JSON lacks may be bare words, as Python writes them", "[programs]") {
  Reports reports({0, 3, {}});
  reports.take_report_line(R"({"metric": "loss", "step": 1, "value": NaN})");
  reports.take_report_line(R"({"metric": "loss", "step": 2, "value": -Infinity})");
  reports.take_report_line(R"({"metric": "say \"NaN\"", "step": 3, "value": Infinity})");
  CHECK(reports.take_warnings().empty());
  const auto steps = reports.reports();
  REQUIRE(steps.size() == 3);
  CHECK(std::isnan(steps[0].metrics[0].value));
  CHECK(std::isinf(-steps[1].metrics[0].value));
  CHECK(steps[2].metrics[0].name == "say \"NaN\"");
}

TEST_CASE("metrics come in stdout too, marked or by expression", "[programs]") {
  Reports reports({0, 2, {{"acc", "acc[:=] *([0-9.eE+-]+)"}}});
  reports.take_output_line(R"(::dlrun {"metric": "loss", "step": 2, "value": 1e-3})");
  reports.take_output_line("epoch 1 acc: 0.5");
  reports.take_output_line("epoch 2 acc: 0.75 and more");
  reports.take_output_line("nothing here");
  const auto steps = reports.reports();
  REQUIRE(steps.size() == 2);
  CHECK(steps[0] == trial::Report{1, {{"acc", 0.5}}});
  CHECK(steps[1] == trial::Report{2, {{"acc", 0.75}, {"loss", 1e-3}}});
  CHECK_THROWS_WITH(Reports({0, 1, {{"acc", "("}}}), Contains("metrics_regex '('"));
}

TEST_CASE("what is not understood is said once", "[programs]") {
  Reports reports({2, 3, {}});
  for (int i = 0; i < 3; ++i) {
    reports.take_report_line("no json");
    reports.take_report_line("[1]");
    reports.take_report_line(R"({"colour": "red"})");
    reports.take_report_line(R"({"metric": 7, "value": 1})");
    reports.take_report_line(R"({"metric": "m", "value": "high"})");
    reports.take_report_line(R"({"metric": "m", "step": 2, "value": 1})");
    reports.take_report_line(R"({"metric": "m", "value": 1e400})");
  }
  CHECK(reports.take_warnings().size() == 7);
  CHECK(reports.take_warnings().empty());
  CHECK(reports.reports().empty());
}

// A trial of one epoch had its objective from step 9.
TEST_CASE("a value beyond the piece does not count, and is told", "[programs]") {
  Reports reports({0, 1, {}});
  reports.take_report_line(R"({"metric": "m", "step": 1, "value": 0.25})");
  reports.take_report_line(R"({"metric": "m", "step": 9, "value": 0.75})");
  REQUIRE(reports.reports().size() == 1);
  CHECK(reports.reports()[0] == trial::Report{1, {{"m", 0.25}}});
  const std::vector<std::string> said = reports.take_warnings();
  REQUIRE(said.size() == 1);
  CHECK_THAT(said[0], Contains("metric 'm' has step 9, but this piece ends with step 1"));
}

TEST_CASE("long lines are cut, not kept", "[programs]") {
  LineCutter cutter;
  std::vector<std::string> lines;
  const auto keep = [&](std::string_view line) { lines.emplace_back(line); };
  for (int i = 0; i < 100; ++i) cutter.add(std::string(10000, 'x'), keep);
  cutter.add("\nshort\nlast", keep);
  cutter.finish(keep);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].size() == LineCutter::kLimit);
  CHECK(lines[1] == "short");
  CHECK(lines[2] == "last");
}

}  // namespace reports_test
