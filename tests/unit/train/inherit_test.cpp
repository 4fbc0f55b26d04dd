// SPDX-License-Identifier: Apache-2.0
// What an heir takes over from its donor, bit by bit, and what is its own.
#include "support/catch.hpp"
#include "train/safetensors.hpp"
#include "unit/train/support.hpp"
#include "util/error.hpp"

namespace inherit_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

std::vector<std::pair<std::string, std::string>> weights_of(const Fixture& fixture, const trial::PieceResult& result) {
  const SafeTensors file(fetch(fixture.setup.artifacts, artifact(result, "last")), "checkpoint");
  std::vector<std::pair<std::string, std::string>> out;
  for (const TensorView& tensor : file.tensors()) out.emplace_back(tensor.name, std::string(tensor.bytes));
  return out;
}

/// An heir of what `donor` left after epoch 2.
trial::PieceOrder heir_of(const Fixture& fixture, const trial::PieceResult& donor, std::int64_t to, const Json& sets) {
  trial::PieceOrder order = fixture.order(2, to, "heir");
  order.resume = artifact(donor, "last");
  order.inherits = true;
  order.sets = sets;
  return order;
}

Json momentum_or_adam() {
  return GENERATE(Json{{"op", "sgd"}, {"lr", 0.05}, {"momentum", 0.9}}, Json{{"op", "adam"}, {"lr", 0.01}});
}

}  // namespace

TEST_CASE("an heir begins with its donor's weights and optimiser state", "[train][inherit]") {
  Json trial = digits_trial();
  trial["optimizer"] = momentum_or_adam();
  Fixture fixture(trial);
  const trial::PieceResult donor = fixture.run(fixture.order(0, 2));
  const Json sets = {{"optimizer.lr", 0.002}, {"model.nodes.drop1.p", 0.4}};
  const trial::PieceResult start = fixture.run(heir_of(fixture, donor, 2, sets));
  CHECK(weights_of(fixture, start) == weights_of(fixture, donor));
  CHECK(start.reports.empty());
  SECTION("and goes on with its own settings") {
    const trial::PieceResult heir = fixture.run(heir_of(fixture, donor, 4, sets));
    const trial::PieceResult clone = fixture.run(heir_of(fixture, donor, 4, Json::object()));
    REQUIRE(heir.reports.size() == 2);
    CHECK(heir.reports.front().step == 3);
    CHECK(weights_of(fixture, heir) != weights_of(fixture, clone));
  }
}

TEST_CASE("schedule, order of the data and dropout go on where the donor was", "[train][inherit]") {
  Json trial = digits_trial();
  trial["optimizer"] = momentum_or_adam();
  trial["schedule"] = GENERATE(Json{{"op", "cosine"}}, Json{{"op", "step"}, {"every", 3}},
                               Json{{"op", "plateau"}, {"patience", 0}, {"factor", 0.5}, {"threshold", 0.2}});
  Fixture fixture(trial);
  const trial::PieceResult donor = fixture.run(fixture.order(0, 2));
  trial::PieceOrder on = fixture.order(2, 4, "on");
  on.resume = artifact(donor, "last");
  const trial::PieceResult went_on = fixture.run(on);
  const trial::PieceResult clone = fixture.run(heir_of(fixture, donor, 4, Json::object()));
  CHECK(weights_of(fixture, clone) == weights_of(fixture, went_on));
  CHECK(clone.reports == went_on.reports);
}

TEST_CASE("the best epoch of an heir is one of its own", "[train][inherit]") {
  Fixture fixture;
  const trial::PieceResult donor = fixture.run(fixture.order(0, 2));
  const trial::PieceResult heir = fixture.run(heir_of(fixture, donor, 3, {{"optimizer.lr", 1e-9}}));
  CHECK(artifact(heir, "best") != artifact(donor, "best"));
  CHECK(artifact(heir, "best") == artifact(heir, "last"));
}

TEST_CASE("an heir that is cut goes on from its own checkpoint", "[train][inherit]") {
  Fixture fixture;
  const trial::PieceResult donor = fixture.run(fixture.order(0, 2));
  const Json sets = {{"optimizer.lr", 0.01}};
  const trial::PieceResult whole = fixture.run(heir_of(fixture, donor, 4, sets));
  trial::PieceOrder lost = heir_of(fixture, donor, 4, sets);
  lost.folder = fixture.folder.make("lost");
  FakeHost host(15);
  CHECK_THROWS_AS(fixture.run(lost, host), trial::Stopped);
  trial::PieceOrder again = heir_of(fixture, donor, 4, sets);
  again.partial = lost.folder;
  again.folder = fixture.folder.make("again");
  const trial::PieceResult result = fixture.run(again);
  CHECK(artifact(result, "last") == artifact(whole, "last"));
  CHECK(result.reports == whole.reports);
}

TEST_CASE("what does not fit an heir is refused", "[train][inherit]") {
  Fixture fixture;
  const trial::PieceResult donor = fixture.run(fixture.order(0, 2));
  CHECK_THROWS_WITH(fixture.run(heir_of(fixture, donor, 3, {{"model.nodes.fc1.out", 16}})),
                    Contains("cannot be restored"));
  CHECK_THROWS_WITH(fixture.run(heir_of(fixture, donor, 3, {{"optimizer.momentum", 0.0}})),
                    Contains("cannot be restored"));
}

}  // namespace inherit_test
