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

TEST_CASE("a searched number of ranks or servers that is none is refused by name", "[spec][parallel]") {
  const StudyFile file(kTrees);
  const auto errors = [&](const std::string& place, const std::string& gang) {
    return file.errors({"space.r={at: " + place + ", type: categorical, choices: [2, x]}", "trial.parallel=" + gang});
  };
  CHECK_THAT(errors("parallel.ranks", "{op: bsp, ranks: 4}"),
             Contains("parallel.ranks takes whole numbers, but 'r' may be \"x\""));
  CHECK_THAT(errors("parallel.servers", "{op: bsp, ranks: 4, sharding: layer}"),
             Contains("parallel.servers takes whole numbers, but 'r' may be \"x\""));
}

TEST_CASE("a misspelt cluster is an error with the word that is meant, with ranks and without", "[spec][parallel]") {
  const StudyFile file(kTrees);
  CHECK_THAT(file.errors({"trial.cluster=process"}), Contains("did you mean 'processes'?"));
  CHECK_THAT(file.errors({"trial.cluster=process", "trial.parallel={op: bsp, ranks: 2}"}),
             Contains("did you mean 'processes'?"));
  CHECK_THAT(file.errors({"trial.cluster=3"}), Contains("trial.cluster"));
}

TEST_CASE("dropped gradients are an objective where every trial drops some", "[spec][parallel]") {
  const StudyFile file(kTrees);
  const auto errors = [&](const std::string& space) {
    return file.errors({"objective={metric: cluster.dropped, direction: minimize}",
                        "trial.parallel={op: bsp, ranks: 4, drop_slowest: 2}", "space.d=" + space});
  };
  const std::string none = "trials do not report 'cluster.dropped'";
  CHECK(errors("{at: parallel.drop_slowest, type: categorical, choices: [1, 2]}").empty());
  CHECK_THAT(errors("{at: parallel.drop_slowest, type: categorical, choices: [0, 2]}"), Contains(none));
  CHECK_THAT(errors("{at: parallel.drop_slowest, type: int, low: 0, high: 2}"), Contains(none));
  CHECK_THAT(errors("{at: parallel.op, type: categorical, choices: [bsp, asp]}"), Contains(none));
}

}  // namespace servers_test
