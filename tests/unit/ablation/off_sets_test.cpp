// SPDX-License-Identifier: Apache-2.0
#include "ablation/off_sets.hpp"

#include "ablation/refused.hpp"
#include "support/catch.hpp"

namespace off_sets_test {

using namespace dlrun::ablation;
using Plan = std::vector<Off>;

TEST_CASE("designs leave out what their names say", "[ablation][off_sets]") {
  CHECK(variants_of("loco", 3) == Plan{{0}, {1}, {2}});
  CHECK(variants_of("pairwise", 3) == Plan{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}});
  CHECK(variants_of("factorial", 2) == Plan{{0}, {1}, {0, 1}});
  CHECK(variants_of("factorial", 6).size() == 63);
  CHECK(variants_of("add_one_in", 3) == Plan{{0, 1, 2}, {1, 2}, {0, 2}, {0, 1}});
  CHECK(variants_of("add_one_in", 1) == Plan{{0}});
}

TEST_CASE("a factorial of too many components is refused with their number", "[ablation][off_sets]") {
  CHECK_THROWS_WITH(variants_of("factorial", 7), "E250: a factorial of 7 components has 128 variants");
}

}  // namespace off_sets_test
