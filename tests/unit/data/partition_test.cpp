// SPDX-License-Identifier: Apache-2.0
// Ways to deal examples out to ranks: by hand, by their invariants, and against numbers of NumPy.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/partition.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"

namespace partition_test {

using namespace dlrun::data;
using dlrun::RandomStream;

namespace {

std::vector<std::int64_t> sizes_of(const Owners& owners, int ranks) {
  std::vector<std::int64_t> sizes;
  for (const Order& part : parts_of(owners, ranks)) sizes.push_back(std::int64_t(part.size()));
  return sizes;
}

std::int64_t spread(const std::vector<std::int64_t>& sizes) {
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  return *most - *least;
}

/// Three classes, the first one as large as the others together.
std::vector<std::int64_t> labels_of(std::int64_t count) {
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < count; ++i) labels.push_back(i % 4 < 2 ? 0 : i % 4 - 1);
  return labels;
}

std::vector<float> values_of(std::int64_t count) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(std::sin(float(i) * 12.9898f));
  return values;
}

}  // namespace

TEST_CASE("eight examples on four workers are dealt as in the paper's figure 4", "[data][partition]") {
  // By falling loss: 1 5 3 7 6 2 4 0. Stripes go round; blocks are pairs of neighbours.
  const std::vector<float> losses{.1f, .9f, .3f, .7f, .2f, .8f, .4f, .6f};
  const Order order = sorted_by(losses, true);
  CHECK(order == Order{1, 5, 3, 7, 6, 2, 4, 0});
  CHECK(deal_round(order, 4) == Owners{3, 0, 1, 2, 2, 1, 0, 3});
  CHECK(deal_blocks(order, 4) == Owners{3, 0, 2, 1, 3, 0, 2, 1});
  CHECK(deal_blocks(order, 4, 1) == Owners{0, 1, 3, 2, 0, 1, 3, 2});  // each block one rank further
  CHECK(deal_blocks(order, 4, 4) == deal_blocks(order, 4));
  CHECK(sorted_by(losses, false) == Order{0, 4, 2, 6, 7, 3, 5, 1});
}

TEST_CASE("equal importances keep the order of numbers", "[data][partition]") {
  const std::vector<float> equal(5, 2.0f);
  CHECK(sorted_by(equal, true) == Order{0, 1, 2, 3, 4});
  CHECK(sorted_by(equal, false) == Order{0, 1, 2, 3, 4});
}

TEST_CASE("all policies cover every count of examples, in parts that differ by at most one", "[data][partition]") {
  const int ranks = GENERATE(1, 2, 3, 4, 7);
  for (std::int64_t count = ranks; count < 4 * ranks + 1; ++count) {
    INFO(count << " examples, " << ranks << " ranks");
    const Order order = sorted_by(values_of(count), true);
    const std::vector<std::int64_t> labels = labels_of(count);
    for (const Owners& owners :
         {deal_round(order, ranks), deal_blocks(order, ranks), deal_blocks(order, ranks, 5),
          deal_blocks(file_order(count), ranks), deal_round(class_by_class(order, labels), ranks),
          deal_round(shuffled(order, RandomStream(7, {"any"})), ranks)}) {
      const std::vector<Order> parts = parts_of(owners, ranks);
      require_cover(parts, count);
      CHECK(spread(sizes_of(owners, ranks)) <= 1);
    }
  }
}

TEST_CASE("stripes give each rank all importances, blocks an interval of them", "[data][partition]") {
  const std::vector<float> values = values_of(103);
  const Order order = sorted_by(values, true);
  const Owners stripes = deal_round(order, 4), blocks = deal_blocks(order, 4);
  for (std::size_t k = 0; k + 4 <= order.size(); k += 4) {
    std::vector<int> seen;
    for (std::size_t i = k; i < k + 4; ++i) seen.push_back(stripes[std::size_t(order[i])]);
    CHECK(seen == std::vector<int>{0, 1, 2, 3});
  }
  for (std::size_t k = 1; k < order.size(); ++k)
    CHECK(blocks[std::size_t(order[k])] >= blocks[std::size_t(order[k - 1])]);
  CHECK(sizes_of(blocks, 4) == std::vector<std::int64_t>{25, 26, 26, 26});  // 0, 25, 51, 77, 103
}

TEST_CASE("stratified ranks have as many of each class", "[data][partition]") {
  const std::vector<std::int64_t> labels = labels_of(203);
  const Owners owners = deal_round(class_by_class(sorted_by(values_of(203), true), labels), 5);
  for (std::int64_t label = 0; label < 3; ++label) {
    std::vector<std::int64_t> counts(5);
    for (std::size_t i = 0; i < labels.size(); ++i) counts[std::size_t(owners[i])] += labels[i] == label ? 1 : 0;
    CHECK(spread(counts) <= 1);
  }
}

