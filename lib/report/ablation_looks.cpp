// SPDX-License-Identifier: Apache-2.0
// Why a variant has as many replicates as it has.
#include <fmt/format.h>

#include <algorithm>

#include "ablation/analysis.hpp"
#include "ablation/plan_json.hpp"
#include "report/ablation.hpp"
#include "report/opened.hpp"
#include "statistics/sequential.hpp"

namespace dlrun::report {

namespace {

using statistics::Looked;
using statistics::Standing;

/// Decided replicates up to the first gap, as the looks count them.
statistics::Cells decided_prefix(const AblationVariant& variant) {
  const auto end = std::find_if(variant.cells.begin(), variant.cells.end(), [](auto& c) { return !c.is_decided; });
  statistics::Cells cells;
  for (auto cell = variant.cells.begin(); cell != end; ++cell) cells.push_back(cell->metric);
  return cells;
}

std::string why(const Looked& looked, const statistics::SequentialRules& rules) {
  const std::string when = fmt::format("at the look at {}", looked.look);
  if (looked.standing == Standing::negligible)
    return fmt::format("{} {}: p {:.2g} < {:.2g}", within_rope(rules.analysis), when, looked.p_equivalence,
                       looked.negligible_level);
  if (looked.standing != Standing::go_on)
    return fmt::format("{} {}: p {:.2g} < {:.2g}", looked.standing == Standing::helps ? "helps" : "hurts", when,
                       looked.p, looked.level);
  if (looked.look == 0) return "before its first look";
  const bool is_last = looked.look == rules.analysis.looks.at.back();
  return fmt::format("open {}: p {:.2g}, {:.2g} settles{}", when, looked.p, looked.level,
                     is_last ? "; these are all" : "");
}

/// Three digits: as many as a decision needs.
Json rounded(double p) { return std::stod(fmt::format("{:.3g}", p)); }

Table empty_table() { return {"why no more replicates", {"variant", "replicates", "look", "p", "level", "why"}, {}}; }

void add_row(Table& table, const AblationVariant& base, const AblationVariant& variant,
             const statistics::SequentialRules& rules) {
  const Looked looked = statistics::looked_at(decided_prefix(base), decided_prefix(variant), rules);
  const Json look = looked.look == 0 ? Json() : Json(looked.look);
  table.rows.push_back({variant.id, cells_of(variant).size(), look, look.is_null() ? Json() : rounded(looked.p),
                        look.is_null() ? Json() : rounded(looked.level), why(looked, rules)});
}

}  // namespace

Table looks_table(const AblationStudy& study, const std::string& only) {
  Table table = empty_table();
  const AblationVariant* base = study.without({});
  if (study.analysis.looks.at.empty() || base == nullptr || study.variants.size() < 2) return table;
  // Rules that the study itself looked by, which ask only whether the values of a variant are equal.
  const auto analysis = ablation::analysis_options(study.plan, study.spec, study.maximize);
  const auto rules = statistics::sequential_rules(analysis, int(study.variants.size()) - 1);
  for (const AblationVariant& variant : study.variants) {
    if (!only.empty() && variant.id != only) continue;
    if (&variant == base) {
      table.rows.push_back(
          {variant.id, cells_of(variant).size(), nullptr, nullptr, nullptr, "runs as long as any variant is open"});
    } else {
      add_row(table, *base, variant, rules);
    }
  }
  return table;
}

Table looks_of(const OpenedStudy& opened, std::int64_t trial) {
  const Json spec = opened.spec();
  const auto plan = ablation::plan_of(spec);
  if (!plan || !plan->section.stopping) return empty_table();
  const Json variant = params_of(opened, trial).at("variant");
  return looks_table(ablation_study(opened), variant.is_string() ? variant.get<std::string>() : to_text(variant));
}

}  // namespace dlrun::report
