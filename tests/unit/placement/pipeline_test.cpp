// SPDX-License-Identifier: Apache-2.0
#include "placement/pipeline.hpp"

#include <cmath>

#include "placement/loads.hpp"
#include "support/catch.hpp"
#include "unit/placement/workloads.hpp"
#include "util/error.hpp"

namespace dlrun::placement {

namespace {

/// A chain of four layers of 4, 2, 2 and 4 ms; outputs take 1 ms to travel.
Json chain_json() {
  Json json = {{"maxFPGAs", 2}, {"maxCPUs", 1}, {"maxSizePerFPGA", 100.0}};
  const double ms[] = {4, 2, 2, 4};
  for (int i = 0; i < 4; ++i)
    json["nodes"].push_back(
        {{"id", i + 1}, {"fpgaLatency", ms[i]}, {"cpuLatency", 10 * ms[i]}, {"size", 20.0}, {"colorClass", i}});
  for (int i = 1; i < 4; ++i) json["edges"].push_back({{"sourceId", i}, {"destId", i + 1}, {"cost", 1.0}});
  return json;
}

/// The definition, item by item: what is computed, what comes in once, what goes out once.
double load_by_definition(const Workload& work, const Split& split, int device) {
  double load = 0;
  const auto is_here = [&](int item) { return split[std::size_t(work.class_of[std::size_t(item)])] == device; };
  for (std::size_t item = 0; item < work.items.size(); ++item) {
    if (is_here(int(item))) load += work.items[item].accelerated;
    bool travels = false;
    for (const auto& [from, to] : work.edges) travels |= from == int(item) && is_here(from) != is_here(to);
    if (travels) load += work.items[item].transfer;
  }
  return load;
}

std::string workload_fault(const Json& json) {
  try {
    (void)read_workload(json);
    return {};
  } catch (const Error& fault) {
    return fault.what();
  }
}

}  // namespace

// In the middle: 4 + 2 and one transfer on each side, 7 ms. After the first: 5 and 9.
TEST_CASE("loads are sums of work and of transfers", "[placement][pipeline]") {
  const Workload work = read_workload(chain_json());
  CHECK(largest_load(work, {0, 0, 1, 1}) == Approx(7e-3));
  CHECK(largest_load(work, {0, 1, 1, 1}) == Approx(9e-3));
  CHECK(largest_load(work, {0, 0, 0, 0}) == Approx(12e-3));
  CHECK(largest_load(work, {2, 0, 0, 0}) == Approx(40e-3));  // a processor sends nothing, and computes slowly
  CHECK(load_of_one(work) == Approx(12e-3));
  CHECK(largest_load(work, linearize(work)) == Approx(7e-3));
}

TEST_CASE("processors share the work if there is no accelerator", "[placement][pipeline]") {
  Json json = chain_json();
  json["maxFPGAs"] = 0;
  json["maxCPUs"] = 2;
  const Workload work = read_workload(json);
  RandomStream chance(1, {"test"});
  CHECK(largest_load(work, local_search(work, {0, 0, 0, 0}, 3, chance)) == Approx(60e-3));
  CHECK(load_of_one(work) == Approx(120e-3));
  json["maxCPUs"] = 0;
  CHECK(workload_fault(json) == "the workload has no device: maxFPGAs and maxCPUs are 0");
}

TEST_CASE("an accelerator without the memory takes nothing", "[placement][pipeline]") {
  Json json = chain_json();
  json["maxSizePerFPGA"] = 60.0;
  const Workload work = read_workload(json);
  CHECK(std::isinf(largest_load(work, {0, 0, 0, 0})));
  json["maxSizePerFPGA"] = 10.0;
  json["maxCPUs"] = 0;
  CHECK_THROWS_WITH(linearize(read_workload(json)), "no split along an order fits in the accelerators' memory");
}

TEST_CASE("loads that change one by one are those of the definition", "[placement][pipeline]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Workload work = read_workload(random_json(seed, 9, 3));
    const Neighbours neighbours(work);
    DeviceLoad load(work, neighbours, false);
    RandomStream chance(seed, {"moves"});
    Split split(work.classes.size(), 1);
    for (int i = 0; i < 60; ++i) {
      const auto one = chance.below(work.classes.size());
      split[one] == 0 ? load.remove(int(one)) : load.add_class(int(one));
      split[one] = 1 - split[one];
      CHECK(load.seconds() == Approx(load_by_definition(work, split, 0)).margin(1e-12));
    }
  }
}

TEST_CASE("splits are no better than the best of all, and local search is near it", "[placement][pipeline]") {
  int reached = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Workload work = read_workload(random_json(seed, 8, 2));
    RandomStream chance(seed, {"search"});
    const Split along = linearize(work);
    const double least = least_of_all(work), searched = largest_load(work, local_search(work, along, 10, chance));
    CHECK(largest_load(work, along) >= least - 1e-12);
    CHECK(searched <= largest_load(work, along) + 1e-12);
    CHECK(searched >= least - 1e-12);
    reached += searched <= least + 1e-12 ? 1 : 0;
  }
  CHECK(reached >= 18);
}

TEST_CASE("a workload that cannot be read is refused with its place", "[placement][pipeline]") {
  const auto with = [](const char* pointer, const Json& value) {
    Json json = chain_json();
    json[Json::json_pointer(pointer)] = value;
    return workload_fault(json);
  };
  CHECK(with("/nodes/1/fpgaLatency", "2") == "nodes.1 needs 'fpgaLatency', a number of at least 0");
  CHECK(with("/nodes/1/id", 1) == "nodes.1 has the id of another node");
  CHECK(with("/edges/0/destId", 9) == "edges.0: there is no node 9");
  CHECK(with("/nodes/1/name", 3) == "nodes.1: 'name' must be text, not 3");
  CHECK(with("/nodes/1/isBackwardNode", Json()) == "nodes.1: 'isBackwardNode' must be 0 or 1, not null");
  CHECK(with("/maxFPGAs", 2.5) == "the workload: 'maxFPGAs' must be a whole number from 0 to 10000, not 2.5");
  CHECK(with("/maxCPUs", 1e11) == "the workload: 'maxCPUs' must be a whole number from 0 to 10000, not 100000000000.0");
  CHECK(with("/nodes", Json::array()) == "the workload has no nodes");
  CHECK(with("/nodes", 1) == "a workload needs the list 'nodes'");
}

}  // namespace dlrun::placement
