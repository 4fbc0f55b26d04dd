// SPDX-License-Identifier: Apache-2.0
#include "samplers/rival.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "util/json.hpp"

namespace rival_test {

using namespace dlrun;
using namespace dlrun::samplers;

namespace {

space::Space some_space() {
  return space::Space({{.name = "lr", .low = 1e-4, .high = 1, .log = true},
                       {.name = "width", .type = space::Type::integer, .low = 8, .high = 64},
                       {.name = "op", .type = space::Type::categorical, .choices = {"sgd", "adam"}}});
}

}  // namespace

TEST_CASE("A rival is told by where it differs, and by its share of the score") {
  const space::Space space = some_space();
  const space::Values proposed = {0.01, std::int64_t{16}, space::Choice{0}};
  const Rival rival{{0.0123456, std::int64_t{16}, space::Choice{1}}, std::log(3.0)};
  CHECK(ahead_of(space, proposed, std::log(4.0), rival) == "; ahead of lr 0.0123, op \"adam\" (75 % of it)");
}

TEST_CASE("Points are apart by a twentieth of a domain or by a choice") {
  const space::Space space = some_space();
  const space::Values here = {0.01, std::int64_t{16}, space::Choice{0}};
  CHECK_FALSE(is_elsewhere(space, here, here));
  CHECK_FALSE(is_elsewhere(space, here, {0.012, std::int64_t{17}, space::Choice{0}}));
  CHECK(is_elsewhere(space, here, {0.02, std::int64_t{16}, space::Choice{0}}));
  CHECK(is_elsewhere(space, here, {0.01, std::int64_t{16}, space::Choice{1}}));
}

}  // namespace rival_test
