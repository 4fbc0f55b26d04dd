// SPDX-License-Identifier: Apache-2.0
// Pictures of studies that a Store really wrote: which there are, and what is in them.
#include <algorithm>

#include "plot/gnuplot.hpp"
#include "report/opened.hpp"
#include "report/report.hpp"
#include "report/study_curves.hpp"
#include "report/study_workers.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"

namespace pictures_test {

using namespace dlrun;
using report::NamedPicture;
using report::Reader;
using support::TempFolder;
using trial::TrialState;

namespace {

bool has(const plot::Picture& picture, const std::string& part) {
  return picture.program.find(part) != std::string::npos;
}

std::vector<std::string> kinds_of(const TempFolder& folder) {
  std::vector<std::string> kinds;
  for (const NamedPicture& one : Reader(folder.path(), {}).pictures()) kinds.push_back(one.kind);
  return kinds;
}

std::string fault_of(const TempFolder& folder, const std::string& kind, const report::PictureWishes& wishes = {}) {
  try {
    Reader(folder.path(), {}).picture(kind, wishes);
  } catch (const Error& fault) {
    return std::string(fault.what()) + "; " + fault.hint();
  }
  return "";
}

/// A study of lr (logarithmic) and opt, which maximizes.
std::unique_ptr<storage::Store> new_study(const TempFolder& folder) {
  storage::StudyRow row = support::sample_row();
  row.spec["trial"]["epochs"] = 1;
  row.spec["space"] =
      Json::array({{{"name", "lr"},
                    {"at", ""},
                    {"type", "float"},
                    {"low", 0.001},
                    {"high", 1.0},
                    {"scale", "log"},
                    {"step", nullptr}},
                   {{"name", "opt"}, {"at", ""}, {"type", "categorical"}, {"choices", {"sgd", "adam"}}}});
  space::Parameter lr{.name = "lr", .low = 0.001, .high = 1, .log = true};
  space::Parameter opt{.name = "opt", .type = space::Type::categorical};
  opt.choices = {"sgd", "adam"};
  return storage::Store::create(folder.path(), row, space::Space({lr, opt}));
}

void write(storage::Store& store, std::int64_t trial, double value, TrialState state = TrialState::completed) {
  const double lr = 0.001 * double(1 + trial % 900);
  support::write_trial(store, trial, value, {lr, space::Choice{std::uint32_t(trial % 2)}});
  if (state == TrialState::completed) return;
  store.begin();
  const bool is_failed = state == TrialState::failed;
  store.change({trial::TrialId(trial), state, is_failed ? std::nullopt : std::optional(value), 1});
  store.commit(storage::Durability::normal);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// Rows of a data block.
std::size_t rows_of(const plot::Picture& picture, const std::string& block) {
  const std::size_t begin = picture.program.find("$" + block + " << EOD\n");
  if (begin == std::string::npos) return 0;
  const std::string rest = picture.program.substr(begin);
  return count(rest.substr(0, rest.find("\nEOD")), "\n");
}

}  // namespace

TEST_CASE("a history has states by group, failed trials at the bad edge, and the best so far", "[report][plot]") {
  const TempFolder folder;
  auto store = new_study(folder);
  write(*store, 0, 0.5);
  write(*store, 1, 0.75, TrialState::pruned);
  write(*store, 2, 0, TrialState::failed);
  write(*store, 3, 0.25);
  write(*store, 4, 1);
  const plot::Picture picture = Reader(folder.path(), {}).picture("history");
  CHECK(picture.name == "sample-history");
  CHECK(has(picture, "'5 trials: 3 completed, 1 pruned, 1 failed; best 1 (trial 4), higher is better'"));
  CHECK(has(picture, "$trace0 << EOD\n0 0.5\n4 1\n4 1\nEOD\n"));
  CHECK(has(picture, "$marks4 << EOD\n0 0.5\n3 0.25\nEOD\n"));  // completed
  CHECK(has(picture, "$marks2 << EOD\n1 0.75\nEOD\n"));         // pruned
  CHECK(has(picture, "$marks0 << EOD\n2 0.205\nEOD\n"));        // failed, below: 0.25 and 6 % of 0.75
  CHECK(has(picture, "$marks5 << EOD\n4 1\nEOD\n"));            // best
}

TEST_CASE("one far outlier does not take the axis, the best value always has its place", "[report][plot]") {
  const TempFolder folder;
  auto store = new_study(folder);
  for (std::int64_t i = 0; i < 20; ++i) write(*store, i, 0.5 + 0.01 * double(i));
  write(*store, 20, -1e9);
  write(*store, 21, 1.5);
  const plot::Picture picture = Reader(folder.path(), {}).picture("history");
  CHECK(has(picture, "set yrange [0.44:1.56]"));
  CHECK(has(picture, "1 beyond the axis"));
  CHECK(rows_of(picture, "marks4_below") == 1);
}

TEST_CASE("the largest numbers are drawn", "[report][plot]") {
  const TempFolder folder;
  auto store = new_study(folder);
  for (std::int64_t i = 0; i < 12; ++i) write(*store, i, i % 2 == 0 ? 1.7e308 : -1.7e308);
  for (const NamedPicture& one : Reader(folder.path(), {}).pictures())
    CHECK(!plot::drawn(one.picture, plot::Form::svg).empty());
}

TEST_CASE("of many trials an even sample is drawn, with all that were the best so far", "[report][plot]") {
  const TempFolder folder;
  auto store = new_study(folder);
  store->begin();
  for (std::int64_t i = 0; i < 2500; ++i) {
    store->add(support::start_of(i, {0.5, space::Choice{0}}));
    store->change({trial::TrialId(i), TrialState::completed, i == 1234 ? 2 : double(i % 7) / 7, 1});
  }
  store->commit(storage::Durability::normal);
  const plot::Picture picture = Reader(folder.path(), {}).picture("history");
  CHECK(has(picture, "2000 of 2500 are drawn, the best among them"));
  CHECK(rows_of(picture, "marks4") == 1999);
  CHECK(has(picture, "$marks5 << EOD\n1234 2\nEOD\n"));
  CHECK(rows_of(picture, "trace0") == 9);  // 0 to 6 sevenths, 2, and the end
}

TEST_CASE("a slice has a panel for each parameter, with words for categories", "[report][plot]") {
  const TempFolder folder;
  auto store = new_study(folder);
  for (std::int64_t i = 0; i < 8; ++i) write(*store, i, double(i));
  const plot::Picture picture = Reader(folder.path(), {}).picture("slice");
  CHECK(has(picture, "('sgd' 0, 'adam' 1)"));
  CHECK(has(picture, "('0.001' -3, '0.01' -2, '0.1' -1, '1' 0)"));
  CHECK(count(picture.program, "\nplot ") == 2);
  CHECK(count(Reader(folder.path(), {}).picture("slice", {{"opt"}, "", false}).program, "\nplot ") == 1);
}

TEST_CASE("parallel lines are by rank, and pass below what is not active", "[report][plot]") {
  const TempFolder folder;
  auto store = new_study(folder);
  for (std::int64_t i = 0; i < 20; ++i) write(*store, i, double(i));
  const plot::Picture picture = Reader(folder.path(), {}).picture("parallel");
  // 20 trials: 10 are the worse half, 5 the rest of the better one, 3 of the best quarter, 1 of the best tenth, 1 best.
  const std::size_t rows[] = {10, 5, 3, 1, 1};
  for (std::size_t tier = 0; tier < 5; ++tier)
    CHECK(rows_of(picture, "lines" + std::to_string(tier)) == 4 * rows[tier]);
  CHECK(!has(picture, "not active"));
}

TEST_CASE("a contour is of two parameters, and says which", "[report][plot]") {
  const TempFolder folder;
  auto store = new_study(folder);
  for (std::int64_t i = 0; i < 3; ++i) write(*store, i, double(i));
  CHECK(fault_of(folder, "contour") == "study 'sample' has no picture 'contour': fewer than 4 trials have a result; ");
  for (std::int64_t i = 3; i < 12; ++i) write(*store, i, double(i));
  const plot::Picture picture = Reader(folder.path(), {}).picture("contour", {{"opt", "lr"}, "", false});
  CHECK(picture.title == "val.accuracy of sample by opt and lr");
  CHECK(rows_of(picture, "marks0") == 11);
  CHECK(fault_of(folder, "contour", {{"lr"}, "", false}) ==
        "a contour has two parameters, not 1; name two with --parameters, e.g. --parameters lr,width");
}

TEST_CASE("workers have a row each, with the part of their time that they were idle", "[report][plot]") {
  const TempFolder folder;
  auto store = new_study(folder);
  for (std::int64_t i = 0; i < 6; ++i) write(*store, i, double(i));
  store.reset();
  storage::Database database(folder.path() / "studies" / "sample.db", storage::Database::Mode::write);
  // Worker 0 carries trials 0, 2 and 4 for two seconds each, worker 1 the others for one.
  database.run(
      "UPDATE dl_attempt SET started = 10000 + 1000 * trial, finished = 10000 + 1000 * trial + iif(worker = 0, 2000, "
      "1000)");
  database.run("UPDATE dl_attempt SET state = 2 WHERE trial = 5");
  const plot::Picture picture = Reader(folder.path(), {}).picture("gantt");
  CHECK(has(picture, "'worker 0'"));
  CHECK(has(picture, "'0 % idle'"));
  CHECK(has(picture, "'40 % idle'"));  // trials 1, 3, 5: three of the seconds 1 to 6
  CHECK(rows_of(picture, "group0") == 5);
  CHECK(rows_of(picture, "group1") == 1);
}

TEST_CASE("ranks have the kinds of their time, their bytes and their staleness", "[report][plot]") {
  const TempFolder folder;
  auto store = new_study(folder);
  write(*store, 0, 1);
  write(*store, 1, 2);  // the best
  CHECK(fault_of(folder, "ranks") ==
        "study 'sample' has no picture 'ranks': no trial of it was trained by several ranks; ");
  store.reset();
  storage::Database database(folder.path() / "studies" / "sample.db", storage::Database::Mode::write);
  const auto add = [&](const std::string& trial_step_attempt, const std::string& node, const std::string& costs) {
    database.run(
        "INSERT INTO dl_gang_node (trial, step, attempt, is_server, number, gradients, computing, applying, "
        "transferring, waiting, sent, received, updates, staleness, most_stale, replicate, fold, piece, "
        "is_virtual) VALUES (" +
        trial_step_attempt + ", " + node + ", " + costs + ", 0, 0, 0, 1)");
  };
  add("1, 1, 1", "0, 0", "5, 9, 9, 9, 9, 9, 9, 5, 9, 9");  // trained again by attempt 2, whose row counts
  add("1, 1, 2", "0, 0", "5, 1.5, 0, 0.25, 0.25, 2000, 1000, 4, 1, 2");
  add("1, 2, 2", "0, 0", "5, 2.5, 0, 0.25, 0.25, 2000, 1000, 12, 3, 7");
  add("1, 1, 2", "1, 0", "0, 0, 1, 0, 4, 1000, 2000, 0, NULL, NULL");
  add("0, 1, 1", "0, 0", "5, 100, 0, 0, 0, 0, 0, 0, NULL, NULL");
  const plot::Picture picture = Reader(folder.path(), {}).picture("ranks");
  CHECK(has(picture, "Time of the ranks of trial 1 of sample"));
  CHECK(has(picture, "'↑ 4.0 kB ↓ 2.0 kB, stale 2.5'"));  // (4 x 1 + 12 x 3) / 16
  CHECK(has(picture, "'server 0'"));
  CHECK(has(picture, "2 0 0 4 -0.36 0.36"));  // computing: from 0 to 1.5 + 2.5 seconds in row 0
  CHECK(rows_of(picture, "group1") == 1);     // the server alone applies
  CHECK_FALSE(has(picture, "100"));
}

TEST_CASE("curves are those of the best trials and of others by rank", "[report][plot]") {
  const TempFolder folder;
  auto store = new_study(folder);
  for (std::int64_t i = 0; i < 90; ++i) write(*store, i, double(i));
  store.reset();
  storage::Database database(folder.path() / "studies" / "sample.db", storage::Database::Mode::write);
  database.run("UPDATE dl_trial SET epochs = 2 WHERE trial <> 89");  // the best one has no curve
  database.run(
      "INSERT INTO dl_metric SELECT trial, replicate, fold, 2, metric, value, kind, attempt, committed FROM dl_metric "
      "WHERE step = 1");
  const report::OpenedStudy study = report::open_study(folder.path(), "sample");
  const report::StudyCurves curves = report::study_curves(study, {}, 100);
  REQUIRE(curves.curves.size() == 60);
  CHECK(curves.choice == "the best 30 of 89 trials, and 30 of the others, evenly by rank");
  CHECK(curves.curves[0].trial == 88);
  CHECK(curves.curves[29].trial == 59);
  CHECK(curves.curves[30].trial == 58);  // 59 others, of which every second one or its neighbour
  CHECK(curves.curves[59].trial == 0);
  CHECK(curves.curves[0].steps == std::vector<double>{1, 2});
  CHECK(curves.curves[0].values == std::vector<double>{88, 88});
  CHECK(has(Reader(folder.path(), {}).picture("curves"), curves.choice));
}

TEST_CASE("time between two drivers is left out, and attempts tell their trials", "[report]") {
  const TempFolder folder;
  auto store = new_study(folder);
  for (std::int64_t i = 0; i < 3; ++i) write(*store, i, double(i));
  store.reset();
  storage::Database database(folder.path() / "studies" / "sample.db", storage::Database::Mode::write);
  database.run("UPDATE dl_attempt SET worker = 0, started = 10000, finished = 12000");
  database.run("UPDATE dl_attempt SET started = 12000, finished = 13000 WHERE trial = 1");
  database.run("UPDATE dl_attempt SET epoch = epoch + 1, started = 90000, finished = 91500 WHERE trial = 2");
  const report::StudyWorkers work = report::study_workers(report::open_study(folder.path(), "sample"));
  REQUIRE(work.bars.size() == 3);
  CHECK(work.cuts == std::vector<double>{3});
  CHECK(work.end == 4.5);
  CHECK(work.bars[2].begin == 3);
  CHECK(work.bars[2].end == 4.5);
  CHECK(work.bars[2].first == 2);
  REQUIRE(work.rows.size() == 1);
  CHECK(work.rows[0].idle == 0);
}

TEST_CASE("an importance is computed once in a moment, and anew in the next", "[report]") {
  const TempFolder folder;
  auto store = new_study(folder);
  for (std::int64_t i = 0; i < 9; ++i) write(*store, i, double(i));
  const Reader reader(folder.path(), {});
  const auto first = reader.importance("fanova");
  CHECK(reader.importance("fanova").back().rows == first.back().rows);
  write(*store, 9, 3);
  CHECK(reader.importance("fanova").back().rows != first.back().rows);
  const report::OpenedStudy study = report::open_study(folder.path(), "sample");
  const report::Snapshot moment(study);
  report::pictures_of(study);
  REQUIRE(study.remembered->importance.size() == 1);  // of the three pictures that order parameters, and importance's
  study.remembered->importance.begin()->second.back().title = "kept";
  CHECK(report::importance_of(study, "fanova", study.metric).back().title == "kept");
}

TEST_CASE("wishes that a kind does not know are errors", "[report][plot]") {
  const TempFolder folder;
  auto store = new_study(folder);
  write(*store, 0, 0);
  CHECK(fault_of(folder, "history", {{"lr"}, "", false}) ==
        "a picture 'history' is not of parameters that one chooses; --parameters is for slice, parallel, contour");
  CHECK(fault_of(folder, "gantt", {{}, "", true}) ==
        "a picture 'gantt' has no axis for the objective; --log is for history, curves, slice, parallel, contour");
  CHECK(fault_of(folder, "gantt", {{}, "val.accuracy", false}) ==
        "a picture 'gantt' is not of one objective; --objective is for history, curves, slice, parallel, contour, "
        "importance");
}

TEST_CASE("a study has the pictures that it has data for", "[report][plot]") {
  const TempFolder folder;
  auto store = new_study(folder);
  CHECK(kinds_of(folder).empty());
  write(*store, 0, 0, TrialState::failed);
  CHECK(fault_of(folder, "history") == "study 'sample' has no picture 'history': no trial has a result; ");
  for (std::int64_t i = 1; i < 9; ++i) write(*store, i, double(i));
  const std::vector<std::string> kinds = kinds_of(folder);
  CHECK(std::count(kinds.begin(), kinds.end(), "history") == 1);
  CHECK(std::count(kinds.begin(), kinds.end(), "slice") == 1);
  CHECK(std::count(kinds.begin(), kinds.end(), "curves") == 0);
  CHECK(fault_of(folder, "curves") ==
        "study 'sample' has no picture 'curves': its trials measured val.accuracy once each, which is no curve; ");
}

TEST_CASE("an unknown kind, parameter or objective is an error with the nearest", "[report][plot]") {
  const TempFolder folder;
  auto store = new_study(folder);
  write(*store, 0, 0);
  CHECK(fault_of(folder, "histroy") == "there is no kind of picture 'histroy'; did you mean 'history'?");
  CHECK(fault_of(folder, "slice", {{"lrr"}, "", false}) ==
        "study 'sample' has no parameter 'lrr' that varies; did you mean 'lr'?");
  CHECK(fault_of(folder, "history", {{}, "loss", false}) ==
        "'loss' is no objective of study 'sample'; there is val.accuracy");
  CHECK(fault_of(folder, "history", {{}, "", true}) ==
        "a logarithmic axis needs values of val.accuracy above 0; leave out --log");
}

}  // namespace pictures_test