TEST_CASE("classes are cut where NumPy cuts them", "[data][partition]") {
  // (numpy.cumsum(p) * n).astype(int)
  CHECK(cut_by(std::vector<double>{.1, .2, .3, .4}, 10) == std::vector<std::int64_t>{1, 3, 6, 10});
  CHECK(cut_by(std::vector<double>{.25, .25, .25, .25}, 10) == std::vector<std::int64_t>{2, 5, 7, 10});
  CHECK(cut_by(std::vector<double>{.6, .05, .05, .3}, 17) == std::vector<std::int64_t>{10, 11, 11, 17});
  CHECK(cut_by(std::vector<double>{1. / 3, 1. / 3, 1. / 3}, 100) == std::vector<std::int64_t>{33, 66, 100});
}

TEST_CASE("shares follow the Dirichlet distribution", "[data][partition]") {
  // Mean of the largest of four shares over a million draws of numpy.random.dirichlet; the variance of one share is
  // (n - 1) / (n^2 (n alpha + 1)).
  const auto [alpha, largest] = GENERATE(table<double, double>({{0.1, 0.8471}, {0.5, 0.6176}, {100, 0.2762}}));
  RandomStream stream(7, {"test"});
  constexpr int kDraws = 20000;
  double most = 0, squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const std::vector<double> shares = dirichlet_shares(4, alpha, stream);
    CHECK(std::accumulate(shares.begin(), shares.end(), 0.0) == Approx(1));
    most += *std::max_element(shares.begin(), shares.end());
    squares += (shares[0] - 0.25) * (shares[0] - 0.25);
  }
  CHECK(most / kDraws == Approx(largest).epsilon(0.01));
  CHECK(squares / kDraws == Approx(3.0 / (16 * (4 * alpha + 1))).epsilon(0.04));
}

TEST_CASE("a small alpha skews labels, a large one does not; every rank has an example", "[data][partition]") {
  const std::vector<std::int64_t> labels = labels_of(400);  // 200, 100, 100
  const auto share_of_largest = [&](double alpha) {
    double sum = 0;
    for (int replicate = 0; replicate < 30; ++replicate) {
      const Owners owners = deal_dirichlet(labels, 4, alpha, 7, replicate);
      require_cover(parts_of(owners, 4), 400);
      std::vector<int> counts(4);
      for (std::size_t i = 0; i < labels.size(); ++i) counts[std::size_t(owners[i])] += labels[i] == 0 ? 1 : 0;
      const std::vector<std::int64_t> sizes = sizes_of(owners, 4);
      CHECK(*std::min_element(sizes.begin(), sizes.end()) > 0);
      sum += double(*std::max_element(counts.begin(), counts.end())) / 200;
    }
    return sum / 30;
  };
  CHECK(share_of_largest(0.1) > 0.7);
  CHECK(share_of_largest(1000) == Approx(0.25).margin(0.03));
  CHECK(deal_dirichlet(labels, 4, 0.5, 7, 1) == deal_dirichlet(labels, 4, 0.5, 7, 1));
  CHECK(deal_dirichlet(labels, 4, 0.5, 7, 1) != deal_dirichlet(labels, 4, 0.5, 7, 2));
  CHECK_THROWS_WITH(deal_dirichlet(std::vector<std::int64_t>(3), 4, 0.5, 7, 0),
                    Contains("no draw with alpha 0.5 gives each of 4 ranks an example"));
}

TEST_CASE("a part that lacks an example, or has a second time, is refused", "[data][partition]") {
  require_cover({{0, 2}, {1}}, 3);
  for (const std::vector<Order>& wrong :
       {std::vector<Order>{{0, 2}, {}}, {{0, 1}, {1, 2}}, {{0, 1}, {2, 3}}, {{0, 1, 2}, {2}}, {{-1, 1}, {2}}})
    CHECK_THROWS_AS(require_cover(wrong, 3), dlrun::Error);
}

TEST_CASE("a rank's last batch counts unless it is a single example", "[data][partition]") {
  CHECK(batches_of(32, 16, false) == 2);
  CHECK(batches_of(33, 16, false) == 2);
  CHECK(batches_of(34, 16, false) == 3);
  CHECK(batches_of(34, 16, true) == 2);
  CHECK(batches_of(10, 16, true) == 1);
  CHECK(batches_of(1, 16, false) == 1);
  CHECK(batches_of(0, 16, false) == 0);
}

}  // namespace partition_test
