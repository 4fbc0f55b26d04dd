// SPDX-License-Identifier: Apache-2.0
// Placers that learn.
#include <cmath>

#include "placement/baselines.hpp"
#include "placement/cross_entropy.hpp"
#include "placement/reinforce.hpp"
#include "support/catch.hpp"
#include "unit/placement/graphs.hpp"

namespace dlrun::placement {

namespace {

using Vector = Network::Vector;

Cluster linked_devices(int count) {
  Cluster cluster;
  for (int i = 0; i < count; ++i) cluster.devices.push_back({std::to_string(i)});
  cluster.link = {"test", 0, 1};
  return cluster;
}

Vector numbers(Eigen::Index size, RandomStream& chance) {
  Vector out(size);
  for (double& number : out) number = chance.normal();
  return out;
}

/// advantage · log p(device) + weight · H(p)
double objective(const Policy& policy, const Vector& observation, int device, double advantage, double weight) {
  const Vector p = policy.probabilities(observation);
  double entropy = 0;
  for (const double x : p) entropy -= x * std::log(x);
  return advantage * std::log(p[device]) + weight * entropy;
}

/// Two nodes that nothing joins, 3 s each: 6 s on one device, 3 s on two.
struct Apart {
  Graph graph = graph_of("ab", {});
  Cluster cluster = linked_devices(2);
  Step step = training_step(graph);
  Order order{0, 1};
};

/// Probability that an episode ends with the nodes on two devices.
double ends_apart(Reinforce& learner) {
  const double stays = learner.probability({0, 1}, 0, 0);
  return stays * learner.probability({0, 1}, 1, 1) + (1 - stays) * learner.probability({1, 1}, 1, 0);
}

}  // namespace

TEST_CASE("a policy's gradient is that of finite differences", "[placement][learners]") {
  RandomStream chance(3, {"test"});
  Policy policy(7, 3, chance);
  Vector& parameters = policy.network().parameters();
  parameters += 0.3 * numbers(parameters.size(), chance);
  const Vector observation = numbers(7, chance);
  Vector gradient = Vector::Zero(parameters.size());
  policy.add_gradient(observation, 2, 1.7, 0.4, gradient);
  for (Eigen::Index i = 0; i < parameters.size(); ++i) {
    constexpr double kStep = 1e-6;
    const double here = parameters[i];
    parameters[i] = here + kStep;
    const double above = objective(policy, observation, 2, 1.7, 0.4);
    parameters[i] = here - kStep;
    const double below = objective(policy, observation, 2, 1.7, 0.4);
    parameters[i] = here;
    REQUIRE(gradient[i] == Approx((above - below) / (2 * kStep)).margin(1e-7));
  }
}

// Algorithm 1 of Kingma and Ba 2015 in Python: rate 0.1, from (1, 1), gradients (0.6, 0.8), which is (3, 4) clipped to
// norm 1, and then (0.1, 0).
TEST_CASE("steps up a gradient are those of Adam, clipped", "[placement][learners]") {
  Ascent ascent(0.1, 1);
  Vector parameters(2), first(2), second(2);
  parameters << 1, 1;
  first << 3, 4;
  second << 0.1, 0;
  ascent.climb(parameters, first);
  CHECK(parameters[0] == Approx(1.1));
  CHECK(parameters[1] == Approx(1.1));
  ascent.climb(parameters, second);
  CHECK(parameters[0] == Approx(1.1783327).epsilon(1e-6));
  CHECK(parameters[1] == Approx(1.1670058).epsilon(1e-6));
}

TEST_CASE("a new policy takes all devices equally often", "[placement][learners]") {
  RandomStream chance(1, {"test"});
  const Policy policy(4, 3, chance);
  const Vector observation = numbers(4, chance);
  for (const double x : policy.probabilities(observation)) CHECK(x == Approx(1.0 / 3));
  std::vector<int> count(3);
  for (int i = 0; i < 3000; ++i) ++count[std::size_t(policy.draw(observation, chance))];
  for (const int drawn : count) CHECK(std::abs(drawn - 1000) < 4 * 26);  // standard deviation of 3000 draws: 25.8
}

// Episodes begin with the nodes on two devices. Wherever node a goes, b takes 3 s alone and 6 s beside it.
TEST_CASE("the probability of a move that halves the time rises", "[placement][learners]") {
  const Apart apart;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Evaluator evaluator(apart.step, apart.cluster, 0);
    RandomStream chance(seed, {"test"});
    Reinforce learner(evaluator, apart.graph, apart.order, chance, {.rate = 1e-2});
    CHECK(ends_apart(learner) == 0.5);
    evaluator.allow(200 * 3);  // each episode simulates its start and both decisions
    learner.learn({0, 1});
    INFO(seed);
    CHECK(ends_apart(learner) > 0.8);
  }
}

TEST_CASE("learners stay within their tries, and are never worse than their start", "[placement][learners]") {
  const Cluster cluster = linked_devices(3);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Graph graph = random_graph(20, 0.2, seed);
    const Step step = training_step(graph);
    const Order order = kahn(graph);
    const Placement start = cut_by_work(graph, order, cluster);
    RandomStream chance(seed, {"test"});
    Evaluator evaluator(step, cluster, 500);
    const Cost before = evaluator.cost(start);
    CHECK(evaluator.cost(Reinforce(evaluator, graph, order, chance).learn(start)) <= before);
    CHECK(evaluator.tried() <= 501);
    evaluator.allow(500);
    CHECK(evaluator.cost(cross_entropy(evaluator, graph, order, start, chance)) <= before);
    CHECK(evaluator.tried() <= 1002);
  }
}

// Eight nodes without edges, 3 s each: six seconds on four devices, as soon as each has two.
TEST_CASE("the cross-entropy method balances loads", "[placement][learners]") {
  const Graph graph = graph_of("abcdefgh", {});
  const Cluster cluster = linked_devices(4);
  const Step step = training_step(graph);
  Evaluator evaluator(step, cluster, 2000);
  RandomStream chance(1, {"test"});
  const Placement found = cross_entropy(evaluator, graph, kahn(graph), on_one(graph, 0), chance);
  CHECK(evaluator.cost(found).seconds == 6);
}

// A chain whose tensors take longer than its work belongs on one device: following neighbours finds it, where 40 nodes
// drawn alone would agree once in 3^39.
TEST_CASE("the cross-entropy method keeps neighbours together", "[placement][learners]") {
  Graph graph;
  for (int i = 0; i < 40; ++i) graph.nodes.push_back({"n" + std::to_string(i), "linear", 1, 2, 100, 0});
  for (int i = 1; i < 40; ++i) graph.edges.emplace_back(i - 1, i);
  const Cluster cluster = linked_devices(3);
  const Step step = training_step(graph);
  Evaluator evaluator(step, cluster, 10'000);
  RandomStream chance(1, {"test"});
  const Placement start = round_robin(kahn(graph), 3);
  CHECK(evaluator.cost(cross_entropy(evaluator, graph, kahn(graph), start, chance)).seconds == 120);
}

}  // namespace dlrun::placement
