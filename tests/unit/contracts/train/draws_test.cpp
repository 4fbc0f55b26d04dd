// SPDX-License-Identifier: Apache-2.0
// Draws and comparisons of the contract tests, and the edges of keys.
#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "guests.hpp"
#include "support/catch.hpp"
#include "train/contracts/draws.hpp"
#include "train/contracts/key_edges.hpp"
#include "util/random.hpp"

namespace draws_test {

using namespace dlrun;
using namespace dlrun::train::contracts;

namespace {

at::Tensor numbers(std::vector<double> values, at::ScalarType type = at::kFloat) { return at::tensor(values, type); }

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string texts_of(const std::vector<KeyEdge>& edges) {
  std::string text;
  for (const KeyEdge& edge : edges) text += edge.text + "; ";
  return text;
}

/// Edges of a key that is a real number with these bounds.
std::string edges_of(const options::Key& key, const Json& value) {
  plugin::Found found;
  found.manifest.emplace();
  found.manifest->keys = {key};
  return texts_of(key_edges({found, {{"op", "it"}, {key.name, value}}}));
}

}  // namespace

TEST_CASE("drawn numbers are those of a stream with the tensor's name", "[contracts][draws]") {
  RandomStream normal(29, {"contract", "it"}), labels(29, {"contract", "it"});
  const at::Tensor tensor = drawn({2, 3}, "it");
  CHECK(tensor.sizes().vec() == std::vector<std::int64_t>{2, 3});
  for (std::int64_t i = 0; i < 6; ++i) CHECK(tensor.flatten()[i].item<float>() == float(normal.normal()));
  const at::Tensor drawn = drawn_labels(9, 5, "it");
  REQUIRE(drawn.numel() == 9);
  for (std::int64_t i = 0; i < 9; ++i) CHECK(drawn[i].item<std::int64_t>() == std::int64_t(labels.below(5)));
}

TEST_CASE("a drawn order moves every element and loses none", "[contracts][draws]") {
  CHECK(drawn_order(1).item<std::int64_t>() == 0);
  for (const std::int64_t count : {2, 3, 8, 17, 60}) {
    const at::Tensor order = drawn_order(count);
    CHECK(std::get<0>(order.sort()).equal(at::arange(count)));
    CHECK(order.eq(at::arange(count)).sum().item<std::int64_t>() == 0);
  }
  CHECK_FALSE(drawn_order(8).equal(at::arange(8).roll(1)));
  CHECK_FALSE(drawn_order(8).equal(at::arange(8).roll(-1)));
}

TEST_CASE("tensors are equal in type, sizes and every bit", "[contracts][draws]") {
  const at::Tensor a = numbers({1, NAN, 3, 4});
  CHECK(are_equal(a, a.clone()));
  CHECK_FALSE(are_equal(a, numbers({1, NAN, 3, 5})));
  CHECK_FALSE(are_equal(a, a.to(at::kDouble)));
  CHECK_FALSE(are_equal(a, a.reshape({2, 2})));
  CHECK_FALSE(are_equal(numbers({0}), numbers({-0.0})));
  CHECK(are_equal(a.reshape({2, 2}).t(), a.reshape({2, 2}).t().contiguous()));
  CHECK(are_equal(at::empty({0}), at::empty({0})));
  CHECK_FALSE(are_equal(at::empty({0, 2}), at::empty({0, 3})));
}

TEST_CASE("a difference is relative above one, and infinite for what cannot be compared", "[contracts][draws]") {
  CHECK(difference(numbers({0.5, 0.25}), numbers({0.5, 0.5})) == 0.25);
  CHECK(difference(numbers({8, 1}), numbers({8, 2})) == 0.125);
  CHECK(difference(numbers({1}), numbers({-8})) == 9.0 / 8);
  CHECK(difference(numbers({-8}), numbers({1})) == 9.0 / 8);
  CHECK(difference(at::empty({0}), at::empty({0})) == 0);
  CHECK(difference(at::empty({0}), at::empty({0, 1})) == kInfinity);
  CHECK(difference(numbers({1, 2}), numbers({1})) == kInfinity);
  CHECK(difference(numbers({NAN}), numbers({NAN})) == kInfinity);
  CHECK(difference(numbers({kInfinity}), numbers({kInfinity})) == kInfinity);
  CHECK(difference(numbers({1e300}, at::kDouble), numbers({0}, at::kDouble)) == 1);
}

TEST_CASE("one number that is not finite is enough", "[contracts][draws]") {
  CHECK(is_finite(numbers({1, -2})));
  CHECK_FALSE(is_finite(numbers({1, NAN})));
  CHECK_FALSE(is_finite(numbers({kInfinity, 1})));
  CHECK_FALSE(is_finite(numbers({-kInfinity, 1})));
}

TEST_CASE("edges of a key are its bounds, where they are values, and numbers near them", "[contracts][draws]") {
  const auto real = [] { return options::real("x", ""); };
  CHECK(edges_of(real(), 2) == "");
  CHECK(edges_of(real().from(0), 2) == "x 0; x 0.5; ");
  CHECK(edges_of(real().above(0), 2) == "x 0.5; ");
  CHECK(edges_of(real().to(10), 2.0) == "x 10; x 8; ");
  CHECK(edges_of(real().below(10), 2) == "x 8; ");
  CHECK(edges_of(real().from(-4).below(6), 4) == "x -4; x -2; x 5.5; ");
  CHECK(edges_of(real().from(2).to(4), 2) == "x 4; x 3.5; ");
  CHECK(edges_of(real().from(0), "one half") == "");
  CHECK(edges_of(real().from(0), Json()) == "");
  CHECK(edges_of(options::integer("x", "").from(0), 2) == "");
}

TEST_CASE("an edge's section differs in one number, and a key without a value has no edge", "[contracts][draws]") {
  plugin::Found found;
  found.manifest.emplace();
  found.manifest->keys = {options::real("x", "").from(0), options::real("y", "").to(3), options::real("z", "").to(3)};
  const auto edges = key_edges({found, {{"op", "it"}, {"x", 2.0}, {"y", 1.0}}});
  REQUIRE(texts_of(edges) == "x 0; x 0.5; y 3; y 2.5; ");
  CHECK(edges[1].section == Json{{"op", "it"}, {"x", 0.5}, {"y", 1.0}});
  CHECK(edges[2].section == Json{{"op", "it"}, {"x", 2.0}, {"y", 3.0}});
}

}  // namespace draws_test
