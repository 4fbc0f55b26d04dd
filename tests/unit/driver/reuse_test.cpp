// SPDX-License-Identifier: Apache-2.0
// Which results of another study are cited.
#include "driver/reuse.hpp"

#include "around.hpp"
#include "support/catch.hpp"

namespace reuse_test {

using namespace dlrun;
using driver::Reuse;

namespace {

spec::StudySpec read_study(const std::string& name, const std::vector<std::string>& sets = {}) {
  return support::spec_from("study: " + name + R"(
reuse: trials
objective: {metric: value, direction: minimize}
space: {x1: {type: float, low: 0, high: 1}}
trial: {kind: function, function: {op: sphere, noise: 0.1}, epochs: 4}
)",
                            sets);
}

storage::StudyRow row_of(const spec::StudySpec& spec, const std::string& created) {
  storage::StudyRow row = driver::row_of(spec);
  row.created = created;
  return row;
}

study::Decision decision(const space::Values& values) {
  study::Decision d;
  d.key = {{trial::TrialId(0)}, 0};
  d.to_step = 4;
  d.end = 4000;
  d.values = values;
  return d;
}

trial::PieceResult measured(double value) {
  return {.key = {{trial::TrialId(0)}, 0}, .attempt = 1, .reports = {{4, {{"value", value}}}}};
}

/// A study of one trial at 0.5 that measured `value`, by a worker of this numerics class.
void write_donor(const std::filesystem::path& store, const spec::StudySpec& spec, double value,
                 const std::string& numerics, trial::TrialState state = trial::TrialState::completed,
                 const std::string& created = "2026-11-20T10:00:00Z") {
  const auto donor = storage::Store::create(store, row_of(spec, created), spec.space);
  donor->begin();
  donor->opening().worker(0, 1, "here", "running");
  donor->opening().runtime(0, {.numerics = numerics});
  donor->add(decision({0.5}));
  donor->attempts().start({{{trial::TrialId(0)}, 0}, 1, 0});
  donor->add(study::Event(study::PieceEnded{measured(value)}));
  donor->change({trial::TrialId(0), state, value, 4, trial::Cause::none, "", 4});
  donor->commit(storage::Durability::normal);
  donor->close();
}

/// The value that is cited for a piece of a new study.
std::optional<double> cited(const std::filesystem::path& store, const std::string& numerics, double x = 0.5,
                            std::int64_t to_step = 4, const std::vector<std::string>& sets = {}) {
  const spec::StudySpec spec = read_study("new", sets);
  Reuse reuse(spec, store);
  const auto found = reuse.find({{{trial::TrialId(3)}, 0}, 2, 0, to_step, ""}, {x}, numerics);
  if (!found) return std::nullopt;
  CHECK(found->result.attempt == 2);
  CHECK(found->result.seconds == 0);
  CHECK(found->result.key.member.trial == trial::TrialId(3));
  return found->result.reports.at(0).metrics.at(0).value;
}

}  // namespace

TEST_CASE("the same work in the same numerics class is cited", "[driver][reuse]") {
  const support::TempFolder store;
  write_donor(store.path(), read_study("donor"), 0.25, "avx2");
  CHECK(cited(store.path(), "avx2") == 0.25);
  CHECK_FALSE(cited(store.path(), "avx512"));
  CHECK_FALSE(cited(store.path(), ""));
  CHECK_FALSE(cited(store.path(), "avx2", 0.75));
  CHECK_FALSE(cited(store.path(), "avx2", 0.5, 2));
  CHECK_FALSE(cited(store.path(), "avx2", 0.5, 4, {"seed=9"}));
  CHECK_FALSE(cited(store.path(), "avx2", 0.5, 4, {"determinism=portable"}));
  CHECK_FALSE(cited(store.path(), "avx2", 0.5, 4, {"reuse=none"}));
}

TEST_CASE("trials that failed or were cancelled are not cited", "[driver][reuse]") {
  const support::TempFolder store;
  const auto [state, is_cited] = GENERATE(table<trial::TrialState, bool>(
      {{trial::TrialState::pruned, true}, {trial::TrialState::failed, false}, {trial::TrialState::cancelled, false}}));
  write_donor(store.path(), read_study("donor"), 0.25, "avx2", state);
  CHECK(cited(store.path(), "avx2").has_value() == is_cited);
}

TEST_CASE("of two studies the one created first is cited", "[driver][reuse]") {
  const support::TempFolder store;
  write_donor(store.path(), read_study("a"), 0.25, "avx2", trial::TrialState::completed, "2026-11-21T10:00:00Z");
  write_donor(store.path(), read_study("b"), 0.125, "avx2", trial::TrialState::completed, "2026-11-20T10:00:00Z");
  CHECK(cited(store.path(), "avx2") == 0.125);
}

}  // namespace reuse_test
