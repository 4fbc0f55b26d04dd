// SPDX-License-Identifier: Apache-2.0
// dlrun verify [STUDY…]
#include "storage/verify.hpp"

#include <fmt/format.h>

#include "arguments.hpp"
#include "driver/decisions.hpp"
#include "output/console.hpp"
#include "report/report.hpp"
#include "report/selectors.hpp"
#include "util/json.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

constexpr int kDamaged = 4;
constexpr std::size_t kMostFaultsShown = 100;  ///< faults of one study

void add_faults(report::Table& table, const std::string& study, const std::vector<std::string>& faults) {
  for (std::size_t i = 0; i < faults.size() && i < kMostFaultsShown; ++i) table.rows.push_back({study, faults[i]});
  if (faults.size() > kMostFaultsShown)
    table.rows.push_back({study, fmt::format("and {} more", faults.size() - kMostFaultsShown)});
}

/// Decisions that were computed again, if the study is whole otherwise; a difference becomes a fault.
std::int64_t recompute(const Arguments& arguments, const std::string& study, storage::Verified& found) {
  if (!found.faults.empty()) return 0;
  const driver::Recomputed recomputed = driver::recompute_decisions(arguments.store(), study);
  if (!recomputed.fault.empty()) found.faults.push_back(recomputed.fault);
  return recomputed.decisions;
}

int run_verify(const Arguments& arguments, Console& console) {
  const bool recomputes = arguments.has("decisions");
  report::Table studies{"what was read", {"study", "log_rows", "artifacts", "bytes", "faults"}, {}};
  if (recomputes) studies.columns.emplace_back("decisions");
  report::Table faults{"what is wrong", {"study", "fault"}, {}};
  for (const std::string& study : report::find_studies(arguments.store(), arguments.words())) {
    storage::Verified found = storage::verify_study(arguments.store(), study, !arguments.has("quick"));
    const std::int64_t decisions = recomputes ? recompute(arguments, study, found) : 0;
    studies.rows.push_back({study, found.log_rows, found.files, found.bytes, std::int64_t(found.faults.size())});
    if (recomputes) studies.rows.back().emplace_back(decisions);
    add_faults(faults, study, found.faults);
  }
  if (faults.rows.empty()) {
    console.print(studies);
    return 0;
  }
  console.print(std::vector<report::Table>{studies, faults});
  return kDamaged;
}

}  // namespace

Verb verify_verb() {
  return {.name = "verify",
          .summary = "find what is damaged in a store",
          .text =
              "Reads all of a study: the database's pages, the hash of every row of its log, the rows made from the\n"
              "log, and the content of every artifact. It changes nothing and may be run while a driver works. Ends\n"
              "with 4 where something is wrong, naming it.\n"
              "--decisions also feeds the recorded events to the search again and compares every decision with\n"
              "the recorded one, and the results of trials with what the events say. The first that differs is named\n"
              "with both values.",
          .arguments = {{.name = "STUDY",
                         .text = "its name, or `all` of the store (default: the one started last)",
                         .kind = Kind::study,
                         .least = 0,
                         .most = -1}},
          .options = {{.name = "quick", .text = "look for artifacts and their sizes, do not read them"},
                      {.name = "decisions", .text = "compute the decisions again and compare them"},
                      format_option(),
                      store_option()},
          .examples = {{"dlrun verify all", "the whole store"},
                       {"dlrun verify --quick first", "without reading artifacts"},
                       {"dlrun verify --decisions first", "would it be decided alike today?"}},
          .run = run_verify};
}

}  // namespace dlrun::cli
