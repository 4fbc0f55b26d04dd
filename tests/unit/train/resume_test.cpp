// SPDX-License-Identifier: Apache-2.0
// Wherever a training is cut, stopped, lost or repeated, not one bit of what it leaves may differ.
#include <fstream>

#include "support/catch.hpp"
#include "unit/train/support.hpp"
#include "util/error.hpp"

using namespace dlrun;
using namespace dlrun::train;

namespace {

std::vector<trial::Report> joined(const trial::PieceResult& a, const trial::PieceResult& b) {
  std::vector<trial::Report> all = a.reports;
  all.insert(all.end(), b.reports.begin(), b.reports.end());
  return all;
}

/// In pieces of one and three epochs.
void check_pieces(const Json& trial) {
  Fixture fixture(trial);
  const trial::PieceResult whole = fixture.run(fixture.order(0, 4));
  REQUIRE(whole.outcome == trial::Outcome::completed);
  const trial::PieceResult first = fixture.run(fixture.order(0, 1));
  trial::PieceOrder order = fixture.order(1, 4);
  order.resume = artifact(first, "last");
  const trial::PieceResult second = fixture.run(order);
  CHECK(artifact(second, "last") == artifact(whole, "last"));
  CHECK(artifact(second, "best") == artifact(whole, "best"));
  CHECK(joined(first, second) == whole.reports);
}

/// Stops after some steps, then goes on from that attempt's folder.
trial::PieceResult stopped_and_resumed(Fixture& fixture, std::int64_t steps, FakeHost& second) {
  FakeHost first(steps);
  CHECK_THROWS_AS(fixture.run(fixture.order(0, 4, "lost"), first), trial::Stopped);
  trial::PieceOrder order = fixture.order(0, 4, "again");
  order.partial = fixture.folder.make("lost");
  return fixture.run(order, second);
}

void change_byte(const std::filesystem::path& path, std::int64_t from_end) {
  std::string bytes = read_file(path);
  bytes[bytes.size() - std::size_t(from_end)] ^= 0x10;
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("pieces leave the same bits as one run, for every optimiser and schedule", "[train][resume]") {
  Json trial = digits_trial();
  const Json optimizer = GENERATE(
      Json{{"op", "sgd"}, {"lr", 0.05}}, Json{{"op", "sgd"}, {"lr", 0.05}, {"momentum", 0.9}, {"nesterov", true}},
      Json{{"op", "adam"}, {"lr", 0.01}, {"weight_decay", 0.001}}, Json{{"op", "adamw"}, {"lr", 0.01}});
  const Json schedule =
      GENERATE(Json{{"op", "constant"}}, Json{{"op", "step"}, {"every", 2}}, Json{{"op", "cosine"}, {"warmup", 1}});
  trial["optimizer"] = optimizer;
  trial["schedule"] = schedule;
  INFO(optimizer << schedule);
  check_pieces(trial);
}

TEST_CASE("a convolutional net in pieces leaves the same bits as in one run", "[train][resume]") {
  Json trial = digits_trial();
  trial["model"]["nodes"] = {{{"name", "img"}, {"op", "reshape"}, {"shape", {1, 8, 8}}},
                             {{"name", "conv1"}, {"op", "conv2d"}, {"out", 8}, {"k", 3}, {"pad", "same"}},
                             {{"name", "bn1"}, {"op", "batchnorm"}},
                             {{"name", "act1"}, {"op", "gelu"}},
                             {{"name", "pool1"}, {"op", "maxpool"}, {"k", 2}},
                             {{"name", "drop1"}, {"op", "dropout"}, {"p", 0.1}},
                             {{"name", "flat"}, {"op", "flatten"}},
                             {{"name", "ln"}, {"op", "layernorm"}},
                             {{"name", "head"}, {"op", "linear"}, {"out", "classes"}, {"role", "head"}}};
  trial["clip_norm"] = 1.0;
  check_pieces(trial);
}

TEST_CASE("stopped at any step, it goes on from there to the same bits", "[train][resume]") {
  Fixture fixture;
  const trial::PieceResult whole = fixture.run(fixture.order(0, 4));
  const std::int64_t steps = GENERATE(0, 1, 7, 19, 20, 21, 45, 70);
  FakeHost host;
  const trial::PieceResult result = stopped_and_resumed(fixture, steps, host);
  CHECK(artifact(result, "last") == artifact(whole, "last"));
  CHECK(artifact(result, "best") == artifact(whole, "best"));
  CHECK(result.reports == whole.reports);
  CHECK_THAT(host.lines.front(), Contains("resumed from"));
}

TEST_CASE("a damaged newest checkpoint gives way to the one before it", "[train][resume]") {
  Fixture fixture;
  const trial::PieceResult whole = fixture.run(fixture.order(0, 4));
  FakeHost first(70);
  CHECK_THROWS_AS(fixture.run(fixture.order(0, 4, "lost"), first), trial::Stopped);
  const auto files = CheckpointFolder::newest_first(fixture.folder.make("lost"));
  REQUIRE(files.size() == 2);
  std::size_t damaged = 1;
  SECTION("truncated") { std::filesystem::resize_file(files[0], 1000); }
  SECTION("empty") { std::filesystem::resize_file(files[0], 0); }
  SECTION("a bit of the data flipped") { change_byte(files[0], 100); }
  SECTION("a bit of the header flipped") { change_byte(files[0], std::int64_t(read_file(files[0]).size()) - 40); }
  SECTION("both") {
    change_byte(files[0], 100);
    std::filesystem::resize_file(files[1], 1000);
    damaged = 2;
  }
  trial::PieceOrder order = fixture.order(0, 4, "again");
  order.partial = fixture.folder.make("lost");
  FakeHost host;
  const trial::PieceResult result = fixture.run(order, host);
  CHECK(artifact(result, "last") == artifact(whole, "last"));
  CHECK(artifact(result, "best") == artifact(whole, "best"));
  CHECK(result.reports == whole.reports);
  for (std::size_t i = 0; i < damaged; ++i) CHECK_THAT(host.lines[i], Contains("not resumed from"));
}

TEST_CASE("a lost best checkpoint is trained again", "[train][resume]") {
  Fixture fixture;
  const trial::PieceResult whole = fixture.run(fixture.order(0, 4));
  FakeHost first(70);
  CHECK_THROWS_AS(fixture.run(fixture.order(0, 4, "lost"), first), trial::Stopped);
  for (int epoch = 1; epoch <= 4; ++epoch) {
    std::filesystem::remove(CheckpointFolder::best_path(fixture.folder.make("lost"), epoch));
  }
  trial::PieceOrder order = fixture.order(0, 4, "again");
  order.partial = fixture.folder.make("lost");
  const trial::PieceResult result = fixture.run(order);
  CHECK(artifact(result, "last") == artifact(whole, "last"));
  CHECK(artifact(result, "best") == artifact(whole, "best"));
}

TEST_CASE("checkpoints of another trial in the folder are not taken", "[train][resume]") {
  Fixture fixture;
  const trial::PieceResult whole = fixture.run(fixture.order(0, 4));
  trial::PieceOrder other = fixture.order(0, 4, "lost");
  other.sets = {{"optimizer.lr", 0.01}};
  FakeHost first(50);
  CHECK_THROWS_AS(fixture.run(other, first), trial::Stopped);
  trial::PieceOrder order = fixture.order(0, 4, "again");
  order.partial = fixture.folder.make("lost");
  FakeHost host;
  CHECK(artifact(fixture.run(order, host), "last") == artifact(whole, "last"));
  CHECK_THAT(host.lines.front(), Contains("other settings"));
}

TEST_CASE("how often it saves changes no bit", "[train][resume]") {
  Fixture often, never(digits_trial(), {.least = std::chrono::hours(1)});
  CHECK(artifact(often.run(often.order(0, 4)), "last") == artifact(never.run(never.order(0, 4)), "last"));
  CHECK(CheckpointFolder::newest_first(never.folder.make("a1")).empty());
  CHECK(CheckpointFolder::newest_first(often.folder.make("a1")).size() == 2);
}

TEST_CASE("a trial gives the same bits after other trials in the same process", "[train][resume]") {
  Fixture fixture;
  const std::string first = artifact(fixture.run(fixture.order(0, 4)), "last");
  for (const int width : {8, 100, 33}) {
    trial::PieceOrder other = fixture.order(0, 2);
    other.sets = {{"model.nodes.fc1.out", width}, {"optimizer", {{"op", "adam"}, {"lr", 0.01}}}};
    CHECK(fixture.run(other).outcome == trial::Outcome::completed);
  }
  CHECK(artifact(fixture.run(fixture.order(0, 4, "a2")), "last") == first);
}

TEST_CASE("an artifact that is damaged, missing or another trial's is refused", "[train][resume]") {
  Fixture fixture;
  trial::PieceOrder order = fixture.order(1, 2);
  order.resume = artifact(fixture.run(fixture.order(0, 1)), "last");
  const std::filesystem::path path = artifact_path(fixture.setup.artifacts, order.resume);
  SECTION("damaged") {
    change_byte(path, 50);
    CHECK_THROWS_WITH(fixture.run(order), Contains("is damaged"));
  }
  SECTION("truncated") {
    std::filesystem::resize_file(path, 100);
    CHECK_THROWS_WITH(fixture.run(order), Contains("is damaged"));
  }
  SECTION("missing") {
    std::filesystem::remove(path);
    CHECK_THROWS_WITH(fixture.run(order), Contains("is missing"));
  }
  SECTION("no hash") {
    order.resume = "../../etc/passwd";
    CHECK_THROWS_WITH(fixture.run(order), Contains("is no SHA-256"));
  }
  SECTION("of another model") {
    order.sets = {{"model.nodes.fc1.out", 16}};
    CHECK_THROWS_WITH(fixture.run(order), Contains("cannot be restored"));
  }
  SECTION("of another seed") {
    order.seed = 8;
    CHECK_THROWS_WITH(fixture.run(order), Contains("its seed is 7, not 8"));
  }
  SECTION("at another epoch") {
    order.from_step = 3;
    order.to_step = 4;
    CHECK_THROWS_WITH(fixture.run(order), Contains("is at epoch 1, but the piece begins at 3"));
  }
  SECTION("none given") {
    order.resume.clear();
    CHECK_THROWS_WITH(fixture.run(order), Contains("needs an artifact"));
  }
}
