// SPDX-License-Identifier: Apache-2.0
#include "programs/reports.hpp"

#include <fmt/format.h>

#include <cmath>

#include "programs/subprocess.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"

namespace reports_test {

using namespace dlrun;
using namespace dlrun::programs;

namespace {

/// A program that begins with the first step, of a trial with so many.
Reports whole(std::int64_t last, std::map<std::string, std::string> regexes = {}) {
  return Reports({.last = last, .regexes = std::move(regexes), .needed = {"acc"}});
}

void say(Reports& reports, const std::string& metric, std::int64_t step, double value) {
  reports.take_report_line(fmt::format(R"({{"metric": "{}", "step": {}, "value": {}}})", metric, step, value));
}

}  // namespace

TEST_CASE("metrics come as JSON lines on the report pipe", "[programs]") {
  Reports reports = whole(3);
  reports.take_report_line(R"({"metric": "val_acc", "step": 1, "value": 0.5})");
  reports.take_report_line(R"({"metric": "loss", "value": "nan"})");
  CHECK(reports.take_fresh(3).empty());  // step 1 may not be over
  reports.take_report_line(R"({"metric": "val_acc", "step": 2, "value": 0.75})");
  REQUIRE(reports.take_fresh(3).size() == 1);
  reports.take_report_line(R"({"result": {"val_acc": 0.8}})");
  reports.take_report_line(R"({"metric": "loss", "step": 3, "value": 1})");
  reports.put_results(0, 3);
  const auto steps = reports.of_piece(0, 3);
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].metrics.size() == 2);
  CHECK(std::isnan(steps[0].metrics[0].value));
  CHECK(steps[2] == trial::Report{3, {{"loss", 1}, {"val_acc", 0.8}}});
}

TEST_CASE("numbers that JSON lacks may be bare words, as Python writes them", "[programs]") {
  Reports reports = whole(3);
  reports.take_report_line(R"({"metric": "loss", "step": 1, "value": NaN})");
  reports.take_report_line(R"({"metric": "loss", "step": 2, "value": -Infinity})");
  reports.take_report_line(R"({"metric": "say \"NaN\"", "step": 3, "value": Infinity})");
  CHECK(reports.take_warnings().empty());
  const auto steps = reports.of_piece(0, 3);
  REQUIRE(steps.size() == 3);
  CHECK(std::isnan(steps[0].metrics[0].value));
  CHECK(std::isinf(-steps[1].metrics[0].value));
  CHECK(steps[2].metrics[0].name == "say \"NaN\"");
}

TEST_CASE("metrics come in stdout too, marked or by expression", "[programs]") {
  Reports reports = whole(2, {{"acc", "acc[:=] *([0-9.eE+-]+)"}});
  reports.take_output_line(R"(::dlrun {"metric": "loss", "step": 2, "value": 1e-3})");
  reports.take_output_line("epoch 1 acc: 0.5");
  reports.take_output_line("epoch 2 acc: 0.75 and more");
  reports.take_output_line("nothing here");
  const auto steps = reports.of_piece(0, 2);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0] == trial::Report{1, {{"acc", 0.5}}});
  CHECK(steps[1] == trial::Report{2, {{"acc", 0.75}, {"loss", 1e-3}}});
  CHECK_THROWS_WITH(whole(1, {{"acc", "("}}), Contains("metrics_regex '('"));
}

