// SPDX-License-Identifier: Apache-2.0
// Gloo's sums beside ours, in processes that are threads here: the same bits for two ranks, whose sum has one order
// only, and the same to rounding for more.
#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstdlib>
#include <random>
#include <thread>

#include <ATen/Parallel.h>

#include "gang/process_cluster.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "train/gloo.hpp"
#include "unit/gang/places.hpp"
#include "unit/parallel/toy.hpp"
#include "util/error.hpp"

namespace gloo_test {

using namespace dlrun;
using namespace dlrun::train;
using namespace parallel_test;

namespace {

constexpr std::chrono::seconds kPatience{20};

/// Calls a function with every rank's collective, in threads of their own, once all are connected. libtorch's record of
/// what a process sums is switched off: several groups in a process would write into it at once.
template <class Act>
void with_collectives(int ranks, const Act& act) {
  ::setenv("TORCH_FR_BUFFER_SIZE", "0", 1);
  const support::TempFolder folder;
  std::barrier connected(ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const auto collective = open_gloo(folder.path(), rank, ranks);
      connected.arrive_and_wait();
      act(rank, *collective);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

std::vector<float> drawn(int seed, std::size_t count) {
  std::mt19937 engine{unsigned(seed)};
  std::normal_distribution<float> normal;
  std::vector<float> all(count);
  for (float& one : all) one = normal(engine);
  return all;
}

/// Weights of all ranks after an epoch of a toy by all-reduce.
std::vector<std::vector<float>> trained(const std::string& reduce, int ranks) {
  Setting setting;
  setting.parallel = {.method = parallel::ArSgd{.reduce = reduce}, .ranks = ranks};
  setting.momentum = 0.9;
  const auto algorithm = make_algorithm<float>(setting.parallel.method);
  const parallel::Gang gang = gang_of(setting.parallel, setting.layers);
  std::vector<gang::Place> places = gang_test::places(std::vector<int>(std::size_t(ranks), 0));
  std::vector<std::vector<float>> weights(places.size());
  const auto play = [&](int rank, gang::Collective* collective) {
    const auto at = std::size_t(rank);
    Members<float> members = members_of(gang, *algorithm, initial<float>());
    Toy<float> toy(setting.batch, setting.lr, setting.momentum);
    gang::ProcessCluster cluster(gang, *algorithm, members, toy, places[at], {7, {}, setting.model_bytes}, collective);
    cluster.begin(Deal(31));
    while (cluster.advance()) continue;
    cluster.end();
    weights[at] = members.ranks[at].weights;
  };
  if (reduce == parallel::kGloo) {
    with_collectives(ranks, [&](int rank, gang::Collective& collective) { play(rank, &collective); });
    return weights;
  }
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) threads.emplace_back(play, rank, nullptr);
  for (std::thread& thread : threads) thread.join();
  return weights;
}

double farthest(const std::vector<float>& a, const std::vector<float>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(double(a[i]) - double(b[i])));
  return most;
}

}  // namespace

TEST_CASE("Gloo's sums are those of all ranks, in the order in which they were begun", "[train][gang][gloo]") {
  constexpr int kRanks = 3;
  constexpr std::size_t kLong = 100'003, kShort = 5;
  std::vector<std::vector<float>> totals(2 * kRanks);
  with_collectives(kRanks, [&](int rank, gang::Collective& collective) {
    collective.begin(drawn(rank, kLong));
    collective.begin(drawn(10 + rank, kShort));
    for (int i = 0; i < 2; ++i) totals[std::size_t(2 * rank + i)] = collective.take(kPatience).value();
  });
  for (std::size_t i = 0; i < totals.size(); ++i) CHECK(totals[i] == totals[i % 2]);
  for (int i = 0; i < 2; ++i) {
    const std::size_t count = i == 0 ? kLong : kShort;
    std::vector<double> exact(count);
    for (int rank = 0; rank < kRanks; ++rank) {
      const std::vector<float> own = drawn(10 * i + rank, count);
      for (std::size_t j = 0; j < count; ++j) exact[j] += double(own[j]);
    }
    REQUIRE(totals[std::size_t(i)].size() == count);
    for (std::size_t j = 0; j < count; ++j) REQUIRE(std::abs(double(totals[std::size_t(i)][j]) - exact[j]) < 2e-6);
  }
}

TEST_CASE("two ranks train by Gloo's sums with the bits of ours", "[train][gang][gloo]") {
  const auto gloo = trained("gloo", 2);
  CHECK(gloo[0] == gloo[1]);
  CHECK(gloo == trained("direct", 2));
  CHECK(gloo == trained("ring", 2));
}

TEST_CASE("more ranks train by Gloo's sums as by ours, but for rounding", "[train][gang][gloo]") {
  const int ranks = GENERATE(3, 5);
  const auto gloo = trained("gloo", ranks), direct = trained("direct", ranks), ring = trained("ring", ranks);
  CHECK(gloo == trained("gloo", ranks));
  for (const auto& weights : gloo) CHECK(weights == gloo[0]);
  CHECK(farthest(gloo[0], direct[0]) < 1e-5);
  CHECK(farthest(gloo[0], ring[0]) < 1e-5);
  CHECK(farthest(gloo[0], initial<float>()) > 0.01);
}

TEST_CASE("a sum of Gloo's without one of its ranks is an error", "[train][gang][gloo]") {
  std::string text;
  with_collectives(2, [&](int rank, gang::Collective& collective) {
    if (rank == 1) return;
    collective.begin({1, 2, 3});
    try {
      while (!collective.take(kPatience)) continue;
    } catch (const Error& fault) {
      CHECK(fault.kind() == ErrorKind::outside);
      text = fault.what();
    }
  });
  CHECK_THAT(text, Catch::Matchers::StartsWith("Gloo: "));
}

}  // namespace gloo_test
