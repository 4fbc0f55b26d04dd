// SPDX-License-Identifier: Apache-2.0
#include "place_workload.hpp"

#include <cmath>

#include "arguments.hpp"
#include "output/console.hpp"
#include "placement/pipeline.hpp"
#include "report/report.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace {

using namespace placement;

constexpr int kUsualRestarts = 10;

/// Settings of a placement by steps, which a pipeline's workload has itself or does not use.
void refuse_others(const Arguments& arguments) {
  for (const char* option :
       {"devices", "link", "memory", "placer", "order", "inference", "microbatches", "output", "coarsen", "effort"}) {
    if (arguments.has(option))
      throw Error(ErrorKind::usage, std::string("--") + option + " changes nothing: the file is a pipeline's workload",
                  "it names its devices itself, and the largest load counts, not the step");
  }
}

Json milliseconds_of(double seconds) { return std::isfinite(seconds) ? Json(std::round(seconds * 1e7) / 1e4) : Json(); }

std::vector<Json> row(const char* placer, double load, double one) {
  return {placer, milliseconds_of(load), one > 0 ? Json(std::round(load / one * 1e3) / 1e3) : Json()};
}

}  // namespace

int place_workload(const Json& json, const Arguments& arguments, Console& console) {
  refuse_others(arguments);
  const Workload work = read_workload(json);
  RandomStream chance(std::uint64_t(arguments.number("seed", 1, 0)), {"place", "local-search"});
  const Split along = linearize(work);
  const Split searched = local_search(work, along, int(arguments.number("tries", kUsualRestarts, 0)), chance);
  const double one = load_of_one(work);
  console.print({{.title = "the workload",
                  .columns = {"what", "value"},
                  .rows = {{"nodes", work.items.size()},
                           {"classes", work.classes.size()},
                           {"accelerators", work.accelerators},
                           {"processors", work.cpus}}},
                 {.title = "splits by their largest load",
                  .columns = {"placer", "load_ms", "of_one_device"},
                  .rows = {row("local-search", largest_load(work, searched), one),
                           row("linearize", largest_load(work, along), one), row("single", one, one)}}});
  return 0;
}

}  // namespace dlrun::cli
