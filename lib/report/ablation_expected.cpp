// SPDX-License-Identifier: Apache-2.0
// Expected effects of components, and the family of the components that have one.
#include <fmt/format.h>

#include <algorithm>

#include "report/ablation.hpp"

namespace dlrun::report {

namespace {

/// Expectation as the study wrote it, shared by all matches under `as: each`. Empty: nothing is expected.
std::string expected_of(const AblationStudy& study, const std::string& id) {
  for (const ablation::Component& one : study.plan.section.components) {
    const bool is_match = one.as == "each" && id.starts_with(one.id + '.');
    if (one.id == id || is_match) return one.expected.value_or("");
  }
  return {};
}

/// Components that differ between the two variants.
std::vector<std::string> compared_components(const Judged& one) {
  std::vector<std::string> out;
  const auto &with = one.with->components, &without = one.without->components;
  std::copy_if(without.begin(), without.end(), std::back_inserter(out),
               [&](const std::string& id) { return std::find(with.begin(), with.end(), id) == with.end(); });
  return out;
}

}  // namespace

void note_expected(const AblationStudy& study, std::vector<Judged>& judged) {
  for (Judged& one : judged) {
    const std::vector<std::string> components = compared_components(one);
    one.is_exploratory = std::any_of(components.begin(), components.end(),
                                     [&](const std::string& id) { return !expected_of(study, id).empty(); });
    if (components.size() == 1) one.expected = expected_of(study, components[0]);
  }
}

std::int64_t exploratory_of(const std::vector<Judged>& judged) {
  return std::count_if(judged.begin(), judged.end(), [](const Judged& one) { return one.is_exploratory; });
}

void add_expected(Table& table, const std::vector<const Judged*>& rows, std::size_t column) {
  const auto place = [column](auto& cells) { return cells.begin() + std::ptrdiff_t(column); };
  if (std::none_of(rows.begin(), rows.end(), [](const Judged* one) { return one->is_exploratory; })) return;
  table.columns.insert(place(table.columns), {"expected", "family"});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Json expected = rows[i]->expected.empty() ? Json() : Json(rows[i]->expected);
    const Json family = rows[i]->is_exploratory ? "exploratory" : "planned";
    table.rows[i].insert(place(table.rows[i]), {expected, family});
  }
}

}  // namespace dlrun::report
