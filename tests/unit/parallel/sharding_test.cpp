// SPDX-License-Identifier: Apache-2.0
// Cuts of a model into shards and buckets, and the models that timing knows.
#include "parallel/sharding.hpp"
#include "parallel/profiles.hpp"
#include "support/catch.hpp"

namespace sharding_test {

using namespace dlrun::parallel;

namespace {

std::vector<Layer> three() { return {{10, 40, 1}, {70, 280, 2}, {20, 80, 1}}; }

double share_of(const std::vector<Shard>& shards, int server) {
  double sum = 0;
  for (const Shard& shard : shards) sum += shard.server == server ? shard.share : 0;
  return sum;
}

/// Whether shards follow each other from the first number to the last.
bool is_whole(const std::vector<Shard>& shards, std::size_t size) {
  std::size_t at = 0;
  double share = 0;
  for (const Shard& shard : shards) {
    if (shard.begin != at) return false;
    at = shard.end;
    share += shard.share;
  }
  return at == size && std::abs(share - 1) < 1e-12;
}

}  // namespace

TEST_CASE("shards are the whole model, each on one of the servers", "[parallel][sharding]") {
  for (const char* by : {"none", "layer", "memory"}) {
    for (const int servers : {1, 2, 5, 40}) {
      for (const bool is_wait_free : {false, true}) {
        INFO(by << " " << servers << " " << is_wait_free);
        const auto shards = shards_of(three(), {by, servers, 60, is_wait_free});
        CHECK(is_whole(shards, 100));
        for (const Shard& shard : shards) CHECK((shard.server >= 0 && shard.server < servers));
        CHECK(order_of(shards).size() == shards.size());
      }
    }
  }
}

TEST_CASE("layer-wise shards cut no layer, so the largest one bounds its server", "[parallel][sharding]") {
  const auto shards = shards_of(three(), {.by = "layer", .servers = 2});
  CHECK(share_of(shards, 0) == Approx(0.7));
  CHECK(share_of(shards, 1) == Approx(0.3));
}

TEST_CASE("memory-wise shards cut large layers, and servers have about as much", "[parallel][sharding]") {
  const auto shards = shards_of(three(), {.by = "memory", .servers = 2, .most_bytes = 60, .is_wait_free = true});
  for (const Shard& shard : shards) CHECK(shard.share * 400 <= 60 * (1 + 1e-9));
  CHECK(share_of(shards, 0) == Approx(0.5).margin(0.1));
}

TEST_CASE("a model whose layers nobody knows is cut evenly", "[parallel][sharding]") {
  const auto shards = shards_of({{7, 28}}, {.by = "memory", .servers = 3});
  REQUIRE(shards.size() == 3);
  CHECK(shards[1].begin == 2);
  CHECK(shards[1].end == 4);
  CHECK(shards[2].server == 2);
}

TEST_CASE("wait-free shards are ready as the backward pass comes to them, the first layer last",
          "[parallel][sharding]") {
  const Sharding sharding{.by = "layer", .servers = 3, .is_wait_free = true};
  const auto shards = shards_of(three(), sharding);
  REQUIRE(shards.size() == 3);
  CHECK(shards[0].ready == 1);
  CHECK(shards[1].ready == Approx(kForward + (1 - kForward) * 0.75));
  CHECK(shards[2].ready == Approx(kForward + (1 - kForward) * 0.25));
  CHECK(order_of(shards) == std::vector<int>{2, 1, 0});
  for (const Shard& shard : shards_of(three(), {.by = "layer", .servers = 3})) CHECK(shard.ready == 1);
}

TEST_CASE("buckets hold neighbouring layers in the order of the backward pass", "[parallel][sharding]") {
  const auto buckets = buckets_of(three(), {.most_bytes = 100, .is_wait_free = true});
  REQUIRE(buckets.size() == 2);
  CHECK(buckets[0].begin == 10);  // the last layer alone is smaller than a bucket
  CHECK(buckets[0].end == 100);
  CHECK(buckets[1].ready == 1);
  CHECK(buckets_of(three(), {}).size() == 1);
}

TEST_CASE("profiles have the sizes that the papers state", "[parallel][sharding]") {
  CHECK(resnet50().bytes() == Approx(94e6).epsilon(0.001));
  const Profile vgg = vgg16();
  CHECK(vgg.bytes() == Approx(528 * 1048576.0).epsilon(0.001));
  CHECK(vgg.layers[13].bytes / vgg.bytes() == Approx(0.75).epsilon(0.02));
}

}  // namespace sharding_test
