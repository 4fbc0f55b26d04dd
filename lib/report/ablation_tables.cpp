// SPDX-License-Identifier: Apache-2.0
// All tables of an ablation study.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "report/ablation.hpp"
#include "report/ablation_findings.hpp"
#include "report/aliases.hpp"
#include "report/opened.hpp"
#include "report/race.hpp"
#include "statistics/precision.hpp"

namespace dlrun::report {

namespace {

std::string meaning(const AblationStudy& study, const JudgedPair& pair) {
  const char* own = pair.found.effect->mean > 0 ? "each needs the other" : "each stands in for the other";
  const std::vector<std::string> others = aliases_of(study, {pair.first, pair.second});
  return others.empty() ? own : fmt::format("{}; or {} so", own, fmt::join(others, ", or "));
}

/// The largest first, whichever way; those of too few pairs last.
std::vector<JudgedPair> by_size(std::vector<JudgedPair> pairs) {
  const auto size = [](const JudgedPair& pair) { return pair.found.effect ? std::abs(pair.found.effect->mean) : -1; };
  std::stable_sort(pairs.begin(), pairs.end(), [&](const auto& a, const auto& b) { return size(a) > size(b); });
  return pairs;
}

Table interaction_table(const AblationStudy& study, const std::vector<JudgedPair>& pairs) {
  Table table{"interactions", {"first", "second", "interaction", "low", "high", "p_corrected", "pairs", "meaning"}, {}};
  for (const JudgedPair& pair : by_size(pairs)) {
    const auto& found = pair.found;
    const std::string &first = study.name_of(pair.first), &second = study.name_of(pair.second);
    if (!found.effect) {
      table.rows.push_back({first, second, nullptr, nullptr, nullptr, nullptr, 0,
                            found.is_invalid ? "invalid: a run collapsed or is unstable" : "too few pairs"});
      continue;
    }
    const bool is_sure = found.p_corrected < study.analysis.alpha;
    table.rows.push_back({first, second, figure(found.effect->mean), figure(found.effect->low),
                          figure(found.effect->high), figure(found.p_corrected), found.effect->n,
                          is_sure ? meaning(study, pair) : "not shown"});
  }
  return table;
}

/// Worth to all the others beside worth alone: little of the first and much of the second is redundancy. Components
/// without a valid contribution of both kinds are left out: a net that guesses tells nothing of redundancy.
Table side_by_side(const AblationStudy& study, const std::vector<Judged>& last, const std::vector<Judged>& first) {
  const auto is_ranked = [](const Judged& one) {
    return one.found.effect && one.found.verdict != statistics::Verdict::invalid;
  };
  Table table{"left out of all, and put back alone", {"component", "left_out", "put_back", "difference"}, {}};
  for (const Judged& one : last) {
    for (const Judged& other : first) {
      if (one.component != other.component || !is_ranked(one) || !is_ranked(other)) continue;
      const double a = one.found.effect->mean, b = other.found.effect->mean;
      const double largest = std::max(std::abs(one.found.metric), std::abs(other.found.metric));
      table.rows.push_back(
          {study.name_of(one.component), figure(a), figure(b), figure(statistics::at_precision(a - b, largest))});
    }
  }
  return table;
}

Table methods_table(const AblationStudy& study, const std::vector<Judged>& judged) {
  return {"methods", {"paragraph"}, {{methods_paragraph(study, judged)}}, Shape::sentences};
}

const char* contributions_title(const AblationStudy& study, bool is_alone) {
  if (study.plan.section.design == "fractional") return "contributions, averaged over the fraction";
  return is_alone ? "contributions, each put back alone" : "contributions";
}

}  // namespace

AblationStudy study_for(const OpenedStudy& opened, Audience audience) {
  AblationStudy study = ablation_study(opened);
  if (audience != Audience::programs) study.names = directions_of(study.plan, study.changes);
  return study;
}

Table not_trained_table(const ablation::Plan& plan, const std::string& reason) {
  Table table{"not trained", {"variant", reason}, {}};
  for (const ablation::Duplicate& one : plan.duplicates) table.rows.push_back({one.id, "the same as " + one.of});
  for (const ablation::Skipped& one : plan.skipped) table.rows.push_back({one.id, one.reason});
  return table;
}

std::vector<Table> ablation_of(const OpenedStudy& opened, Audience audience) {
  const AblationStudy study = study_for(opened, audience);
  if (study.plan.section.is_race()) return race_tables(opened, study, audience);
  const std::vector<Judged> judged = main_family(study);
  const bool is_fraction = study.plan.section.design == "fractional", has_steps = study.plan.steps.has_value();
  if (audience == Audience::paper) return {paper_table(study, judged), methods_table(study, judged)};
  std::vector<Table> tables = {claim_table(study, judged)};
  const auto add = [&](Table table) {
    if (!table.rows.empty()) tables.push_back(std::move(table));
  };
  const bool is_alone = is_put_back(study);
  add(has_steps ? steps_table(study, judged) : contribution_table(study, judged, contributions_title(study, is_alone)));
  add(retuned_table(opened, study));
  add(looks_table(study));
  if (!has_steps) add(interaction_table(study, is_fraction ? aliased_interactions(study) : interactions_of(study)));
  add(alias_table(study.plan));
  if (!is_alone && !is_fraction && !has_steps) add(side_by_side(study, judged, gains_alone(study)));
  add(variance_table(study));
  add(shapley_table(study));
  add(not_trained_table(study.plan, "reason"));
  for (Table& table : tables) table.shape = Shape::whole;
  add(methods_table(study, judged));
  return tables;
}

std::vector<Table> findings_of(const OpenedStudy& opened, Audience audience) {
  const AblationStudy study = study_for(opened, audience);
  if (study.plan.section.is_race()) return race_tables(opened, study, audience);
  const std::vector<Judged> judged = main_family(study);
  std::vector<Table> tables = {findings_table(study, judged)};
  Table steps = study.plan.steps ? steps_table(study, judged) : Table();
  steps.shape = Shape::whole;
  if (study.plan.steps && steps.rows.empty()) return tables;
  if (study.plan.steps) {
    tables.push_back(std::move(steps));
  } else if (audience == Audience::programs) {
    tables.push_back(contribution_table(study, judged, contributions_title(study, is_put_back(study))));
  } else {
    tables.push_back(short_table(study, judged));
  }
  return tables;
}

}  // namespace dlrun::report
