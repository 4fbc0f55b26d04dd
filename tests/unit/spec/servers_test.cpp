// SPDX-License-Identifier: Apache-2.0
#include "unit/spec/study_file.hpp"

namespace servers_test {

using namespace dlrun;
using namespace dlrun::spec;

TEST_CASE("more servers than parts of the model are refused, where that is known", "[spec][parallel]") {
  const StudyFile file(kTrees);  // weights and biases of two layers: four tensors
  const auto errors = [&](const std::string& gang, const std::string& width = "space.width=null") {
    return file.errors({width, "trial.parallel=" + gang});
  };
  CHECK(errors("{op: bsp, ranks: 2, sharding: layer, servers: 4}").empty());
  CHECK_THAT(errors("{op: bsp, ranks: 2, sharding: layer, servers: 6}"),
             Contains("the model has parts for 4 servers, 2 would stand idle") && Contains("write servers: 4"));
  CHECK(errors("{op: bsp, ranks: 2, sharding: memory, servers: 6}").empty());  // tensors are cut
  CHECK(errors("{op: asp, ranks: 2, sharding: layer}").empty());
  CHECK(errors("{op: bsp, ranks: 2, sharding: layer, servers: 6}", "space.lr.low=1e-3").empty());  // width is searched
}

}  // namespace servers_test
