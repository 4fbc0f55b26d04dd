// SPDX-License-Identifier: Apache-2.0
// Attempts that go on from a checkpoint of one that did not end the piece.
#include <algorithm>
#include <fstream>

#include "program_trial.hpp"
#include "support/catch.hpp"
#include "trial/artifacts.hpp"
#include "util/files.hpp"

namespace progress_test {

using namespace dlrun;
using namespace dlrun::worker;

namespace {

/// Five steps, each with a checkpoint and then a value. The first attempt fails behind the value of step 3.
constexpr const char* kSteps = R"sh(cd "$DLRUN_DIR"
  echo "from $DLRUN_FROM_STEP: $(test -z "$DLRUN_RESUME" || cat "$DLRUN_RESUME")"
  for i in $(seq $((DLRUN_FROM_STEP + 1)) 5); do
    echo "state $i" > ck$i; echo '{"checkpoint":"ck'$i'","step":'$i'}' >&3
    echo '{"metric":"acc","step":'$i',"value":0.'$i$DLRUN_ATTEMPT'}' >&3
    if [ $i$DLRUN_ATTEMPT = 31 ]; then exit 1; fi
  done)sh";

struct Attempts : Program {
  explicit Attempts(const std::string& script = kSteps) : Program(script, 5) { setup.trial["epochs"] = 5; }

  std::filesystem::path attempt_folder(int attempt) const { return folder.path() / ("a" + std::to_string(attempt)); }

  /// The attempt, which may go on from the one before.
  trial::PieceResult next(int attempt) {
    host = {};
    order.attempt = attempt;
    order.folder = attempt_folder(attempt).string();
    order.partial = attempt > 1 ? attempt_folder(attempt - 1).string() : "";
    return run();
  }
  /// The attempt, by a program that asks to be tried again before it reports anything.
  void end_at_once(int attempt) {
    setup.trial["command"][2] = "exit 75";
    next(attempt);
    setup.trial["command"][2] = "{lr}";
  }
  std::string last_state(const trial::PieceResult& result) const {
    REQUIRE(result.artifacts.size() == 1);
    return read_file(trial::artifact_path(setup.artifacts, result.artifacts[0].sha256));
  }
};

std::vector<double> values_of(const std::vector<trial::Report>& reports) {
  std::vector<double> values;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    CHECK(reports[i].step == std::int64_t(i) + 1);
    values.push_back(reports[i].metrics.at(0).value);
  }
  return values;
}

}  // namespace

TEST_CASE("an attempt goes on from the last checkpoint of the one before, whose values count", "[worker][command]") {
  Attempts trial;
  CHECK(trial.next(1).outcome == trial::Outcome::failed);
  const auto result = trial.next(2);
  CHECK(result.message == "");
  CHECK(result.outcome == trial::Outcome::completed);
  CHECK(values_of(result.reports) == std::vector{0.11, 0.21, 0.31, 0.42, 0.52});
  CHECK(trial.host.lines.at(1) == "from 3: state 3");
  CHECK(trial.host.reports.at(0) == trial::Report{1, {{"acc", 0.11}}});
  CHECK(result.artifacts.at(0).step == 5);
  CHECK(result.repeated == 0);
}

TEST_CASE("a program that saves its state when it is asked to end goes on from there", "[worker][command]") {
  Attempts trial(R"sh(cd "$DLRUN_DIR"
    echo "from $DLRUN_FROM_STEP: $(test -z "$DLRUN_RESUME" || cat "$DLRUN_RESUME")"
    save() { echo late > ck; echo '{"checkpoint":"ck","step":2}' >&3; exit 0; }
    trap save TERM
    for i in $(seq $((DLRUN_FROM_STEP + 1)) 5); do
      echo '{"metric":"acc","step":'$i',"value":0.'$i$DLRUN_ATTEMPT'}' >&3
      if [ $i$DLRUN_ATTEMPT = 21 ]; then echo held; while :; do sleep 0.01; done; fi
    done)sh");
  trial.setup.trial["grace"] = 60;
  trial.host.stop_when = [](const FakeHost& host) { return host.lines.size() == 2; };
  trial.order.folder = trial.attempt_folder(1).string();
  CHECK_THROWS_AS(trial.run(), trial::Stopped);
  const auto result = trial.next(2);
  CHECK(trial.host.lines.at(1) == "from 2: late");
  CHECK(values_of(result.reports) == std::vector{0.11, 0.21, 0.32, 0.42, 0.52});
  CHECK(trial.last_state(result) == "late\n");  // the newest there is
}

