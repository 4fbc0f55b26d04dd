// SPDX-License-Identifier: Apache-2.0
// Where pieces begin, what they leave, and for whom they wait.
#include "driver/stages.hpp"

#include <fmt/format.h>

#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/files.hpp"

namespace stages_test {

using namespace dlrun;
using namespace dlrun::driver;

namespace {

spec::StudySpec read(const std::string& space, const std::string& sampler, const std::string& more = "") {
  const support::TempFolder folder;
  std::string rows;
  for (int i = 0; i < 64; ++i) rows += fmt::format("{},{},{}\n", i % 7, i % 5, i % 2 ? "yes" : "no");
  write_file(folder / "rows.csv", rows);
  write_file(folder / "study.yaml", fmt::format(R"(
study: shared
objective: {{metric: val.accuracy, direction: maximize}}
space: {}
search: {{sampler: {}}}
{}
trial:
  data: {{op: csv, path: rows.csv, header: false, target: -1, split: {{train: 0.5, val: 0.25, test: 0.25}}}}
  model: {{nodes: [{{op: linear, out: classes}}]}}
  schedule: {{op: step, every: 7}}
  epochs: 10
)",
                                                space, sampler, more));
  return spec::read({.file = folder / "study.yaml"});
}

constexpr const char* kGamma = "{gamma: {at: schedule.gamma, choices: [0.1, 0.2, 0.3]}}";

/// A study whose trials are the values of one parameter, in order.
struct World {
  explicit World(spec::StudySpec of, std::function<space::Values(std::int64_t)> values = choice)
      : spec(std::move(of)),
        stages(spec, folder / "stages", [values](trial::TrialId trial) { return values(trial.value); }) {}

  static space::Values choice(std::int64_t trial) { return {space::Choice{std::uint32_t(trial)}}; }
  static study::StartPiece piece(std::int64_t trial, std::int64_t from = 0, std::int64_t to = 10) {
    return {{{trial::TrialId(trial)}, from > 0 ? 1 : 0}, 1, from, to, ""};
  }
  trial::PieceOrder start(const study::StartPiece& piece) {
    stages.start(piece);
    trial::PieceOrder order;
    order.key = piece.key;
    order.attempt = piece.attempt;
    stages.equip(order);
    return order;
  }
  /// As the worker would, before it reports.
  void leave(const trial::PieceOrder& order, std::int64_t epoch) {
    for (const trial::StagePlace& place : order.leaves) {
      if (place.epoch != epoch) continue;
      make_folders(place.folder);
      write_file(place.folder + "/stage.json", "{}");
    }
    stages.reach(order.key, order.attempt, epoch);
  }

  support::TempFolder folder;
  spec::StudySpec spec;
  Stages stages;
};

std::vector<std::int64_t> epochs_of(const trial::PieceOrder& order) {
  std::vector<std::int64_t> epochs;
  for (const trial::StagePlace& place : order.leaves) epochs.push_back(place.epoch);
  return epochs;
}

}  // namespace

TEST_CASE("others wait for the first and begin where it parts from them", "[driver][stages]") {
  World world(read(kGamma, "grid"));
  CHECK_FALSE(world.stages.waits(World::piece(0)));
  const trial::PieceOrder trunk = world.start(World::piece(0));
  CHECK(epochs_of(trunk) == std::vector<std::int64_t>{7});
  CHECK_FALSE(trunk.shared);
  CHECK(world.stages.waits(World::piece(1)));
  SECTION("once it is there") {
    world.leave(trunk, 6);
    CHECK(world.stages.waits(World::piece(1)));
    world.leave(trunk, 7);
    CHECK_FALSE(world.stages.waits(World::piece(1)));
    const trial::PieceOrder branch = world.start(World::piece(1));
    CHECK(branch.shared == trunk.leaves.front());
    CHECK(branch.leaves.empty());
  }
  SECTION("but for none that is lost") {
    world.stages.end(trunk.key, trunk.attempt, false);
    CHECK_FALSE(world.stages.waits(World::piece(1)));
    CHECK(epochs_of(world.start(World::piece(1))) == std::vector<std::int64_t>{7});
    CHECK(world.stages.waits(World::piece(2)));
  }
  SECTION("nor for one that could leave nothing") {
    world.stages.reach(trunk.key, trunk.attempt, 7);
    CHECK_FALSE(world.stages.waits(World::piece(1)));
  }
  SECTION("a report of another attempt says nothing") {
    world.stages.reach(trunk.key, 2, 7);
    CHECK(world.stages.waits(World::piece(1)));
  }
}

