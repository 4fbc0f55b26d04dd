// SPDX-License-Identifier: Apache-2.0
// Which members of trials are the same work.
#include "spec/same_work.hpp"

#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/files.hpp"

namespace same_work_test {

using namespace dlrun;

namespace {

constexpr const char* kBase = R"(
study: base
seed: 3
objective: {metric: value, direction: minimize}
space: {x: {type: constant, value: 0.5}}
trial: {kind: function, function: {op: sphere, noise: 0.1, curve: 0.2}, epochs: 2}
ablation:
  components:
    - {id: curve, set: {function.curve: 0}}
    - {id: noise, set: {function.noise: 0}}
)";

spec::StudySpec read(const std::string& text, const std::vector<std::string>& sets = {}) {
  const support::TempFolder folder;
  write_file(folder / "study.yaml", text);
  return spec::read({.file = folder / "study.yaml", .sets = sets, .ablation = spec::Ablation::allowed});
}

/// Of the cell (replicate, variant by its number).
std::string cell(const spec::StudySpec& spec, std::int64_t replicate, std::uint32_t variant) {
  space::Values values{space::Choice{0}, replicate, space::Choice{variant}};
  return spec::work_hash(spec, values, {trial::TrialId(0)});
}

}  // namespace

TEST_CASE("a cell is the same work whatever its number, design and name", "[spec][reuse]") {
  const auto loco = read(kBase), pairwise = read(kBase, {"ablation.design=pairwise", "study=other"});
  CHECK(cell(loco, 1, 0) == cell(pairwise, 1, 0));
  CHECK(cell(loco, 4, 1) == cell(pairwise, 4, 1));
  CHECK(cell(loco, 1, 0) != cell(loco, 2, 0));
  CHECK(cell(loco, 1, 0) != cell(loco, 1, 1));
  CHECK(cell(loco, 1, 1) != cell(loco, 1, 2));
  CHECK(cell(loco, 1, 1) == cell(read(kBase, {"ablation.replicates.n=12", "search.lanes=3"}), 1, 1));
}

TEST_CASE("another seed, epoch, value or objective is other work", "[spec][reuse]") {
  const auto base = cell(read(kBase), 1, 1);
  for (const char* other :
       {"seed=4", "trial.epochs=3", "space.x.value=0.25", "objective.at=best", "trial.function.noise=0.2",
        "resources.threads_per_trial=2", "determinism=portable", "objective.direction=maximize"}) {
    INFO(other);
    CHECK(cell(read(kBase, {other}), 1, 1) != base);
  }
}

TEST_CASE("members differ by their replicates, wherever these are counted from", "[spec][reuse]") {
  const std::string search = R"(
study: search
objective: {metric: value, direction: minimize}
space: {x: {type: int, low: 0, high: 3}}
trial: {kind: function, function: {op: sphere, noise: 0.1}, epochs: 2, replicates: 3}
)";
  const auto from = [&](const char* first) { return read(search, {std::string("trial.first_replicate=") + first}); };
  const auto hash = [](const spec::StudySpec& spec, int replicate) {
    return spec::work_hash(spec, {std::int64_t(2)}, {trial::TrialId(7), replicate});
  };
  CHECK(hash(from("1"), 1) == hash(from("2"), 0));
  CHECK(hash(from("1"), 1) != hash(from("1"), 2));
}

TEST_CASE("an ablation cites, a search where it is asked to", "[spec][reuse]") {
  CHECK(spec::reuses_trials(read(kBase)));
  CHECK_FALSE(spec::reuses_trials(read(kBase, {"reuse=none"})));
  CHECK(read(kBase).hash == read(kBase, {"reuse=none"}).hash);  // the answer is the same
}

}  // namespace same_work_test