TEST_CASE("a checkpoint that has changed since its report, or whose step lacks a value, is none", "[worker][command]") {
  Attempts trial;
  trial.next(1);
  const auto [file, text, from] = GENERATE(table<std::string, std::string, std::string>({
      {"ck3", "torn", "from 2: state 2"},
      {"progress.jsonl", "", "from 0: "},
      {"progress.jsonl", "{\"report\":{\"step\":", "from 0: "},
  }));
  write_file(trial.attempt_folder(1) / file, text, {.durable = false});
  CHECK(trial.next(2).outcome == trial::Outcome::completed);
  const bool counts = from != "from 0: ";
  CHECK((trial.host.lines.at(0).find("no checkpoint of the earlier attempt counts") == std::string::npos) == counts);
  CHECK(trial.host.lines.at(1) == from);
}

TEST_CASE("a checkpoint whose step has no value yet is no place to go on from", "[worker][command]") {
  Attempts trial(R"sh(cd "$DLRUN_DIR"; echo "from $DLRUN_FROM_STEP"
    for i in $(seq $((DLRUN_FROM_STEP + 1)) 5); do
      touch ck$i; echo '{"checkpoint":"ck'$i'","step":'$i'}' >&3
      if [ $i$DLRUN_ATTEMPT = 31 ]; then exit 1; fi
      echo '{"metric":"acc","step":'$i',"value":0.'$i$DLRUN_ATTEMPT'}' >&3
    done)sh");
  trial.next(1);
  const auto result = trial.next(2);
  CHECK(trial.host.lines.at(1) == "from 2");
  CHECK(values_of(result.reports) == std::vector{0.11, 0.21, 0.32, 0.42, 0.52});
}

TEST_CASE("an attempt that reports no checkpoint hands on the one that it went on from", "[worker][command]") {
  Attempts trial;
  trial.next(1);
  trial.end_at_once(2);
  const auto result = trial.next(3);
  CHECK(trial.host.lines.at(1) == "from 3: state 3");
  CHECK(values_of(result.reports) == std::vector{0.11, 0.21, 0.31, 0.43, 0.53});
}

TEST_CASE("results of examples of an interrupted attempt count, until there are newer ones", "[worker][command]") {
  const bool has_newer = GENERATE(false, true);
  const std::string newer = has_newer ? "4" : "9";
  Attempts trial(R"sh(cd "$DLRUN_DIR"
    for i in $(seq $((DLRUN_FROM_STEP + 1)) 5); do
      if [ $i = 1 ] || [ $i = )sh" +
                 newer + R"sh( ]; then
        printf 'id,value\n7,%s\n' $i > e$i.csv; echo '{"examples":"e'$i'.csv","step":'$i'}' >&3
      fi
      echo "state $i" > ck$i; echo '{"checkpoint":"ck'$i'","step":'$i'}' >&3
      echo '{"metric":"acc","step":'$i',"value":1}' >&3
      if [ $i$DLRUN_ATTEMPT = 31 ]; then exit 1; fi
    done)sh");
  trial.next(1);
  trial.end_at_once(2);
  const auto result = trial.next(3);
  CHECK(result.message == "");
  REQUIRE(result.artifacts.size() == 2);
  const trial::Artifact& examples = result.artifacts[1];
  CHECK(examples.role == trial::kExamples);
  CHECK(examples.step == (has_newer ? 4 : 1));
  CHECK(read_file(trial::artifact_path(trial.setup.artifacts, examples.sha256)) ==
        (has_newer ? "id,value\n7,4\n" : "id,value\n7,1\n"));
}

TEST_CASE("a program that cannot go on is run from the piece's beginning", "[worker][command]") {
  const auto [end, why] = GENERATE(table<std::string, std::string>(
      {{"echo no such layer >&2; exit 1", "the program ended with exit code 1: no such layer"},
       {"kill -ABRT $$", "the program was killed by signal 6 (Aborted)"},
       {"exec sleep 1000", "the program hangs: it printed and reported nothing for 2 s (limits.silence)"}}));
  Attempts trial("if [ -n \"$DLRUN_RESUME\" ]; then " + end + "; fi\n" + kSteps);
  trial.next(1);
  if (end.starts_with("exec")) trial.setup.silence_limit = 2;
  const auto result = trial.next(2);
  CHECK(result.outcome == trial::Outcome::completed);
  CHECK(values_of(result.reports) == std::vector{0.12, 0.22, 0.32, 0.42, 0.52});
  const std::string message = "it could not go on (" + why + ")";
  const auto is_said = [&](const std::string& line) { return line.find(message) != std::string::npos; };
  CHECK(std::count_if(trial.host.lines.begin(), trial.host.lines.end(), is_said) == 1);
}

TEST_CASE("an attempt that is begun again does not go on from what an earlier run of it left", "[worker][command]") {
  Attempts trial;
  trial.next(1);
  trial.end_at_once(1);
  trial.next(2);
  CHECK(trial.host.lines.at(1) == "from 0: ");
}

}  // namespace progress_test
