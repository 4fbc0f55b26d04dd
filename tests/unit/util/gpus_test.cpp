// SPDX-License-Identifier: Apache-2.0
#include "util/gpus.hpp"

#include "support/catch.hpp"

namespace gpus_test {

using dlrun::visible_gpus;
using Names = std::vector<std::string>;

TEST_CASE("the GPUs that a process may use are those it is told of", "[util][gpu]") {
  CHECK(visible_gpus(nullptr, 0).empty());
  CHECK(visible_gpus(nullptr, 3) == Names{"0", "1", "2"});
  CHECK(visible_gpus("", 3).empty());
  CHECK(visible_gpus("-1", 3).empty());
  CHECK(visible_gpus("2, 0", 3) == Names{"2", "0"});
  CHECK(visible_gpus("GPU-8f3a,MIG-77", 1) == Names{"GPU-8f3a", "MIG-77"});
  CHECK(visible_gpus("1,-1,0", 3) == Names{"1"});
}

}  // namespace gpus_test