TEST_CASE("a rung inside of what is shared ends a stage", "[driver][stages]") {
  World world(read(kGamma, "grid"));
  const trial::PieceOrder trunk = world.start(World::piece(0, 0, 3));
  CHECK(epochs_of(trunk) == std::vector<std::int64_t>{3});
  world.leave(trunk, 3);
  CHECK(world.start(World::piece(1, 0, 3)).shared->epoch == 3);
  CHECK_FALSE(world.stages.waits(World::piece(1, 3, 9)));
  const trial::PieceOrder on = world.start(World::piece(1, 3, 9));
  CHECK(epochs_of(on) == std::vector<std::int64_t>{7});
  CHECK_FALSE(on.shared);
}

TEST_CASE("who is ahead waits for nobody who is behind", "[driver][stages]") {
  World world(
      read(
          "{every: {at: schedule.every, type: int, low: 7, high: 9}, gamma: {at: schedule.gamma, choices: [0.1, 0.2]}}",
          "grid"),
      [](std::int64_t trial) {
        return space::Values{std::int64_t(7 + trial / 2), space::Choice{std::uint32_t(trial % 2)}};
      });
  const trial::PieceOrder trunk = world.start(World::piece(2));  // drops after 8
  CHECK(epochs_of(trunk) == std::vector<std::int64_t>{7, 8});
  world.leave(trunk, 7);
  CHECK_FALSE(world.stages.waits(World::piece(0)));  // it parts after 7
  CHECK(world.stages.waits(World::piece(3)));        // the trunk stands at 7, where it could begin, and goes to 8
  const trial::PieceOrder late = world.start(World::piece(4));
  CHECK(late.shared->epoch == 7);
  CHECK(epochs_of(late) == std::vector<std::int64_t>{8, 9});
}

TEST_CASE("a stage goes when all that can use it have passed", "[driver][stages]") {
  World world(read(kGamma, "grid"));
  const trial::PieceOrder trunk = world.start(World::piece(0));
  world.leave(trunk, 7);
  const std::filesystem::path folder = trunk.leaves.front().folder;
  world.stages.end(trunk.key, trunk.attempt, true);
  world.start(World::piece(1));
  world.stages.end(World::piece(1).key, 1, true);
  CHECK(std::filesystem::exists(folder));
  world.stages.pass(trial::TrialId(2), {});  // cancelled
  CHECK_FALSE(std::filesystem::exists(folder));
}

TEST_CASE("a driver that goes on offers what the one before left", "[driver][stages]") {
  World world(read(kGamma, "grid"));
  world.leave(world.start(World::piece(0)), 7);
  Stages next(world.spec, world.folder / "stages", [](trial::TrialId t) { return World::choice(t.value); });
  next.start(World::piece(2));
  trial::PieceOrder order;
  order.key = World::piece(2).key;
  order.attempt = 1;
  next.equip(order);
  REQUIRE(order.shared);
  CHECK(order.shared->epoch == 7);
}

TEST_CASE("what comes by chance is shared where it can come twice", "[driver][stages]") {
  SECTION("few values") {
    World world(read(kGamma, "random"));
    CHECK(epochs_of(world.start(World::piece(0))) == std::vector<std::int64_t>{7});
    CHECK(world.stages.waits(World::piece(1)));
  }
  SECTION("a continuous rate never comes again") {
    World world(
        read("{lr: {at: optimizer.lr, type: float, low: 0.1, high: 0.2}, gamma: {at: schedule.gamma, choices: [0.1, "
             "0.2]}}",
             "random"),
        [](std::int64_t trial) {
          return space::Values{0.1 + 0.01 * double(trial), space::Choice{std::uint32_t(trial % 2)}};
        });
    CHECK(world.start(World::piece(0)).leaves.empty());
    CHECK_FALSE(world.stages.waits(World::piece(1)));
  }
}

TEST_CASE("without the key nothing is shared", "[driver][stages]") {
  World world(read(kGamma, "grid", "reuse: none"));
  CHECK(world.stages.is_off());
  CHECK(world.start(World::piece(0)).leaves.empty());
  CHECK_FALSE(world.stages.waits(World::piece(1)));
}

}  // namespace stages_test
