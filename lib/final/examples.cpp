// SPDX-License-Identifier: Apache-2.0
#include "final/examples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "trial/artifacts.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::final {

namespace {

/// Every member's newest row, those that are still there before those that were given up.
constexpr const char* kNewest =
    "SELECT replicate, fold, step, sha256, given_up FROM (SELECT *, deleted IS NOT NULL AS given_up, row_number() OVER "
    "(PARTITION BY replicate, fold ORDER BY deleted IS NOT NULL, step DESC, piece DESC, attempt DESC) AS place FROM "
    "v_artifacts WHERE trial = ?1 AND role = ?2) WHERE place = 1 ORDER BY replicate, fold";

constexpr const char* kLeaving =
    "a function or a script of Python leaves them by trial.examples(ids, values), any program by a line of its report: "
    "{\"examples\": FILE, \"step\": N}";

/// The lines of a member's file, behind their member and step.
std::string lines_of(const std::string& csv, const std::string& member) {
  std::string out;
  std::string_view rest(csv);
  rest.remove_prefix(std::min(rest.size(), rest.find('\n') + 1));  // the header
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    out += fmt::format("{},{}\n", member, line);
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return out;
}

}  // namespace

Examples examples_of(const std::filesystem::path& store, const report::OneTrial& trial) {
  const std::string name = fmt::format("{}/{}", trial.study, trial.number);
  const auto database = storage::open_for_reading(storage::study_file(store, trial.study, ".db"));
  storage::Statement rows = database->prepare(kNewest);
  const std::string role = trial::kExamples;  // bound as it is, so it lives as long as the statement
  rows.bind(trial.number, role);
  Examples out{"replicate,fold,step,id,value\n"};
  for (; rows.step(); ++out.members) {
    if (rows.integer(4) != 0)
      throw Error(ErrorKind::not_found, fmt::format("the results of examples of trial {} were given up", name),
                  "`keep:` in the study says whose stay");
    const std::string sha256(rows.text(3));
    const auto file = trial::artifact_path(store / "artifacts", sha256);
    trial::require_sound(file, sha256);
    out.csv += lines_of(read_file(file), fmt::format("{},{},{}", rows.integer(0), rows.integer(1), rows.integer(2)));
  }
  if (out.members == 0)
    throw Error(ErrorKind::not_found, fmt::format("trial {} has no results of examples", name), kLeaving);
  return out;
}

}  // namespace dlrun::final
