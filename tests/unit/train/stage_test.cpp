// SPDX-License-Identifier: Apache-2.0
// Epochs that another member trained: taken up, they leave not one bit that is other than after one's own.
#include "train/stage.hpp"

#include <fstream>

#include "support/catch.hpp"
#include "train/safetensors.hpp"
#include "unit/train/support.hpp"

namespace stage_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

Json with(const char* key, const Json& value, Json trial = digits_trial()) {
  trial[key] = value;
  return trial;
}

Json drops(double gamma) { return {{"op", "multi_step"}, {"milestones", {3}}, {"gamma", gamma}}; }

/// Two trials in one store, the second of which may begin where the first left a stage after `epoch`.
struct Pair {
  Pair(const Json& first, const Json& second, std::int64_t epoch) : fixture(first), other(second), epoch(epoch) {
    trial::PieceOrder order = fixture.order(0, 4, "trunk");
    order.leaves = {place()};
    trunk = fixture.run(order);
    fixture.setup.trial = other;
    alone = fixture.run(fixture.order(0, 4, "alone"));
  }

  trial::StagePlace place() const { return {epoch, fixture.folder.make("stage").string()}; }
  trial::PieceOrder branch(std::int64_t from, std::int64_t to, const std::string& name) const {
    trial::PieceOrder order = fixture.order(from, to, name);
    order.key.member.trial = trial::TrialId(1);
    order.shared = place();
    return order;
  }
  void check_equal(const trial::PieceResult& result) const {
    CHECK(result.outcome == alone.outcome);
    CHECK(result.reports == alone.reports);
    CHECK(result.artifacts == alone.artifacts);
  }

  Fixture fixture;
  Json other;
  std::int64_t epoch;
  trial::PieceResult trunk, alone;
};

void change_bytes(const std::filesystem::path& path) {
  std::string bytes = read_file(path);
  bytes[bytes.size() / 2] ^= 0x10;
  std::ofstream(path, std::ios::binary) << bytes;
}

/// A sound file with its own checksum, whose weights are other ones.
void change_weights(const std::filesystem::path& path) {
  const SafeTensors file(read_file(path), "a stage");
  std::vector<TensorView> tensors = file.tensors();
  std::string zeros;
  for (TensorView& tensor : tensors) {
    if (tensor.name != "model.fc1.weight") continue;
    zeros.assign(tensor.bytes.size(), '\0');
    tensor.bytes = zeros;
  }
  tensors::Metadata metadata = file.metadata();
  metadata.erase("sha256");
  std::ofstream(path, std::ios::binary) << write_safetensors(std::move(tensors), metadata);
}

void change_all(const std::filesystem::path& folder, void (*change)(const std::filesystem::path&)) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".safetensors") change(entry.path());
  }
}

}  // namespace

TEST_CASE("a branch of a shared stage ends as the whole trial would", "[train][stages]") {
  struct Case {
    Json first, second;
    std::int64_t epoch;
  };
  const Json swa = {{"start", 0.5}, {"every", 1}};
  const Json plateau = {{"op", "plateau"}, {"patience", 1}, {"factor", 0.5}};
  const Json longer = {{"op", "plateau"}, {"patience", 2}, {"factor", 0.5}};
  const auto c = GENERATE_COPY(values<Case>({
      {with("schedule", drops(0.1)), with("schedule", drops(0.5)), 3},
      {with("schedule", drops(0.1)), with("schedule", drops(0.5)), 1},
      {with("schedule", drops(0.1)), with("schedule", {{"op", "constant"}}), 3},
      {with("schedule", drops(0.1)), with("schedule", drops(0.5)), 2},
      {with("schedule", plateau), with("schedule", longer), 2},
      {with("swa", swa, with("schedule", drops(1))), with("schedule", drops(1)), 2},
      {with("optimizer", {{"op", "adamw"}, {"lr", 0.01}}, with("schedule", drops(0.1))),
       with("optimizer", {{"op", "adamw"}, {"lr", 0.01}}, with("schedule", drops(0.2))), 3},
      {with("ema", {{"decay", 0.9}}, with("schedule", drops(0.1))),
       with("ema", {{"decay", 0.9}}, with("schedule", drops(0.2))), 3},
  }));
  Pair pair(c.first, c.second, c.epoch);
  INFO(c.second.dump());
  CHECK(artifact(pair.trunk, "last") != artifact(pair.alone, "last"));
  FakeHost host;
  const trial::PieceResult result = pair.fixture.run(pair.branch(0, 4, "branch"), host);
  pair.check_equal(result);
  REQUIRE(result.shared);
  CHECK(*result.shared == trial::SharedStart{{trial::TrialId(0)}, c.epoch});
  CHECK(std::int64_t(host.reports.size()) == 4 - c.epoch);
}

