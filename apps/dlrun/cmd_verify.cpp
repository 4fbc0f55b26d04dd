// SPDX-License-Identifier: Apache-2.0
// dlrun verify [STUDY…]
#include "storage/verify.hpp"

#include <fmt/format.h>

#include "arguments.hpp"
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

int run_verify(const Arguments& arguments, Console& console) {
  report::Table studies{"what was read", {"study", "log_rows", "artifacts", "bytes", "faults"}, {}};
  report::Table faults{"what is wrong", {"study", "fault"}, {}};
  for (const std::string& study : report::find_studies(arguments.store(), arguments.words())) {
    const storage::Verified found = storage::verify_study(arguments.store(), study, !arguments.has("quick"));
    studies.rows.push_back({study, found.log_rows, found.files, found.bytes, std::int64_t(found.faults.size())});
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
              "with 4 where something is wrong, naming it.",
          .arguments = {{.name = "STUDY",
                         .text = "its name, or `all` of the store (default: the one started last)",
                         .kind = Kind::study,
                         .least = 0,
                         .most = -1}},
          .options = {{.name = "quick", .text = "look for artifacts and their sizes, do not read them"},
                      format_option(),
                      store_option()},
          .examples = {{"dlrun verify all", "the whole store"},
                       {"dlrun verify --quick first", "without reading artifacts"}},
          .run = run_verify};
}

}  // namespace dlrun::cli
