// SPDX-License-Identifier: Apache-2.0
#include "plugin/section.hpp"

#include <stdexcept>

#include "support/catch.hpp"

namespace section_test {

using namespace dlrun;

TEST_CASE("a section's values have the types of its keys", "[plugin]") {
  const options::Table keys{options::integer("n", ""), options::real("x", "").with(2),
                            options::key(options::Form::numbers, "list", ""), options::text("name", "").or_else("")};
  const plugin::Options values = plugin::options_of({{"op", "p"}, {"n", 3}, {"list", 0.5}}, keys);
  CHECK(values.integer("n") == 3);
  CHECK(values.real("x") == 2.0);
  CHECK(values.numbers("list") == std::vector<double>{0.5});
  CHECK_FALSE(values.has("name"));
  CHECK_THROWS_AS(values.integer("op"), std::out_of_range);
}

}  // namespace section_test
