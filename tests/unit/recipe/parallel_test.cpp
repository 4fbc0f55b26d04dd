// SPDX-License-Identifier: Apache-2.0
// `parallel:` as structs: what follows from other sections, and fingerprints that later keys leave alone.
#include "recipe/parallel.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"

namespace parallel_recipe_test {

using namespace dlrun;

namespace {

Json trial_with(const Json& parallel) {
  return {{"parallel", parallel},
          {"cluster", {{"op", "virtual"}, {"ranks_per_host", 2}}},
          {"optimizer", {{"op", "sgd"}, {"lr", 0.1}, {"momentum", 0.8}}},
          {"clip_norm", 3.0}};
}

parallel::Dgc dgc_of(const Json& trial) { return std::get<parallel::Dgc>(recipe::read_parallel(trial)->gang.codec); }

}  // namespace

TEST_CASE("weights that are cut have a server on each host", "[recipe][parallel]") {
  const auto gang = [](const Json& parallel) { return recipe::read_parallel(trial_with(parallel))->gang; };
  CHECK(*gang({{"op", "bsp"}, {"ranks", 7}, {"sharding", "layer"}}).sharding.servers == 4);
  CHECK(*gang({{"op", "bsp"}, {"ranks", 7}, {"sharding", "layer"}, {"servers", 3}}).sharding.servers == 3);
  CHECK(gang({{"op", "ar_sgd"}, {"ranks", 2}, {"bucket_bytes", 100}}).sharding.most_bytes == 100);
}

TEST_CASE("dgc takes the optimizer's momentum and the clipping over, or not", "[recipe][parallel]") {
  const auto trial = [](Json codec) {
    codec["op"] = "dgc";
    return trial_with({{"op", "bsp"}, {"ranks", 4}, {"codec", std::move(codec)}});
  };
  const parallel::Dgc both = dgc_of(trial(Json::object()));
  CHECK(both.momentum == 0.8);
  CHECK(both.clip_norm == 3.0);
  const parallel::Dgc none = dgc_of(trial({{"momentum_correction", false}, {"clipping", false}}));
  CHECK(none.momentum == 0);
  CHECK(!none.clip_norm);
  Json adam = trial(Json::object());
  adam["optimizer"] = {{"op", "adam"}};
  CHECK_THROWS_AS(recipe::read_parallel(adam), Error);
  adam["parallel"]["codec"]["momentum_correction"] = false;
  CHECK(dgc_of(adam).momentum == 0);
}

TEST_CASE("a method's codecs are its own", "[recipe][parallel]") {
  CHECK_THROWS_AS(recipe::read_parallel(trial_with({{"op", "ar_sgd"}, {"ranks", 2}, {"codec", "dgc"}})), Error);
  CHECK_THROWS_AS(recipe::read_parallel(trial_with({{"op", "bsp"}, {"ranks", 2}, {"codec", "powersgd"}})), Error);
}

TEST_CASE("a gang's fingerprint knows new keys only where they say something", "[recipe][parallel]") {
  const auto keys = [](const Json& parallel) {
    std::vector<std::string> names;
    const Json json = recipe::to_json(*recipe::read_parallel(trial_with(parallel)));
    for (const auto& [name, value] : json.items()) names.push_back(name);
    return names;
  };
  const std::vector<std::string> old = {"cluster", "lr_scale", "op", "ranks", "settings"};
  CHECK(keys({{"op", "bsp"}, {"ranks", 4}}) == old);
  CHECK(keys({{"op", "bsp"}, {"ranks", 4}, {"codec", "bf16"}}).size() == 6);
  CHECK(keys({{"op", "bsp"}, {"ranks", 4}, {"aggregate", 2}, {"wait_free", true}}).size() == 7);
}

}  // namespace parallel_recipe_test
