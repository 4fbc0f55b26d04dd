// SPDX-License-Identifier: Apache-2.0
// Where two trials differ, as the settings that make one into the other.
#include "ablation/trial_difference.hpp"

#include "support/catch.hpp"

namespace trial_difference_test {

using namespace dlrun;
using Places = std::vector<std::pair<std::string, Json>>;

namespace {

Json json(const char* text) { return parse_json(text, "trial"); }

Places between(const char* from, const char* to) { return ablation::differences(json(from), json(to)); }

}  // namespace

TEST_CASE("settings differ one by one, with their values in the first", "[ablation][difference]") {
  CHECK(between(R"({"epochs":3,"batch":8})", R"({"epochs":3,"batch":8})").empty());
  CHECK(between(R"({"epochs":3,"optimizer":{"op":"sgd","lr":0.1,"momentum":0}})",
                R"({"epochs":5,"optimizer":{"op":"sgd","lr":0.1,"momentum":0.9}})") ==
        Places{{"epochs", 3}, {"optimizer.momentum", 0}});
  CHECK(between(R"({"log":1,"replicates":2,"first_replicate":3})", R"({"metrics":["f1"],"folder":"a"})").empty());
  CHECK(between(R"({"clip":1})", R"({"loss":"mse"})") == Places{{"clip", 1}, {"loss", nullptr}});
}

TEST_CASE("a section of another kind differs as a whole", "[ablation][difference]") {
  CHECK(between(R"({"optimizer":{"op":"sgd","lr":0.1}})", R"({"optimizer":{"op":"adam","lr":0.2}})") ==
        Places{{"optimizer", json(R"({"op":"sgd","lr":0.1})")}});
  CHECK(between(R"({"a":{"kind":"x","n":1}})", R"({"a":{"kind":"y","n":1}})") ==
        Places{{"a", json(R"({"kind":"x","n":1})")}});
}

TEST_CASE("layers of the same names differ by their settings, other lists as a whole", "[ablation][difference]") {
  CHECK(between(R"({"model":{"nodes":[{"name":"a","op":"linear","out":3},{"name":"b","op":"relu"}]}})",
                R"({"model":{"nodes":[{"name":"a","op":"linear","out":5},{"name":"b","op":"relu"}]}})") ==
        Places{{"model.nodes.a.out", 3}});
  CHECK(between(R"({"model":{"nodes":[{"name":"a","out":3}]}})", R"({"model":{"nodes":[{"name":"c","out":3}]}})") ==
        Places{{"model.nodes", json(R"([{"name":"a","out":3}])")}});
  CHECK(between(R"({"sizes":[1,2]})", R"({"sizes":[1,3]})") == Places{{"sizes", json("[1,2]")}});
  CHECK(between(R"({"sizes":[]})", R"({"sizes":[3]})") == Places{{"sizes", json("[]")}});
}

}  // namespace trial_difference_test
