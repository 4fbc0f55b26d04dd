// SPDX-License-Identifier: Apache-2.0
// The structural hash: what makes two graphs the same.
#include "graphs.hpp"
#include "support/catch.hpp"

namespace hash_test {

using namespace dlrun;
using namespace dlrun::model;

namespace {
std::string hash_of(const std::string& nodes) { return structural_hash(part_of(nodes)); }
}  // namespace

TEST_CASE("what does not change the network does not change its hash", "[model][hash]") {
  const std::string plain =
      hash_of(R"([{"name":"c","op":"conv2d","out":4,"k":3,"pad":1},{"name":"a","op":"relu"},{"op":"flatten"}])");
  SECTION("names of layers without weights") {
    CHECK(hash_of(R"([{"name":"c","op":"conv2d","out":4,"k":3,"pad":1},{"name":"b","op":"relu"},{"op":"flatten"}])") ==
          plain);
  }
  SECTION("defaults written out, and the same padding in other words") {
    CHECK(
        hash_of(
            R"([{"name":"c","op":"conv2d","out":4,"k":[3,3],"pad":"same","bias":true},{"op":"relu"},{"op":"flatten"}])") ==
        plain);
  }
  SECTION("tags and roles") {
    CHECK(
        hash_of(
            R"([{"name":"c","op":"conv2d","out":4,"k":3,"pad":1,"tags":["t"]},{"op":"relu"},{"op":"flatten","role":"head"}])") ==
        plain);
  }
  SECTION("layers that do nothing") {
    CHECK(
        hash_of(
            R"([{"op":"identity"},{"name":"c","op":"conv2d","out":4,"k":3,"pad":1},{"op":"relu"},{"op":"dropout","p":0},
                      {"op":"flatten"},{"op":"flatten"},{"op":"reshape","shape":[-1]}])") == plain);
  }
  SECTION("a group around without a change of names") {
    const std::string inside =
        hash_of(R"([{"name":"g","op":"group","body":[{"name":"c","op":"conv2d","out":4,"k":1}]}])");
    CHECK(hash_of(R"([{"name":"g.c","op":"conv2d","out":4,"k":1}])") == inside);
  }
}

TEST_CASE("the order of independent branches and of two summands does not count", "[model][hash]") {
  const std::string ab =
      R"([{"name":"a","op":"relu"},{"name":"b","op":"tanh","from":"x"},{"op":"add","from":["a","b"]}])";
  const std::string ba =
      R"([{"name":"b","op":"tanh"},{"name":"a","op":"relu","from":"x"},{"op":"add","from":["b","a"]}])";
  const std::string joined =
      R"([{"name":"a","op":"relu"},{"name":"b","op":"tanh","from":"x"},{"op":"concat","from":["a","b"]}])";
  const std::string swapped =
      R"([{"name":"a","op":"relu"},{"name":"b","op":"tanh","from":"x"},{"op":"concat","from":["b","a"]}])";
  CHECK(hash_of(ab) == hash_of(ba));
  CHECK(hash_of(joined) != hash_of(swapped));
}

TEST_CASE("what changes the network changes its hash", "[model][hash]") {
  const std::string plain =
      hash_of(R"([{"name":"c","op":"conv2d","out":4,"k":3},{"name":"d","op":"dropout"},{"op":"relu"}])");
  CHECK(hash_of(R"([{"name":"c","op":"conv2d","out":5,"k":3},{"name":"d","op":"dropout"},{"op":"relu"}])") != plain);
  CHECK(hash_of(R"([{"name":"c","op":"conv2d","out":4,"k":3},{"name":"d","op":"dropout"},{"op":"gelu"}])") != plain);
  CHECK(hash_of(R"([{"name":"c","op":"conv2d","out":4,"k":3},{"op":"relu"}])") != plain);
  // Initial values are drawn by the weights' names, dropout's zeros by the layer's.
  CHECK(hash_of(R"([{"name":"e","op":"conv2d","out":4,"k":3},{"name":"d","op":"dropout"},{"op":"relu"}])") != plain);
  CHECK(hash_of(R"([{"name":"c","op":"conv2d","out":4,"k":3},{"name":"e","op":"dropout"},{"op":"relu"}])") != plain);
}

}  // namespace hash_test
