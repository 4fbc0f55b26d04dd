// SPDX-License-Identifier: Apache-2.0
// The view of a running study, line by line.
#include "output/live_view.hpp"

#include <algorithm>
#include <limits>

#include "log_lines.hpp"
#include "output/sparkline.hpp"
#include "output/text_width.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/files.hpp"

namespace live_view_test {

using namespace dlrun;
using namespace dlrun::cli;
using Lines = std::vector<std::string>;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

driver::RunningPiece piece(std::int64_t trial, std::int64_t epochs, std::vector<double> curve, Json params) {
  return {{trial::TrialId(trial)}, epochs, std::move(curve), std::move(params)};
}

/// 60 epochs of this run took 60 s.
driver::Progress busy() {
  driver::Progress progress{.trials_done = 12,
                            .trials_failed = 1,
                            .trials_pruned = 3,
                            .running = 2,
                            .workers = 4,
                            .trials_paused = 2,
                            .trials_completed = 8,
                            .epochs = 90,
                            .epochs_before = 30,
                            .trials_limit = 24,
                            .best = 0.971234,
                            .best_trial = 7,
                            .seconds = 60};
  progress.pieces = {piece(9, 12, {0.5, 0.75, 1}, {{"lr", 0.0123456}, {"opt", "adam"}}),
                     piece(15, 0, {}, {{"lr", 0.5}, {"opt", "sgd"}})};
  return progress;
}

const Expected kPlan{.epochs = 120, .per_member = 20, .metric = "val.accuracy"};

std::size_t widest(const Lines& lines) {
  std::size_t width = 0;
  for (const std::string& line : lines) width = std::max(width, display_width(line));
  return width;
}

}  // namespace

TEST_CASE("a curve goes from its lowest to its highest value", "[cli][sparkline]") {
  CHECK(sparkline({1, 2, 3, 4, 5, 6, 7, 8}, 8) == "▁▂▃▄▅▆▇█");
  CHECK(sparkline({3, 2, 1}, 8) == "█▅▁");
  CHECK(sparkline({2, 2, 2}, 8) == "▄▄▄");
  CHECK(sparkline({}, 8).empty());
  CHECK(sparkline({1}, 0).empty());
}

TEST_CASE("a curve with more values than columns ends with the last one", "[cli][sparkline]") {
  std::vector<double> values(100, 0.0);
  values.back() = 1;
  CHECK(sparkline(values, 4) == "▁▁▁█");
  for (std::size_t columns = 1; columns < 40; ++columns) CHECK(display_width(sparkline(values, columns)) == columns);
}

TEST_CASE("values that are not finite have a mark and no height", "[cli][sparkline]") {
  CHECK(sparkline({0, kNan, 1, kInfinity}, 8) == "▁x█x");
  CHECK(sparkline({kNan, -kInfinity}, 8) == "xx");
  CHECK(sparkline({-1.7e308, 1.7e308}, 8) == "▁█");  // their difference is infinite
}

TEST_CASE("the view fits its terminal", "[cli][live]") {
  const driver::Progress progress = busy();
  CHECK(live_lines(progress, kPlan, {80, 24}) ==
        Lines{"[###########....]  75 %  90/120 epochs, 1 min 0 s, about 30 s left",
              "best val.accuracy 0.9712 (trial 7), 12/24 trials, 8 completed, 3 pruned,",
              "1 failed, 2 paused, 2 of 4 workers busy", "trial 9   12/20  1  ▁▅█  lr=0.01235 opt=adam",
              "trial 15   0/20  -       lr=0.5 opt=sgd"});
}

TEST_CASE("a narrow terminal has the time, and lines as many as the facts need", "[cli][live]") {
  CHECK(live_lines(busy(), kPlan, {40, 24}) ==
        Lines{" 75 %  1 min 0 s, about 30 s left", "best val.accuracy 0.9712 (trial 7),",
              "12/24 trials, 8 completed, 3 pruned,", "1 failed, 2 paused,", "2 of 4 workers busy",
              "trial 9   12/20  1  ▁▅█  lr=0.01235 op…", "trial 15   0/20  -       lr=0.5 opt=sgd"});
  CHECK(live_lines(busy(), kPlan, {60, 24}) ==
        Lines{"[########...]  75 %  1 min 0 s, about 30 s left", "best val.accuracy 0.9712 (trial 7), 12/24 trials,",
              "8 completed, 3 pruned, 1 failed, 2 paused,", "2 of 4 workers busy",
              "trial 9   12/20  1  ▁▅█  lr=0.01235 opt=adam", "trial 15   0/20  -       lr=0.5 opt=sgd"});
}

TEST_CASE("a wide terminal has all facts on one line", "[cli][live]") {
  CHECK(live_lines(busy(), kPlan, {200, 24}) ==
        Lines{"[######################........]  75 %  90/120 epochs, 1 min 0 s, about 30 s left",
              "best val.accuracy 0.9712 (trial 7), 12/24 trials, 8 completed, 3 pruned, 1 failed, 2 paused, 2 of 4 "
              "workers busy",
              "trial 9   12/20  1  ▁▅█  lr=0.01235 opt=adam", "trial 15   0/20  -       lr=0.5 opt=sgd"});
  CHECK(live_lines(busy(), kPlan, {}) == live_lines(busy(), kPlan, {200, 24}));  // a pipe has no end
}

