// SPDX-License-Identifier: Apache-2.0
#include "driver/spec_diff.hpp"

#include "support/catch.hpp"

namespace spec_diff_test {

using namespace dlrun;
using namespace dlrun::driver;
using Lines = std::vector<std::string>;

TEST_CASE("differences are named by place", "[driver][diff]") {
  const Json before = {{"search", {{"lanes", 8}}}, {"limits", {{"trials", 32}, {"wall", 60}}}, {"old", true}};
  Json now = {{"search", {{"lanes", 16}}}, {"limits", {{"trials", 32}, {"wall", 1}}}, {"new", {{"a", Json::array()}}}};
  now["resources"] = {{"threads_per_trial", 4}};
  CHECK(spec_diff(before, now) == Lines{"new.a: (nothing) -> []", "old: true -> (nothing)", "search.lanes: 8 -> 16"});
  CHECK(spec_diff(before, before).empty());
}

TEST_CASE("an inserted layer is one difference, not a shift of all", "[driver][diff]") {
  const Json before = {{"nodes", {{{"name", "a"}, {"out", 1}}, {{"name", "b"}, {"out", 2}}}}};
  const Json now = {{"nodes", {{{"name", "n"}}, {{"name", "a"}, {"out", 1}}, {{"name", "b"}, {"out", 2}}}}};
  CHECK(spec_diff(before, now) == Lines{"nodes.n.name: (nothing) -> \"n\""});
}

TEST_CASE("a list that was not there and is filled differs by its elements alone", "[driver][diff]") {
  const Json before = {{"feasible", nullptr}, {"lr", 0.1}}, now = {{"feasible", {{{"max", 1}}}}, {"lr", nullptr}};
  CHECK(spec_diff(before, now) == Lines{"feasible.0.max: (nothing) -> 1", "lr: 0.1 -> null"});
}

TEST_CASE("many differences are cut short", "[driver][diff]") {
  Json now;
  for (int i = 0; i < 30; ++i) now["key" + std::to_string(i)] = std::string(100, 'x');
  const auto lines = spec_diff(Json::object(), now, 5);
  REQUIRE(lines.size() == 6);
  CHECK(lines.back() == "… and 25 more");
  CHECK(lines[0].size() < 100);
}

/// Values were cut before they were compared, so that a long command or text could change its end unseen.
TEST_CASE("long values that differ at their end differ", "[driver][diff]") {
  const std::string shared(100, 'x');
  const Json before = {{"command", shared + " --lr 0.1"}}, now = {{"command", shared + " --lr 0.2"}};
  const std::string tail = "..." + std::string(12, 'x') + " --lr 0.";
  CHECK(spec_diff(before, now) == Lines{"command: " + tail + "1\" -> " + tail + "2\""});
  CHECK(spec_diff(before, before).empty());
}

}  // namespace spec_diff_test
