// SPDX-License-Identifier: Apache-2.0
// Statements of Ko et al., IPDPS 2021, about speed at 24 ranks, as far as the virtual cluster reproduces them. Not
// reproduced, and no test: that wait-free backpropagation gains bsp 1 % (here a half), and that ssp with ResNet-50 at
// 10 Gbit/s comes to 12.3 only (here 19).
#include "bench/parallel/published.hpp"
#include "support/catch.hpp"

namespace published_test {

using namespace published;

namespace {

/// Speed-ups by column and algorithm, in the order of columns().
const std::vector<std::vector<double>>& table() {
  static const auto made = [] {
    std::vector<std::vector<double>> all;
    for (const Column& column : columns()) {
      auto& row = all.emplace_back();
      for (const Figure& figure : column.figures) row.push_back(speedup(setup(column, figure.method)));
    }
    return all;
  }();
  return made;
}

enum Columns { r50_10g, r50_56g, vgg_10g, vgg_56g };
enum Algorithms { bsp, ar_sgd, asp, ssp, ad_psgd };

double at(Columns column, Algorithms algorithm) { return table()[column][algorithm]; }

double sharded(Columns which, Algorithms algorithm, const char* by) {
  const Column column = columns()[which];
  Setup made = setup(column, column.figures[algorithm].method);
  made.parallel.sharding.by = by;
  return speedup(made);
}

}  // namespace

TEST_CASE("asp is slower than synchronous methods at 10 Gbit/s and faster at 56", "[parallel][published][numbers]") {
  CHECK(at(r50_10g, asp) < 0.95 * std::min(at(r50_10g, bsp), at(r50_10g, ar_sgd)));
  CHECK(at(r50_56g, asp) > 1.1 * std::max(at(r50_56g, bsp), at(r50_56g, ar_sgd)));
}

TEST_CASE("bandwidth barely helps synchronous methods with a small model", "[parallel][published][numbers]") {
  CHECK(at(r50_56g, bsp) < 1.1 * at(r50_10g, bsp));
  CHECK(at(r50_56g, ar_sgd) < 1.1 * at(r50_10g, ar_sgd));
}

TEST_CASE("ad_psgd scales best, at any bandwidth", "[parallel][published][numbers]") {
  for (const auto& column : table()) CHECK(column[ad_psgd] > 0.98 * *std::max_element(column.begin(), column.end()));
  CHECK(at(r50_56g, ad_psgd) == Approx(at(r50_10g, ad_psgd)).epsilon(0.05));
  CHECK(at(vgg_56g, ad_psgd) == Approx(at(vgg_10g, ad_psgd)).epsilon(0.07));  // published: 11.0 and 11.8
}

TEST_CASE("the largest layer of vgg bounds its server, so asynchronous methods stay near 2",
          "[parallel][published][numbers]") {
  for (const Columns column : {vgg_10g, vgg_56g}) {
    CHECK(at(column, asp) == Approx(2.1).epsilon(0.1));
    CHECK(at(column, ssp) == Approx(2.15).epsilon(0.15));
  }
  CHECK(sharded(vgg_56g, asp, "memory") > 3 * at(vgg_56g, asp));
}

TEST_CASE("sharding helps asp more than bsp", "[parallel][published][numbers]") {
  const double asp_gain = at(r50_10g, asp) / sharded(r50_10g, asp, "none");
  CHECK(asp_gain > 1.8);  // published: 3.1
  CHECK(sharded(r50_56g, bsp, "layer") / sharded(r50_56g, bsp, "none") < 2);
}

TEST_CASE("compression lifts all methods with a server where the network bounds them",
          "[parallel][published][numbers]") {
  for (const Effect& effect : effects()) {
    if (!std::holds_alternative<Dgc>(effect.with.parallel.codec)) continue;
    INFO(effect.name);
    CHECK(speedup(effect.with) > 12);  // published: 14 to 19
    CHECK(speedup(effect.without) < 4);
  }
}

TEST_CASE("ranks of algorithms by speed are the published ones", "[parallel][published][numbers]") {
  const std::vector<Column> paper = columns();
  for (std::size_t i = 0; i < paper.size(); ++i) {
    std::vector<double> speedups;
    for (const Figure& figure : paper[i].figures) speedups.push_back(figure.speedup);
    INFO(paper[i].name);
    CHECK(rank_correlation(table()[i], speedups) >= 0.8);
  }
}

TEST_CASE("rank correlation counts ties by their mean", "[parallel][published][numbers]") {
  CHECK(rank_correlation({1, 2, 3}, {10, 20, 40}) == Approx(1));
  CHECK(rank_correlation({1, 2, 3}, {3, 2, 1}) == Approx(-1));
  CHECK(ranks_of({2, 1, 2}) == std::vector<double>{2.5, 1, 2.5});
}

TEST_CASE("aladdin loses to a slow rank that rank's gradients only", "[parallel][published][numbers]") {
  const double healthy = straggled_throughput(Aladdin{}, 1);
  for (const double slow : {2.0, 10.0}) {
    CHECK(straggled_throughput(Aladdin{}, slow) / healthy == Approx(straggler_law(8, slow)).epsilon(0.01));
  }
}

TEST_CASE("methods in lock-step fall to the pace of a slow rank", "[parallel][published][numbers]") {
  for (const Method& method : {Method(ArSgd{}), Method(Sgp{}), Method(Bsp{})}) {
    INFO(method.index());
    CHECK(straggled_throughput(method, 100) / straggled_throughput(method, 1) < 0.03);
  }
}

}  // namespace published_test
