// SPDX-License-Identifier: Apache-2.0
#include "driver/run_order.hpp"

#include "around.hpp"
#include "support/catch.hpp"

namespace run_order_test {

using namespace dlrun;
using namespace dlrun::driver;
using Indices = std::vector<std::size_t>;

namespace {

spec::StudySpec spec_of(const support::TempFolder& folder, const std::string& replicates) {
  write_file(folder / "study.yaml", R"(study: parts
seed: 3
objective: {metric: value, direction: minimize}
space:
  x: {type: constant, value: 0.5}
  y: {type: constant, value: 1}
trial: {kind: function, function: {op: sphere, noise: 0.1, curve: 0.2}}
ablation:
  components:
    - {id: curve, set: {function.curve: 0}}
    - {id: noise, set: {function.noise: 0}}
  replicates: )" + replicates + "\n");
  return spec::read({.file = folder / "study.yaml", .ablation = spec::Ablation::required});
}

std::unique_ptr<samplers::Sampler> sampler_of(const spec::StudySpec& spec) {
  if (spec.cells) return std::make_unique<samplers::CellSampler>(spec.space, *spec.cells);
  return samplers::make_sampler("grid", spec.space, spec.seed);
}

/// Every run that is decided at the beginning waits: replicate by replicate baseline, curve, noise.
struct Fixture {
  support::TempFolder folder;
  spec::StudySpec spec;
  study::Study study;
  RunOrder order{spec, study};
  std::deque<Work> waiting;
  std::vector<const Work*> running;
  Clock::time_point now{};

  explicit Fixture(const std::string& replicates = "{n: 2}")
      : spec(spec_of(folder, replicates)),
        study(spec.rules, spec.space, sampler_of(spec), pruners::make_pruner(spec.pruner)) {
    for (const study::Effect& effect : study.decide().effects) {
      if (const auto* start = std::get_if<study::StartPiece>(&effect)) waiting.push_back({*start});
    }
  }
  Indices choose(std::size_t idle) { return order.choose(waiting, running, idle, now); }
  /// The earliest run that waits runs for so long, on a worker that is idle afterwards.
  void run(double seconds, trial::Outcome outcome = trial::Outcome::completed) {
    const Work work = waiting.front();
    waiting.pop_front();
    order.begin(work, now);
    trial::PieceResult result{.key = work.piece.key, .attempt = work.piece.attempt, .outcome = outcome};
    result.seconds = seconds;
    order.finish(result);
  }
};

}  // namespace

TEST_CASE("runs leave by what their variant took", "[driver][order]") {
  Fixture study;
  REQUIRE(study.waiting.size() == 6);
  CHECK(study.choose(2) == Indices{0, 1});
  study.run(1);
  study.run(2);
  study.run(9);
  CHECK(study.choose(1) == Indices{2});
  CHECK(study.choose(2) == Indices{2, 1});
}

TEST_CASE("a run that failed does not say how long others take", "[driver][order]") {
  Fixture study;
  study.run(1);
  study.run(9, trial::Outcome::failed);
  study.run(2);
  CHECK(study.choose(1) == Indices{2});
}

TEST_CASE("many runs leave as they were decided", "[driver][order]") {
  Fixture study("{n: 3}");
  REQUIRE(study.waiting.size() == 9);
  CHECK(study.choose(2).empty());  // more than three for each worker
  CHECK(study.choose(3).size() == 3);
  CHECK(study.choose(0).empty());
}

TEST_CASE("tests and repairs that wait are not overtaken", "[driver][order]") {
  Fixture study;
  study.waiting.back().is_test = true;
  CHECK(study.choose(3).empty());
}

TEST_CASE("the order of a search is that of its decisions", "[driver][order]") {
  support::Around around;
  RunOrder order(around.spec, around.study);
  CHECK(order.is_off());
}

TEST_CASE("further replicates follow from every look but the last", "[driver][order]") {
  const support::TempFolder folder;
  const auto unlocks_others = [](const spec::StudySpec& spec, std::int64_t replicate) {
    space::Values values(spec.space.size());
    values[*spec.space.find("replicate")] = replicate;
    values[*spec.space.find("variant")] = space::Choice{1};
    return unlocks(spec, values);
  };
  const spec::StudySpec looked = spec_of(folder, "auto");  // looks at 4, 6, … 14
  CHECK(unlocks_others(looked, 12));
  CHECK_FALSE(unlocks_others(looked, 13));
  CHECK_FALSE(unlocks_others(spec_of(folder, "{n: 2}"), 1));
}

}  // namespace run_order_test
