// SPDX-License-Identifier: Apache-2.0
#include "report_sections.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "util/error.hpp"

namespace dlrun::cli {

namespace {

struct Rule {
  const char *wish, *section, *text;
};

constexpr Rule kRules[] = {{"method", "importance", "is how importances are found"},
                           {"objective", "importance", "is what importances are for"},
                           {"top", "best", "is how many of the best trials are shown"}};

}  // namespace

void require_followed(const std::vector<std::string>& sections, const std::function<bool(const std::string&)>& has_wish,
                      const std::string& mark) {
  for (const Rule& rule : kRules) {
    if (!has_wish(rule.wish) || std::find(sections.begin(), sections.end(), rule.section) != sections.end()) continue;
    throw Error(ErrorKind::usage, fmt::format("{}{} {}, and they are not asked for", mark, rule.wish, rule.text),
                fmt::format("add {}section {}", mark, rule.section));
  }
}

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
