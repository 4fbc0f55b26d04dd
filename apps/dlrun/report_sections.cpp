// SPDX-License-Identifier: Apache-2.0
#include "report_sections.hpp"

#include "util/error.hpp"

namespace dlrun::cli {

std::vector<report::Table> section(const report::Reader& reader, const std::string& name, const Wishes& wishes) {
  if (name == "ablation") return reader.ablation(wishes.audience);
  if (name == "findings") return reader.findings(wishes.audience);
  if (name == "final") return reader.final();
  if (name == "cost") return reader.cost();
  if (name == "ranks") return {reader.ranks()};
  if (name == "importance") return reader.importance(wishes.method, wishes.objective);
  if (name == "status") return {reader.status()};
  if (name == "progress") return {reader.progress()};
  if (name == "parameters") return {reader.parameters()};
  if (name == "best") return {reader.best(wishes.top)};
  if (name == "winner") return {reader.winner()};
  if (name == "trials") return {reader.trials()};
  if (name == "divergences") return {reader.divergences()};
  if (!reader.has_several()) {
    throw Error(ErrorKind::usage, "a front needs several objectives", "--section best has the best trials");
  }
  return {reader.front(), reader.hypervolume()};
}

}  // namespace dlrun::cli