TEST_CASE("stages and pieces cut a training independently", "[train][stages]") {
  Pair pair(with("schedule", drops(0.1)), with("schedule", drops(0.5)), 3);
  const std::int64_t cut = GENERATE(1, 2, 3);
  trial::PieceOrder first = pair.branch(0, cut, "first");
  if (cut < 3) first.shared.reset();
  const trial::PieceResult before = pair.fixture.run(first);
  trial::PieceOrder order = pair.branch(cut, 4, "second");
  order.resume = artifact(before, "last");
  const trial::PieceResult result = pair.fixture.run(order);
  CHECK(result.artifacts == pair.alone.artifacts);
  CHECK(result.shared.has_value() == (cut < 3));
  CHECK(before.shared.has_value() == (cut == 3));
}

TEST_CASE("a stage of another seed is not taken up", "[train][stages]") {
  Pair pair(with("schedule", drops(0.1)), with("schedule", drops(0.5)), 3);
  trial::PieceOrder order = pair.branch(0, 4, "branch");
  order.seed = 8;
  FakeHost host;
  CHECK_FALSE(pair.fixture.run(order, host).shared);
  CHECK_THAT(host.lines.front(), Contains("its seed is 7, not 8"));
}

TEST_CASE("what cannot be taken up is trained", "[train][stages]") {
  Pair pair(with("schedule", drops(0.1)), with("schedule", drops(0.5)), 3);
  trial::PieceOrder order = pair.branch(0, 4, "branch");
  SECTION("nothing there") { order.shared->folder = pair.fixture.folder.make("empty").string(); }
  std::string reason = "nothing shared from";
  SECTION("a flipped bit") {
    change_all(order.shared->folder, change_bytes);
    reason = "its content does not match its name";
  }
  SECTION("other weights in a sound file") {
    change_all(order.shared->folder, change_weights);
    reason = "its content does not match its name";
  }
  SECTION("another epoch") {
    order.shared->epoch = 2;
    reason = "it is of another epoch";
  }
  SECTION("another class of numerics") {
    const std::filesystem::path note = order.shared->folder + "/stage.json";
    Json json = parse_json(read_file(note), "stage.json");
    json["numerics"] = "of another machine";
    write_file(note, to_text(json), {});
    reason = "it is of other numerics";
  }
  SECTION("half a note") { write_file(order.shared->folder + "/stage.json", "{\"shared\": [0,", {}); }
  FakeHost host;
  const trial::PieceResult result = pair.fixture.run(order, host);
  pair.check_equal(result);
  CHECK_FALSE(result.shared);
  REQUIRE_FALSE(host.lines.empty());
  CHECK(host.lines.front().find("nothing shared from") == 0);
  CHECK_THAT(host.lines.front(), Contains(reason));
}

TEST_CASE("a stage of other settings is refused, whatever it is called", "[train][stages]") {
  const Json other =
      GENERATE(with("schedule", {{"op", "multi_step"}, {"milestones", {2}}, {"gamma", 0.1}}),
               with("optimizer", {{"op", "sgd"}, {"lr", 0.02}, {"momentum", 0.9}}, with("schedule", drops(0.1))),
               with("clip_norm", 1, with("schedule", drops(0.1))),
               with("metrics", {"accuracy", "f1_macro"}, with("schedule", drops(1))),
               with("stop", {{"patience", 9}}, with("schedule", drops(0.1))));
  Pair pair(with("schedule", drops(0.1)), other, 3);
  const trial::PieceResult result = pair.fixture.run(pair.branch(0, 4, "branch"));
  pair.check_equal(result);
  CHECK_FALSE(result.shared);
}

TEST_CASE("an attempt that goes on from one that had shared says so too", "[train][stages]") {
  Pair pair(with("schedule", drops(0.1)), with("schedule", drops(0.5)), 2);
  FakeHost first(30);  // steps; an epoch has 20 or so
  CHECK_THROWS_AS(pair.fixture.run(pair.branch(0, 4, "lost"), first), trial::Stopped);
  trial::PieceOrder order = pair.branch(0, 4, "again");
  order.partial = pair.fixture.folder.make("lost").string();
  const trial::PieceResult result = pair.fixture.run(order);
  pair.check_equal(result);
  REQUIRE(result.shared);
  CHECK(result.shared->epochs == 2);
}

}  // namespace stage_test
