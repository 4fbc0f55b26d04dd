// SPDX-License-Identifier: Apache-2.0
// The proposer alone: what it asks of its sampler, and what a new sampler is told.
#include "study/proposer.hpp"

#include "support/catch.hpp"
#include "unit/study/fakes.hpp"
#include "util/error.hpp"

namespace proposer_test {

using namespace dlrun;
using namespace dlrun::study;
using test::FakeSampler;
using test::SamplerScript;
using trial::TrialId;
using Heard = std::vector<std::string>;

namespace {

/// x + y = 1.
space::Space plane() {
  return space::Space({{.name = "x", .low = 0, .high = 1}, {.name = "y", .low = 0, .high = 1}},
                      {{"", space::Linear{{{0}, {1}}, space::Relation::equal, 1}}});
}

struct Fixture {
  SamplerScript script;
  space::Space space = plane();
  Trials trials{2, 0, {}};
  Proposer proposer{std::make_unique<FakeSampler>(script)};
  Points points{space, trials, 7};
};

const space::Value kUnset = std::monostate{};

}  // namespace

TEST_CASE_METHOD(Fixture, "a proposal that promises less than the limit is none", "[study][proposer]") {
  script.proposals = {{0.5, 0.5}};
  script.promise = 0.01;
  CHECK(proposer.propose(0, std::nullopt)->values == space::Values{0.5, 0.5});
  CHECK(proposer.propose(0, 0.01)->reason == "by script");
  CHECK_FALSE(proposer.propose(0, 0.02));
  CHECK(proposer.too_little() == 0.01);
  SECTION("the next proposal may promise more") {
    script.promise = 0.5;
    CHECK(proposer.propose(1, 0.02));
    CHECK_FALSE(proposer.too_little());
  }
  SECTION("an amendment changes the limit") {
    proposer.forget_promise();
    CHECK_FALSE(proposer.too_little());
  }
  script.proposals.clear();
  CHECK_FALSE(proposer.propose(2, 0.02));
  CHECK_FALSE(proposer.too_little());
}

TEST_CASE_METHOD(Fixture, "a point that a person gave in whole is used as it is", "[study][proposer]") {
  const Proposal whole = proposer.complete({0.25, 0.75}, 0, points);
  CHECK(whole.values == space::Values{0.25, 0.75});
  CHECK(whole.reason == "asked for");
}

TEST_CASE_METHOD(Fixture, "unset values come from the sampler, moved to keep the constraints", "[study][proposer]") {
  script.proposals = {{0.5, 0.5}};
  const Proposal filled = proposer.complete({0.125, kUnset}, 0, points);
  CHECK(filled.values[0] == space::Value(0.125));
  CHECK(std::get<double>(filled.values[1]) == Approx(0.875));
  CHECK(filled.reason == "asked for; the rest by the sampler: by script");
}

TEST_CASE_METHOD(Fixture, "unset values are random if the sampler has nothing new", "[study][proposer]") {
  const Proposal filled = proposer.complete({kUnset, 0.25}, 3, points);
  CHECK(std::get<double>(filled.values[0]) == Approx(0.75));
  CHECK(filled.reason == "asked for; the rest by chance");
  CHECK(proposer.complete({kUnset, kUnset}, 3, points).values == proposer.complete({kUnset, kUnset}, 3, points).values);
}

TEST_CASE_METHOD(Fixture, "a new sampler is told all that the old one was, inside its space", "[study][proposer]") {
  proposer.learn({{{}, {0.5, 0.5}}, {{}, {0.25, kUnset}}, {{}, {0.25, 0.75}}});
  for (const space::Values& values : {space::Values{0.5, 0.5}, space::Values{0.25, 0.75}}) {
    const TrialId id = trials.add(values);
    proposer.start(id, values);
  }
  proposer.hear({.trial = TrialId(1), .values = trials.values(TrialId(1)), .objective = 0.5, .steps = 3});
  proposer.hear({.trial = TrialId(0), .values = trials.values(TrialId(0)), .steps = 1, .is_whole = false});
  const Heard all = {"learn 3", "start 0", "start 1", "result 1: 0.5, whole", "result 0: failed"};
  CHECK(script.heard == all);
  SamplerScript later;
  const space::Space narrow({{.name = "x", .low = 0, .high = 0.4}, {.name = "y", .low = 0, .high = 1}});
  proposer.replace(std::make_unique<FakeSampler>(later), {narrow, trials, 7});
  CHECK(later.heard == Heard{"learn 2", "start 1", "result 1: 0.5, whole"});
}

}  // namespace proposer_test
