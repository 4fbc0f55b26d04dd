// SPDX-License-Identifier: Apache-2.0
#include "exact/throughput.hpp"

#include "support/catch.hpp"
#include "support/cpsat.hpp"
#include "unit/placement/workloads.hpp"

namespace dlrun::exact {

using namespace placement;

TEST_CASE("CP-SAT finds the split with the least largest load", "[exact]") {
  const auto solver = support::cpsat_solver();
  if (!solver) return;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const int accelerators = 2 + int(seed % 2);
    const Workload work = read_workload(random_json(seed, accelerators == 2 ? 9 : 7, accelerators));
    const double least = least_of_all(work);
    const ProvenSplit found = best_split(work, Split(work.classes.size(), 0), *solver, {});
    INFO("seed " << seed);
    CHECK(largest_load(work, found.split) == Approx(least).epsilon(1e-5));
    CHECK(found.bound == Approx(least).epsilon(1e-5));
    CHECK(found.bound <= least * (1 + 1e-12));
  }
}

// 4, 2, 2, 4 ms, 1 ms a transfer: 7 in two halves. A processor as fast as an accelerator, which sends nothing, takes
// one half for 6, but the accelerator has its transfer: 7; with 3 of 4 there it has 4 + 1 = 5, and the processor 8.
TEST_CASE("CP-SAT knows the memory, and processors that send nothing", "[exact]") {
  const auto solver = support::cpsat_solver();
  if (!solver) return;
  Json json = {{"maxFPGAs", 1}, {"maxCPUs", 1}, {"maxSizePerFPGA", 2}, {"edges", Json::array()}};
  const double ms[] = {4, 2, 2, 4};
  for (int i = 0; i < 4; ++i)
    json["nodes"].push_back({{"id", i}, {"fpgaLatency", ms[i]}, {"cpuLatency", ms[i]}, {"size", 1}});
  for (int i = 1; i < 4; ++i) json["edges"].push_back({{"sourceId", i - 1}, {"destId", i}, {"cost", 1}});
  const auto least = [&] { return best_split(read_workload(json), {1, 1, 1, 1}, *solver, {}).bound; };
  CHECK(least() == Approx(7e-3));
  json["maxSizePerFPGA"] = 1;
  CHECK(least() == Approx(8e-3));
  json["maxSizePerFPGA"] = 0;
  CHECK(least() == Approx(12e-3));
  for (const double size : {1e30, 9.3e18}) {  // no limit
    json["maxSizePerFPGA"] = size;
    CHECK(least() == Approx(7e-3));
  }
  for (Json& node : json["nodes"]) node["size"] = 1e30;
  json["maxSizePerFPGA"] = 2e30;
  CHECK(least() == Approx(7e-3));
}

TEST_CASE("a workload without work needs no solver's time", "[exact]") {
  const auto solver = support::cpsat_solver();
  if (!solver) return;
  Json json = {{"maxFPGAs", 1}, {"maxCPUs", 1}, {"maxSizePerFPGA", 2}, {"edges", Json::array()}};
  json["nodes"].push_back({{"id", 1}, {"fpgaLatency", 0}, {"cpuLatency", 0}, {"size", 1}});
  const ProvenSplit found = best_split(read_workload(json), {0}, *solver, {});
  CHECK(found.split == Split{0});
  CHECK(found.bound == 0);
}

}  // namespace dlrun::exact
