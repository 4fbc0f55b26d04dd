// SPDX-License-Identifier: Apache-2.0
// The log's JSON is part of the format: these texts are golden and must not change.
#include "storage/codec.hpp"

#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "util/error.hpp"

namespace codec_test {

using namespace dlrun;
using namespace dlrun::storage;

namespace {

trial::PieceResult full_result() {
  trial::PieceResult r = support::result_of(17, 0.5, 2);
  r.key.piece = 3;
  r.outcome = trial::Outcome::failed;
  r.cause = trial::Cause::nan;
  r.message = "the loss is nan";
  r.reports = {{4, {{"train.loss", std::numeric_limits<double>::infinity()}, {"val.accuracy", 0.1}}}};
  r.artifacts = {{"last", std::string(64, 'a'), 12, 4}};
  r.peak_rss = 1 << 20;
  r.log_tail = "line\n";
  return r;
}

study::Decision full_decision() {
  study::Decision d = support::start_of(9, {0.1, std::int64_t(3), space::Choice{2}, std::monostate(), 1.0});
  d.from_step = 1;
  d.to_step = 3;
  d.reason = "rung 1: 0.91 is 1st of 3";
  return d;
}

bool same(const study::Decision& a, const study::Decision& b) {
  return a.number == b.number && a.kind == b.kind && a.lane == b.lane && a.at == b.at && a.end == b.end &&
         a.key == b.key && a.from_step == b.from_step && a.to_step == b.to_step && a.values == b.values &&
         a.reason == b.reason;
}

}  // namespace

TEST_CASE("a decision keeps its text", "[storage][codec]") {
  CHECK(encode(full_decision()).body ==
        R"({"at":9000,"end":10000,"from":1,"kind":"start","lane":1,"number":9,"piece":[9,0,0,0],)"
        R"("reason":"rung 1: 0.91 is 1st of 3","to":3,"values":[0.1,3,[2],null,1.0]})");
  study::Decision idle;
  idle.kind = study::DecisionKind::idle;
  idle.number = 2;
  idle.end = 5;
  CHECK(encode(idle).body == R"({"at":0,"end":5,"kind":"idle","lane":0,"number":2})");
  idle.lanes = 7;
  CHECK(encode(idle).body == R"({"at":0,"end":5,"kind":"idle","lane":0,"lanes":7,"number":2})");
  CHECK(std::get<study::Decision>(decode(LogKind::decision, encode(idle).body)).lanes == 7);
}

TEST_CASE("every event keeps its kind and text", "[storage][codec]") {
  const auto key = support::piece_of(5, 1);
  const auto [event, kind, text] = GENERATE_REF(table<study::Event, int, std::string>({
      {study::PieceEnded{full_result()}, 1,
       R"({"artifacts":[{"bytes":12,"role":"last","sha256":")" + std::string(64, 'a') +
           R"(","step":4}],"attempt":2,"cause":"nan","log_tail":"line\n","message":"the loss is nan",)"
           R"("outcome":"failed","peak_rss":1048576,"piece":[17,0,0,3],)"
           R"("reports":[{"metrics":{"train.loss":"inf","val.accuracy":0.1},"step":4}],"seconds":0.25})"},
      {study::AttemptLost{key, 1, trial::Cause::signal, "killed by signal 9", ""}, 2,
       R"({"attempt":1,"cause":"signal","message":"killed by signal 9","piece":[5,0,0,1]})"},
      {study::StopAsked{"by a person"}, 3, R"({"reason":"by a person"})"},
      {study::Resumed{}, 4, "{}"},
      {study::CancelAsked{trial::TrialId(4)}, 5, R"({"trial":4})"},
      {study::RetryAsked{trial::TrialId(6)}, 6, R"({"trial":6})"},
      {study::TestMeasured{support::result_of(1, 0.5)}, 7,
       R"({"attempt":1,"outcome":"completed","piece":[1,0,0,0],"reports":[{"metrics":{"val.accuracy":0.5},"step":1}],)"
       R"("seconds":0.25})"},
      {study::Learned{"first", "ab", {{3, {0.5, space::Choice{1}, std::monostate()}, {0.25}, 2, false}}, {{"why", 4}}},
       8,
       R"({"hash":"ab","left_out":{"why":4},"study":"first","trials":[{"objectives":[0.25],"steps":2,"trial":3,)"
       R"("values":[0.5,[1],null],"whole":false}]})"},
      {study::EnqueueAsked{{std::int64_t(3), std::monostate(), space::Choice{1}}}, 9, R"({"values":[3,null,[1]]})"},
      {study::Amended{1, "ab", "cd", {"limits.trials: 4 -> 6"}, {{"m", "0.9"}}}, 10,
       R"({"changes":["limits.trials: 4 -> 6"],"defaults":{"m":"0.9"},"digest":"cd","hash":"ab","version":1})"},
      {study::AttemptCopied{key, 2}, 11, R"({"attempt":2,"piece":[5,0,0,1]})"},
      {study::LaneAdded{}, 12, "{}"},
  }));
  const Coded coded = encode(event);
  CHECK(int(coded.kind) == kind);
  CHECK(coded.body == text);
  const LogRow row = decode(coded.kind, coded.body);
  REQUIRE(std::holds_alternative<study::Event>(row));
  CHECK(encode(std::get<study::Event>(row)).body == text);
}

TEST_CASE("a decision is read as it was written", "[storage][codec]") {
  for (int kind = 0; kind <= int(study::DecisionKind::amend); ++kind) {
    study::Decision d = full_decision();
    d.kind = static_cast<study::DecisionKind>(kind);
    const bool has_no_piece = d.kind == study::DecisionKind::idle || d.kind >= study::DecisionKind::finish;
    if (has_no_piece) d.key = {};
    const LogRow row = decode(LogKind::decision, encode(d).body);
    REQUIRE(std::holds_alternative<study::Decision>(row));
    CHECK(same(std::get<study::Decision>(row), d));
  }
}

TEST_CASE("a row that this program did not write is refused", "[storage][codec]") {
  const auto kind = GENERATE(0, 1, 2, 3, 5, 7, 99, -1);
  const auto body = GENERATE(as<std::string>{}, "", "{", "[]", "{}", R"({"number":"x"})", "\xff\xfe",
                             R"({"number":1,"kind":"jump","lane":0,"at":0})", R"({"piece":[1],"attempt":1})");
  CHECK_THROWS_AS(decode(static_cast<LogKind>(kind), body), Error);
}

}  // namespace codec_test
