// SPDX-License-Identifier: Apache-2.0
#include "place_workload.hpp"

#include <fmt/format.h>

#include <cmath>

#include "arguments.hpp"
#include "exact/throughput.hpp"
#include "graph_file.hpp"
#include "output/console.hpp"
#include "placement/pipeline.hpp"
#include "report/report.hpp"
#include "solver.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace {

using namespace placement;

constexpr int kUsualRestarts = 10;

bool wants_proof(const Arguments& arguments) { return arguments.list("placer") == std::vector<std::string>{"exact"}; }

/// Settings of a placement by steps, which a pipeline's workload has itself or does not use.
void refuse_others(const Arguments& arguments) {
  for (const std::string option : {"devices", "link", "memory", "cluster", "placer", "order", "inference",
                                   "microbatches", "output", "plots", "coarsen", "effort", "expect", "rules"}) {
    const bool is_of_proof = option == "placer" || option == "effort";
    if (arguments.has(option) && !(is_of_proof && wants_proof(arguments)))
      throw Error(ErrorKind::usage, "--" + option + " changes nothing: the file is a pipeline's workload",
                  "it names its devices itself, and the largest load counts, not the step");
  }
}

Json milliseconds_of(double seconds) { return std::isfinite(seconds) ? Json(std::round(seconds * 1e7) / 1e4) : Json(); }

std::vector<Json> row(const char* placer, double load, double one) {
  return {placer, milliseconds_of(load), one > 0 ? Json(std::round(load / one * 1e3) / 1e3) : Json()};
}

/// Adds the best split by CP-SAT.
void prove(const Workload& work, const Split& known, const Arguments& arguments, report::Table& table,
           Console& console) {
  const cpsat::Solver solver = found_solver("the split with the highest throughput");
  const auto effort = double(arguments.number("effort", kUsualEffort, 1));
  const exact::ProvenSplit found = exact::best_split(work, known, solver, {.effort = effort});
  const double load = largest_load(work, found.split);
  table.rows.insert(table.rows.begin(), row("exact", load, load_of_one(work)));
  console.note(fmt::format("no split has less than {:.4f} ms; the best is {:.2f} % above that", found.bound * 1e3,
                           found.bound > 0 ? 100 * (load / found.bound - 1) : 0));
}

}  // namespace

int place_workload(const Json& json, const std::string& file, const Arguments& arguments, Console& console) {
  refuse_others(arguments);
  const Workload work = workload_of(json, file);
  RandomStream chance(std::uint64_t(arguments.number("seed", 1, 0)), {"place", "local-search"});
  const Split along = linearize(work);
  const Split searched = local_search(work, along, int(arguments.number("tries", kUsualRestarts, 0)), chance);
  const double one = load_of_one(work);
  report::Table table{.title = "splits by their largest load",
                      .columns = {"placer", "load_ms", "of_one_device"},
                      .rows = {row("local-search", largest_load(work, searched), one),
                               row("linearize", largest_load(work, along), one), row("single", one, one)}};
  if (wants_proof(arguments)) prove(work, searched, arguments, table, console);
  console.print({{.title = "the workload",
                  .columns = {"what", "value"},
                  .rows = {{"nodes", work.items.size()},
                           {"classes", work.classes.size()},
                           {"accelerators", work.accelerators},
                           {"processors", work.cpus}}},
                 table});
  return 0;
}

}  // namespace dlrun::cli