// A bar of 200 updates hid the value behind it: expressions saw the first 4,096 bytes of a line alone.
TEST_CASE("expressions see the text of a line that a terminal shows", "[programs]") {
  Reports reports = whole(6, {{"acc", "acc: ([0-9.]+)"}});
  std::string bar;
  for (int i = 0; i < 200; ++i) bar += fmt::format("\r{}/200 [======>.....] acc: 0.1", i);
  const std::string filler(20'000, '#');
  for (const std::string& line : {bar + "\r200/200 - val_acc: 0.93", bar + "\r acc: 0.94\r", "acc: 0.95" + filler,
                                  filler + "acc: 0.96", "acc: 0.97" + filler + "acc: 0.98"})
    reports.take_output_line(line);
  const auto steps = reports.of_piece(0, 6);
  REQUIRE(steps.size() == 5);
  for (int i = 0; i < 5; ++i) CHECK(steps[i].metrics[0].value == std::stod(fmt::format("0.9{}", 3 + i)));
}

// The first digits of a number across byte 4,096 counted: 0.93 in place of 0.9375.
TEST_CASE("an expression finds a whole number, wherever the line is searched", "[programs]") {
  const std::string expression = GENERATE("acc=([0-9.]+)", ".*acc=([0-9.]+)", "x acc=([0-9.]+)");
  const std::string behind = GENERATE("", " and more", " loss=2");
  for (const std::size_t bytes : {4084, 4086, 4088, 4090, 4091, 4095}) {
    Reports reports = whole(1, {{"acc", expression}});
    reports.take_output_line(std::string(bytes, 'x') + " acc=0.9375" + behind);
    CHECK(reports.of_piece(0, 1) == std::vector<trial::Report>{{1, {{"acc", 0.9375}}}});
  }
}

TEST_CASE("a number at the end of a line that was cut does not count", "[programs]") {
  Reports reports = whole(2, {{"acc", "acc=([0-9.]+)"}});
  const std::string filler(LineCutter::kLimit, 'x');
  reports.take_output_line(filler.substr(8) + "acc=0.93");
  CHECK(reports.of_piece(0, 2).empty());
  reports.take_output_line(filler.substr(9) + "acc=0.93");
  CHECK(reports.of_piece(0, 2).size() == 1);
}

TEST_CASE("an expression for the begin of a line finds none in its end", "[programs]") {
  Reports reports = whole(2, {{"acc", "^acc ([0-9.]+)"}});
  for (std::size_t bytes = 4096; bytes < 4106; ++bytes) {
    std::string line(20'000, '.');
    line.replace(line.size() - bytes, 8, "acc 0.50");
    reports.take_output_line(line);
  }
  CHECK(reports.of_piece(0, 2).empty());
}

TEST_CASE("what is not understood is said once", "[programs]") {
  Reports reports({.begin = 2, .known = 2, .last = 3});
  for (int i = 0; i < 3; ++i) {
    reports.take_report_line("no json");
    reports.take_report_line("[1]");
    reports.take_report_line(R"({"colour": "red"})");
    reports.take_report_line(R"({"metric": 7, "value": 1})");
    reports.take_report_line(R"({"metric": "m", "value": "high"})");
    reports.take_report_line(R"({"metric": "m", "step": 2, "value": 1})");
    reports.take_report_line(R"({"metric": "m", "value": 1e400})");
    reports.take_report_line(R"({"metric": "", "step": 3, "value": 1})");
    reports.take_report_line(R"({"result": {"": 1}})");
    reports.take_report_line(R"({"result": 0.94})");
    reports.take_report_line(R"({"result": [0.94]})");
  }
  CHECK(reports.take_warnings().size() == 9);
  CHECK(reports.take_warnings().empty());
  CHECK(reports.names().empty());
  CHECK(reports.of_piece(2, 3).empty());
}

// Fractions were cut off, and replaced the value of the epoch before.
TEST_CASE("a step is a whole number", "[programs]") {
  Reports reports = whole(3);
  int line = 0;
  for (const char* step : {"1", "1.5", "2.0", "1e30", "-1e300", "true", "null", "\"3\"", "18446744073709551615"}) {
    reports.take_report_line(fmt::format(R"({{"metric": "acc", "step": {}, "value": {}}})", step, ++line));
    reports.take_report_line(R"({"metric": "loss", "value": 9})");
    reports.take_report_line(fmt::format(R"({{"checkpoint": "ck{}"}})", line));
  }
  CHECK(reports.of_piece(0, 3) ==
        std::vector<trial::Report>{{1, {{"acc", 1}, {"loss", 9}}}, {2, {{"acc", 3}, {"loss", 9}}}});
  CHECK(reports.checkpoint(3).value().step == 2);
  const auto warnings = reports.take_warnings();
  REQUIRE(warnings.size() == 8);
  CHECK(warnings[0] == "dlrun: a step is a whole number, not '1.5'");
}

// Results were those of the piece's last step: a program that stopped early counted as one that did all its steps.
TEST_CASE("values at the end are those of the last step that was reported in the piece", "[programs]") {
  const auto [begin, newest, from, to, step] = GENERATE(table<int, int, int, int, int>({
      {0, 2, 0, 9, 2},   // it stopped early
      {0, 5, 3, 9, 5},   // in a later piece
      {0, 0, 0, 9, 9},   // it reports no step
      {0, 0, 3, 9, 9},   // nor in a later piece
      {3, 3, 3, 9, 9},   // nor behind its checkpoint
      {0, 9, 3, 9, 9},   // it did all steps
      {0, 27, 0, 1, 1},  // it did more, without the objective
      {0, 3, 3, 9, -1},  // it stopped before a further step
      {0, 2, 3, 9, -1},  // or did not come so far again
  }));
  CAPTURE(begin, newest, from, to);
  Reports reports({.begin = begin, .known = std::max(begin, from), .last = 27, .needed = {"acc"}});
  for (int i = begin + 1; i <= newest; ++i) say(reports, "loss", i, i);
  reports.take_report_line(R"({"result": {"acc": 0.5}})");
  reports.put_results(from, to);
  std::int64_t found = -1;
  for (const trial::Report& report : reports.of_piece(from, to)) {
    if (report.metrics[0].name == "acc") found = report.step;
  }
  CHECK(found == step);
  CHECK(reports.newest() == std::max<std::int64_t>(newest, step));
}

// A trial of one epoch had its objective from step 9.
TEST_CASE("a value beyond the trial does not count, and is told", "[programs]") {
  Reports reports = whole(1);
  say(reports, "acc", 1, 0.25);
  say(reports, "acc", 8, 0.75);
  say(reports, "acc", 9, 0.75);
  REQUIRE(reports.of_piece(0, 1) == std::vector<trial::Report>{{1, {{"acc", 0.25}}}});
  CHECK(reports.beyond() == 9);
  const std::vector<std::string> said = reports.take_warnings();
  REQUIRE(said.size() == 1);
  CHECK_THAT(said[0], Contains("metric 'acc' has step 8, but the trial ends with step 1"));
}

// The value went to the newest step that counts: a later epoch's replaced that of the trial's last one.
TEST_CASE("a line without a step is about the step of the line before, whatever became of that", "[programs]") {
  const auto say_next = [](Reports& reports, double value) {
    reports.take_report_line(fmt::format(R"({{"metric": "acc", "value": {}}})", value));
  };
  SECTION("beyond the trial") {
    Reports reports = whole(2);
    for (int step = 1; step <= 4; ++step) {
      say(reports, "loss", step, 9);
      say_next(reports, step);
      reports.take_report_line(fmt::format(R"({{"checkpoint": "ck{}"}})", step));
      reports.take_report_line(fmt::format(R"({{"examples": "e{}"}})", step));
    }
    const auto steps = reports.of_piece(0, 2);
    REQUIRE(steps.size() == 2);
    CHECK(steps[1] == trial::Report{2, {{"acc", 2}, {"loss", 9}}});
    CHECK(reports.checkpoint(2).value().path == "ck2");
    CHECK(reports.take_examples(2).value().path == "e2");
  }
  SECTION("before the first one that counts") {
    const int begin = GENERATE(0, 3);
    Reports reports({.begin = begin, .known = begin, .last = 9, .needed = {"acc"}});
    say(reports, "loss", begin, 9);
    say_next(reports, 0.1);
    CHECK_FALSE(reports.has_reached(begin + 1));
    say(reports, "acc", begin + 1, 0.5);
    CHECK(reports.of_piece(begin, 9) == std::vector<trial::Report>{{begin + 1, {{"acc", 0.5}}}});
  }
  SECTION("an earlier one") {
    Reports reports = whole(9);
    say(reports, "loss", 3, 9);
    say(reports, "loss", 2, 8);
    say_next(reports, 0.5);
    CHECK(reports.of_piece(0, 2) == std::vector<trial::Report>{{2, {{"acc", 0.5}, {"loss", 8}}}});
  }
}

TEST_CASE("a program without steps reports the first one", "[programs]") {
  Reports reports = whole(1);
  reports.take_report_line(R"({"checkpoint": "ck"})");
  reports.take_report_line(R"({"metric": "acc", "value": 0.5})");
  CHECK(reports.of_piece(0, 1) == std::vector<trial::Report>{{1, {{"acc", 0.5}}}});
  CHECK(reports.checkpoint(1).value().path == "ck");
}

TEST_CASE("a step that no piece has is told with the first one that counts", "[programs]") {
  const int begin = GENERATE(0, 2);
  Reports reports({.begin = begin, .last = 4, .needed = {"acc"}});
  say(reports, "acc", begin, 0.5);
  const std::string message =
      begin == 0 ? "has step 0, but steps count from 1" : "has step 2, but the program goes on with step 3";
  CHECK_THAT(reports.take_warnings().at(0), Contains(message));
}

TEST_CASE("a step is over once every needed metric has a value of it", "[programs]") {
  Reports reports({.last = 9, .needed = {"acc", "cost"}});
  say(reports, "acc", 1, 0.5);
  CHECK_FALSE(reports.has_reached(1));
  say(reports, "cost", 1, 7);
  CHECK(reports.has_reached(1));
  CHECK_FALSE(reports.has_reached(2));
  say(reports, "acc", 3, 0.5);  // it reports every third step
  say(reports, "cost", 3, 7);
  CHECK(reports.has_reached(2));
}

TEST_CASE("a program that leaves a checkpoint of every step has time to leave that of the last", "[programs]") {
  Reports reports = whole(9);
  const auto save = [&](std::int64_t step) {
    reports.take_report_line(fmt::format(R"({{"checkpoint": "file", "step": {}}})", step));
  };
  say(reports, "acc", 1, 0.1);
  CHECK(reports.has_reached(1));  // nobody knows yet that one follows
  save(1);
  say(reports, "acc", 2, 0.2);
  CHECK_FALSE(reports.has_reached(2));
  SECTION("it comes") {
    save(2);
    CHECK(reports.has_reached(2));
  }
  SECTION("the next step comes, and from then on none is awaited") {
    say(reports, "acc", 3, 0.3);
    CHECK(reports.has_reached(2));
    CHECK(reports.has_reached(3));
  }
}

TEST_CASE("values behind the end of a piece wait for the next one", "[programs]") {
  Reports reports = whole(4);
  say(reports, "acc", 1, 0.1);
  say(reports, "acc", 2, 0.2);
  say(reports, "acc", 3, 0.3);
  CHECK(reports.of_piece(0, 2) == std::vector<trial::Report>{{1, {{"acc", 0.1}}}, {2, {{"acc", 0.2}}}});
  say(reports, "loss", 2, 9);  // too late for its own piece
  CHECK(reports.of_piece(2, 3) == std::vector<trial::Report>{{2, {{"loss", 9}}}, {3, {{"acc", 0.3}}}});
  CHECK(reports.take_fresh(2).size() == 2);
}

TEST_CASE("what a program does again does not count, and is counted", "[programs]") {
  Reports reports({.begin = 0, .known = 3, .last = 5, .regexes = {{"acc", "acc (.*)"}}, .needed = {"acc"}});
  for (const char* line : {"acc 1", "acc 2", "acc 3"}) reports.take_output_line(line);
  CHECK_FALSE(reports.has_reached(4));
  reports.take_output_line("acc 4");
  CHECK(reports.has_reached(4));
  CHECK(reports.of_piece(3, 4) == std::vector<trial::Report>{{4, {{"acc", 4}}}});
  CHECK(reports.take_repeated() == 3);
  CHECK(reports.take_repeated() == 0);
  CHECK(reports.take_warnings().empty());
}

TEST_CASE("matches of a program that goes on count from its checkpoint", "[programs]") {
  Reports reports({.begin = 3, .known = 3, .last = 5, .regexes = {{"acc", "acc (.*)"}}, .needed = {"acc"}});
  reports.take_output_line("acc 0.5");
  CHECK(reports.of_piece(3, 4) == std::vector<trial::Report>{{4, {{"acc", 0.5}}}});
  CHECK(reports.take_repeated() == 0);
}

// Run again after exit code 85, a program had the values of its next epochs filed under later ones.
TEST_CASE("a program that is run again counts from its checkpoint", "[programs]") {
  Reports reports = whole(9, {{"acc", "acc (.*)"}});
  for (int epoch = 1; epoch <= 5; ++epoch) reports.take_output_line(fmt::format("acc {}", epoch));
  const auto values = [&](std::int64_t from, std::int64_t to) {
    std::vector<double> out;
    for (const trial::Report& report : reports.of_piece(from, to)) out.push_back(report.metrics.at(0).value);
    return out;
  };
  SECTION("its values replace those of the run before") {
    reports.go_back(3);
    CHECK(reports.newest() == 3);
    for (const char* line : {"acc 40", R"(::dlrun {"metric":"acc","step":5,"value":50})", "acc 60"})
      reports.take_output_line(line);
    CHECK(values(0, 9) == std::vector<double>{1, 2, 3, 40, 50, 60});
    CHECK(reports.take_repeated() == 0);
  }
  SECTION("but not those that a piece has") {
    CHECK(values(0, 4).size() == 4);
    reports.go_back(3);
    CHECK_FALSE(reports.has_reached(5));
    for (const char* line : {"acc 40", "acc 50", "acc 60"}) reports.take_output_line(line);
    CHECK(values(4, 9) == std::vector<double>{50, 60});
    CHECK(reports.take_repeated() == 1);
    CHECK(reports.take_warnings().empty());
  }
  SECTION("a line that names no step is about the next one") {
    reports.go_back(3);
    reports.take_report_line(R"({"metric": "acc", "value": 40})");
    CHECK(values(0, 4) == std::vector<double>{1, 2, 3, 40});
  }
  SECTION("a metric that came less often counts from there too") {
    reports.go_back(7);
    reports.take_output_line("acc 80");
    CHECK(values(0, 9) == std::vector<double>{1, 2, 3, 4, 5, 80});
    CHECK(reports.newest() == 8);
  }
}

TEST_CASE("the checkpoint of a piece is none of a later step", "[programs]") {
  Reports reports = whole(4);
  CHECK_FALSE(reports.checkpoint(4).has_value());
  reports.take_report_line(R"({"checkpoint": "one", "step": 1})");
  reports.take_report_line(R"({"checkpoint": "three", "step": 3})");
  CHECK(reports.checkpoint(2)->path == "one");
  CHECK(reports.checkpoint(3)->path == "three");
}

TEST_CASE("long lines are cut, not kept", "[programs]") {
  LineCutter cutter;
  std::vector<std::string> lines;
  const auto keep = [&](std::string_view line) { lines.emplace_back(line); };
  for (int i = 0; i < 100; ++i) cutter.feed(std::string(10000, 'x'), keep);
  cutter.feed("\nshort\nlast", keep);
  cutter.finish(keep);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].size() == LineCutter::kLimit);
  CHECK(lines[1] == "short");
  CHECK(lines[2] == "last");
}

