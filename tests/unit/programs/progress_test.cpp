// SPDX-License-Identifier: Apache-2.0
// Files of the progress of pieces.
#include "programs/progress.hpp"

#include "programs/reported_files.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/files.hpp"

namespace progress_file_test {

using namespace dlrun;
using namespace dlrun::programs;

namespace {

/// The progress of a piece from step 2 to step 6.
struct Bench {
  support::TempFolder folder;
  ProgressFile file{folder.path() / "attempt"};

  Checkpoint checkpoint(std::int64_t step) const {
    const std::string path = (folder.path() / ("ck" + std::to_string(step))).string();
    write_file(path, "state", {.durable = false});
    return {path, step, stamp_of(path)};
  }
  /// A checkpoint of the step, and its value of `acc`.
  void add(std::int64_t step) { file.append({{{step, {{"acc", 0.5}}}}, {checkpoint(step)}}); }
  void add_values(const std::vector<trial::Report>& values) { file.append({values}); }
  std::optional<std::int64_t> step(const std::vector<std::string>& needed = {"acc"}) const {
    const auto progress = read_progress(folder.path() / "attempt", {2, 6, needed});
    return progress ? std::optional(progress->checkpoint.step) : std::nullopt;
  }
};

}  // namespace

TEST_CASE("a piece is gone on from inside of it alone", "[programs][progress]") {
  Bench bench;
  CHECK_FALSE(bench.step());
  bench.add(2);
  CHECK_FALSE(bench.step());
  bench.add(3);
  CHECK(bench.step() == 3);
  bench.add(6);  // nothing would be left to do
  CHECK(bench.step() == 3);
  bench.add(5);
  bench.add(4);
  CHECK(bench.step() == 5);
}

TEST_CASE("a checkpoint counts once each needed metric has a value of its step or a later one",
          "[programs][progress]") {
  Bench bench;
  bench.add(4);
  CHECK_FALSE(bench.step({"acc", "cost"}));
  bench.add_values({{3, {{"cost", 1}}}});
  CHECK_FALSE(bench.step({"acc", "cost"}));
  bench.add_values({{5, {{"cost", 1}}}});
  CHECK(bench.step({"acc", "cost"}) == 4);
}

TEST_CASE("values up to the checkpoint are handed on, the newest of each", "[programs][progress]") {
  Bench bench;
  bench.add_values({{3, {{"acc", 0.1}}}, {4, {{"acc", 0.2}}}});
  bench.add(4);
  bench.add_values({{3, {{"loss", 7}}}, {5, {{"acc", 0.6}}}});
  const auto progress = read_progress(bench.folder.path() / "attempt", {2, 6, {"acc"}});
  REQUIRE(progress);
  CHECK(progress->reports == std::vector<trial::Report>{{3, {{"acc", 0.1}, {"loss", 7}}}, {4, {{"acc", 0.5}}}});
}

// Results of examples were lost: a trial that was interrupted behind its best step had none.
TEST_CASE("results of examples up to the checkpoint are handed on, the newest that have not changed",
          "[programs][progress]") {
  Bench bench;
  const auto examples = [&](std::int64_t step) { return bench.checkpoint(10 + step); };  // any file
  const auto note = [&](std::int64_t step) {
    Checkpoint file = examples(step);
    file.step = step;
    bench.file.append({.examples = {file}});
    return file.path;
  };
  const auto noted = [&] { return read_progress(bench.folder.path() / "attempt", {2, 6, {"acc"}})->examples; };
  bench.add(4);
  note(2);
  CHECK_FALSE(noted());
  const std::string third = note(3), fourth = note(4);
  note(5);
  CHECK(noted().value().path == fourth);
  begin_progress(bench.folder.path() / "next", read_progress(bench.folder.path() / "attempt", {2, 6, {"acc"}}));
  CHECK(read_progress(bench.folder.path() / "next", {2, 6, {"acc"}})->examples.value().path == fourth);
  write_file(fourth, "other", {.durable = false});
  CHECK(noted().value().path == third);
}

TEST_CASE("a file that cannot be written fails nothing", "[programs][progress]") {
  Bench bench;
  ProgressFile file(bench.folder.path() / "ck4" / "attempt");
  const Checkpoint checkpoint = bench.checkpoint(4);  // a file where the folder should be
  CHECK_NOTHROW(file.append({.checkpoints = {checkpoint}}));
  CHECK_FALSE(read_progress(bench.folder.path() / "ck4" / "attempt", {2, 6, {}}));
}

TEST_CASE("results of examples are noted once, and again in a further piece", "[programs][progress]") {
  Reports reports({.last = 9, .needed = {"acc"}});
  reports.take_report_line(R"({"examples": "e2", "step": 2})");
  REQUIRE(reports.take_unnoted_examples().size() == 1);
  CHECK(reports.take_unnoted_examples().empty());
  reports.take_report_line(R"({"examples": "other", "step": 2})");
  CHECK(reports.take_unnoted_examples().at(0).path == "other");
  CHECK_FALSE(reports.take_examples(1));
  reports.begin_notes();
  CHECK(reports.take_unnoted_examples().size() == 1);
}

TEST_CASE("values are noted once, and again in a further piece", "[programs][progress]") {
  Reports reports({.last = 9, .needed = {"acc"}});
  reports.begin_notes();
  reports.take_report_line(R"({"metric":"acc","step":1,"value":0.1})");
  CHECK(reports.take_unnoted() == std::vector<trial::Report>{{1, {{"acc", 0.1}}}});
  CHECK(reports.take_unnoted().empty());
  reports.take_report_line(R"({"metric":"acc","step":2,"value":0.2})");
  reports.take_report_line(R"({"metric":"loss","step":1,"value":7})");
  CHECK(reports.take_unnoted() == std::vector<trial::Report>{{1, {{"loss", 7}}}, {2, {{"acc", 0.2}}}});
  reports.of_piece(0, 1);
  reports.begin_notes();
  CHECK(reports.take_unnoted() == std::vector<trial::Report>{{2, {{"acc", 0.2}}}});
}

}  // namespace progress_file_test