TEST_CASE("no line is wider than any terminal, and no more lines than it has", "[cli][live]") {
  driver::Progress progress = busy();
  for (int i = 0; i < 30; ++i)
    progress.pieces.push_back(piece(20 + i, i, std::vector<double>(64, i), {{"名前", "日本語\x1b[31m\n\xff"}}));
  progress.running = 32;
  Expected plan = kPlan;
  plan.metric = std::string(300, 'm') + "\x1b[2J";
  for (std::size_t columns = 1; columns < 210; columns += columns < 90 ? 1 : 13) {
    for (const std::size_t lines : {1, 2, 3, 4, 5, 8, 24, 50}) {
      const Lines shown = live_lines(progress, plan, {columns, lines});
      INFO(columns << " x " << lines);
      REQUIRE(shown.size() <= lines);
      REQUIRE(!shown.empty());
      REQUIRE(widest(shown) < columns);
      for (const std::string& line : shown) REQUIRE(line.find_first_of("\x1b\n\r") == std::string::npos);
    }
  }
}

TEST_CASE("of many trials the newest are shown and the others counted", "[cli][live]") {
  driver::Progress progress = busy();
  progress.pieces.clear();
  for (int i = 0; i < 9; ++i) progress.pieces.push_back(piece(i, 0, {}, Json::object()));
  progress.running = 9;
  const Lines shown = live_lines(progress, kPlan, {80, 8});
  CHECK(Lines(shown.begin() + 3, shown.end()) ==
        Lines{"trial 5  0/20  -", "trial 6  0/20  -", "trial 7  0/20  -", "trial 8  0/20  -", "+5 more"});
  CHECK(live_lines(progress, kPlan, {80, 12}).back() == "trial 8  0/20  -");
  progress.running = 70;  // more than were described
  CHECK(live_lines(progress, kPlan, {80, 24}).back() == "+61 more");
}

TEST_CASE("members of a trial have their numbers", "[cli][live]") {
  driver::Progress progress{.running = 1, .workers = 1};
  progress.pieces = {{{trial::TrialId(3), 1, 2}, 4, {0.5}, {}}};
  CHECK(live_lines(progress, kPlan, {}).back() == "trial 3.1.2  4/20  0.5  ▄");
}

TEST_CASE("what is left is judged by epochs of this run", "[cli][live]") {
  const driver::Progress progress = busy();
  CHECK(seconds_left(progress, 120) == 30);
  CHECK_FALSE(seconds_left(progress, 0));   // nobody knows how many there will be
  CHECK_FALSE(seconds_left(progress, 80));  // more than expected
  driver::Progress resumed = progress;
  resumed.epochs_before = 90;
  CHECK_FALSE(seconds_left(resumed, 120));
  CHECK(live_lines(progress, {.epochs = 0}, {80, 1}) == Lines{"90 epochs, 1 min 0 s"});
  CHECK(live_lines(progress, {.epochs = 200, .is_estimate = true}, {80, 1}) ==
        Lines{"[######.........]  45 %  90/~200 epochs, 1 min 0 s, about 1 min 50 s left"});
}

TEST_CASE("an estimate that was passed leaves trials under way", "[cli][live]") {
  driver::Progress progress = busy();
  progress.epochs = 130;
  CHECK(live_lines(progress, kPlan, {80, 1}) == Lines{"[##############.]  99 %  130/120 epochs, 1 min 0 s"});
  progress.running = progress.trials_paused = 0;
  CHECK(live_lines(progress, kPlan, {80, 1}) == Lines{"[###############] 100 %  130/120 epochs, 1 min 0 s"});
}

TEST_CASE("new lines of logs are taken in once", "[cli][logs]") {
  const support::TempFolder folder;
  LogLines logs;
  const auto file = folder / "log.txt";
  logs.read_new_lines("[1] ", file);  // not there yet
  write_file(file, "one\ntw");
  logs.read_new_lines("[1] ", file);
  logs.read_new_lines("[1] ", file);
  CHECK(logs.lines() == std::deque<std::string>{"[1] one"});
  write_file(file, "one\ntwo\n10 %\r20 %\r\n\x1b[31mred\ta\n");
  logs.read_new_lines("[1] ", file);
  CHECK(logs.lines() == std::deque<std::string>{"[1] one", "[1] two", "[1] 20 %", "[1] \\x1b[31mred    a"});
}

// No line was shown until the log was longer than before.
TEST_CASE("a log that has shrunk is read from its beginning", "[cli][logs]") {
  const support::TempFolder folder;
  LogLines logs;
  write_file(folder / "log.txt", "one\ntwo\n");
  logs.read_new_lines("", folder / "log.txt");
  write_file(folder / "log.txt", "new\n");
  logs.read_new_lines("", folder / "log.txt");
  CHECK(logs.lines() == std::deque<std::string>{"one", "two", "new"});
}

TEST_CASE("of a long log the end is taken in", "[cli][logs]") {
  const support::TempFolder folder;
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + "\n";
  write_file(folder / "log.txt", text);
  LogLines logs;
  logs.read_new_lines("", folder / "log.txt");
  CHECK(logs.lines().size() == LogLines::kMost);
  CHECK(logs.lines().front() == "99800");
  CHECK(logs.lines().back() == "99999");
  write_file(folder / "one.txt", std::string(200'000, 'x'));  // a line without an end
  logs.read_new_lines("", folder / "one.txt");
  CHECK(logs.lines().back() == "99999");
}

}  // namespace live_view_test