TEST_CASE("a long line loses the text that carriage returns overwrite", "[programs]") {
  LineCutter cutter;
  std::vector<std::string> lines;
  const auto keep = [&](std::string_view line) { lines.emplace_back(line); };
  const std::string update(1000, '=');
  const bool is_first = GENERATE(true, false);  // does the return stand before an update or behind it?
  for (int i = 0; i < 100; ++i) cutter.feed(is_first ? "\r" + update : update + "\r", keep);
  cutter.feed(is_first ? "\racc: 0.9\r\nshort\r\n" : "acc: 0.9\r\nshort\r\n", keep);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].size() <= LineCutter::kLimit);
  CHECK(lines[0].ends_with("acc: 0.9\r"));
  CHECK(lines[1] == "short\r");
}

TEST_CASE("a value of a step that a piece has counts no more", "[programs]") {
  Reports reports = whole(4);
  say(reports, "acc", 1, 0.5);
  REQUIRE(reports.of_piece(0, 1).size() == 1);
  say(reports, "acc", 1, 0.9);
  say(reports, "acc", 2, 0.7);
  CHECK(reports.of_piece(1, 2) == std::vector<trial::Report>{{2, {{"acc", 0.7}}}});
  const auto warnings = reports.take_warnings();
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] == "dlrun: metric 'acc' of step 1 has a value that counts already: this one came too late");
}

TEST_CASE("a checkpoint's file that is named again holds the new step alone", "[programs]") {
  Reports reports = whole(4);
  const auto leave = [&](int step) {
    reports.take_report_line(fmt::format(R"({{"checkpoint": "last", "step": {}}})", step));
    say(reports, "acc", step, 0.5);
  };
  leave(1);
  CHECK(reports.checkpoint(1).value().step == 1);
  CHECK(reports.take_warnings().empty());
  leave(2);
  CHECK_FALSE(reports.checkpoint(1));
  CHECK(reports.checkpoint(2).value().step == 2);
  CHECK(reports.take_warnings().size() == 1);
  say(reports, "acc", 3, 0.5);
  CHECK_FALSE(reports.has_reached(3));  // every step so far had one
}

}  // namespace reports_test
