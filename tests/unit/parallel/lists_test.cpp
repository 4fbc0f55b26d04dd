// SPDX-License-Identifier: Apache-2.0
// Ranks with batches of their own: each takes its list and no other, in its order, whatever the method.
#include <set>

#include "support/catch.hpp"
#include "unit/parallel/toy.hpp"

namespace parallel_test {

namespace {

/// Notes which rank took which batch.
class Noting final : public Toy<float> {
 public:
  using Toy::Toy;
  dlrun::parallel::Gradient<float> gradient(int rank, std::int64_t batch, const std::vector<float>& weights) override {
    taken.resize(std::max(taken.size(), std::size_t(rank) + 1));
    taken[std::size_t(rank)].push_back(batch);
    return Toy::gradient(rank, batch, weights);
  }
  std::vector<std::vector<std::int64_t>> taken;
};

std::vector<std::vector<std::int64_t>> taken_by(const Method& method, const Deal& deal) {
  Setting setting;
  setting.parallel = {.method = method, .ranks = 4};
  setting.cluster.stragglers = {{1, 5}};
  const auto algorithm = make_algorithm<float>(method);
  Gang gang = gang_of(setting.parallel, setting.layers);
  gang.lists = deal.lists();
  Members<float> members = members_of(gang, *algorithm, initial<float>());
  Noting toy(setting.batch);
  VirtualCluster<float> cluster(gang, *algorithm, members, &toy, {setting.cluster, setting.model_bytes, 7, {}});
  cluster.begin(deal);
  while (cluster.advance()) continue;
  cluster.end();
  CHECK(cluster.started() == deal.batches());
  std::int64_t gradients = 0;
  for (const Cost& cost : cluster.costs()) gradients += cost.gradients;
  CHECK(gradients == deal.batches());
  return toy.taken;
}

}  // namespace

TEST_CASE("a rank goes through its own list, by every method", "[parallel][lists]") {
  const Method method =
      GENERATE(Method(Bsp{}), Method(Bsp{.drop_slowest = 1}), Method(Bsp{.drop_slowest = 3}), Method(ArSgd{}),
               Method(Asp{}), Method(Ssp{}), Method(Easgd{}), Method(GoSgd{0.3}), Method(AdPsgd{}), Method(Aladdin{}),
               Method(Shat{}), Method(Sgp{}), Method(LocalSgd{}), Method(DiLoCo{}));
  const bool has_equal = GENERATE(true, false);
  if (std::holds_alternative<Ssp>(method) && !has_equal) return;  // refused: others would wait for ever
  const std::vector<std::int64_t> lists =
      has_equal ? std::vector<std::int64_t>{6, 6, 6, 6} : std::vector<std::int64_t>{7, 3, 0, 5};
  INFO(method.index() << (has_equal ? " equal" : " unequal"));
  const auto taken = taken_by(method, Deal(lists));
  for (std::size_t rank = 0; rank < lists.size(); ++rank) {
    std::vector<std::int64_t> wanted;
    for (std::int64_t k = 0; k < lists[rank]; ++k) wanted.push_back(std::int64_t(rank) + 4 * k);
    CHECK((rank < taken.size() ? taken[rank] : std::vector<std::int64_t>()) == wanted);
  }
}

TEST_CASE("equal lists are the rounds of methods in lock-step", "[parallel][lists]") {
  const Method method = GENERATE(Method(Bsp{}), Method(ArSgd{}), Method(LocalSgd{}));
  CHECK(taken_by(method, Deal({5, 5, 5, 5})) == taken_by(method, 20));
}

TEST_CASE("a deal counts batches, rounds and who has one", "[parallel][lists]") {
  const Deal common(10), own({3, 1, 2});
  CHECK(common.batches() == 10);
  CHECK(common.rounds(4) == 3);
  CHECK(common.has(1, 2, 4));
  CHECK_FALSE(common.has(2, 2, 4));
  CHECK(common.in_round(2, 4) == 2);
  CHECK(own.batches() == 6);
  CHECK(own.rounds(3) == 3);
  CHECK(own.has(2, 1, 3));
  CHECK_FALSE(own.has(1, 1, 3));
  CHECK(own.in_round(1, 3) == 2);
  CHECK(own.in_round(2, 3) == 1);
}

}  // namespace parallel_test
