// SPDX-License-Identifier: Apache-2.0
#include "recipe/optimizer.hpp"
#include "support/catch.hpp"

namespace recipe_optimizer_test {

using namespace dlrun;
using namespace dlrun::recipe;

namespace {

OptimizerConfig read(const Json& section) { return read_optimizer({{"optimizer", section}}); }

}  // namespace

TEST_CASE("an optimiser has its own defaults", "[recipe][optimizer]") {
  const OptimizerConfig plain = read_optimizer(Json::object());
  CHECK(name_of(plain) == std::string("sgd"));
  CHECK(plain.lr == 0.05);
  CHECK(read("adamw").weight_decay == 0.01);
  CHECK(read("adam").weight_decay == 0);
  CHECK(std::get<Lion>(read("lion").method).betas == Betas{0.9, 0.99});
  CHECK(std::get<Lars>(read("lars").method).eps == 0);
  CHECK(read("muon").weight_decay == 0.1);
  CHECK(std::get<Muon>(read("muon").method).nesterov);
}

TEST_CASE("settings and groups of an optimiser are read", "[recipe][optimizer]") {
  const OptimizerConfig config =
      read({{"op", "rmsprop"},
            {"centered", true},
            {"no_decay", "bias"},
            {"groups", {{{"match", "head"}, {"weight_decay", 0.5}}, {{"match", {"a", "b"}}}}}});
  CHECK(std::get<RmsProp>(config.method).centered);
  CHECK(config.no_decay == std::vector<std::string>{"bias"});
  REQUIRE(config.groups.size() == 2);
  CHECK(config.groups[0].weight_decay == 0.5);
  CHECK(config.groups[0].lr == 1);
  CHECK(config.groups[1].match == std::vector<std::string>{"a", "b"});
  CHECK_FALSE(config.groups[1].weight_decay);
}

TEST_CASE("the reader has the bounds of the keys", "[recipe][optimizer]") {
  CHECK_THROWS_WITH(read("lyon"), "optimizer.op: there is no 'lyon'");
  CHECK_THROWS_WITH(read({{"lr", 0}}), "optimizer.lr is 0, but must be in (0, inf)");
  CHECK_THROWS_WITH(read({{"op", "rmsprop"}, {"alpha", 1}}), "optimizer.alpha is 1, but must be in [0, 1)");
  CHECK_THROWS_WITH(read({{"op", "adam"}, {"betas", {0.9, 1}}}), "optimizer.betas.1 is 1, but must be in [0, 1)");
  CHECK_THROWS_WITH(read({{"groups", {{{"lr", 2}}}}}), "optimizer.groups.0 needs 'match'");
  CHECK_THROWS_WITH(read({{"no_decay", {"biass"}}}), "optimizer.no_decay.0: there is no 'biass'");
}

}  // namespace recipe_optimizer_test
