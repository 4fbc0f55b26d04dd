// SPDX-License-Identifier: Apache-2.0
// The contributions of components, their interactions, and the tables of both.
#include "report/ablation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plot/script.hpp"
#include "report/ablation_examples.hpp"
#include "statistics/summary.hpp"

namespace dlrun::report {

namespace {

using statistics::Contribution;
using statistics::Verdict;

void judge_family(const AblationStudy& study, std::vector<Judged>& all, bool is_exploratory) {
  std::vector<Judged*> family;
  std::vector<statistics::Comparison> comparisons;
  for (Judged& one : all) {
    if (one.is_exploratory != is_exploratory) continue;
    family.push_back(&one);
    comparisons.push_back(study.compared(*one.with, *one.without));
  }
  const auto found = statistics::contributions(comparisons, study.analysis);
  for (std::size_t i = 0; i < family.size(); ++i) family[i]->found = found[i];
}

std::vector<Judged> judged(const AblationStudy& study, std::vector<Judged> all) {
  note_expected(study, all);
  for (const bool is_exploratory : {false, true}) judge_family(study, all, is_exploratory);
  return all;
}

Json saved(std::optional<double> with, std::optional<double> without) {
  if (!with || !without || *with == 0) return nullptr;
  return to_decimals(100 * (*with - *without) / *with, 1);
}

/// The median over replicates that both completed here: what is cited took no time, and one run that had to wait for
/// its machine says nothing.
std::optional<double> usual_seconds(const AblationVariant& variant, const AblationVariant& other) {
  std::vector<double> seconds;
  for (std::size_t r = 0; r < variant.cells.size(); ++r) {
    const AblationCell &own = variant.cells[r], &its = other.cells[r];
    if (own.metric && its.metric && own.seconds > 0 && its.seconds > 0) seconds.push_back(variant.cells[r].seconds);
  }
  if (seconds.empty()) return std::nullopt;
  std::sort(seconds.begin(), seconds.end());
  return statistics::quantile(seconds, 0.5);
}

/// Kind of a comparison: a component that is dropped, several that go together, or one that is put back.
Json kind_of(const Judged& one) {
  if (one.with == one.without) return "averaged";
  return one.with->components.empty() ? one.without->kind : "added";
}

std::vector<Json> row_of(const AblationStudy& study, const Judged& one) {
  const Contribution& c = one.found;
  const bool is_ranked = c.verdict != Verdict::invalid && c.effect;
  const auto of_effect = [&](double value) { return is_ranked ? figure(value) : Json(); };
  const auto effect = c.effect.value_or(statistics::Effect());
  return {study.name_of(one.component),
          verdict_of(study, one),
          of_effect(effect.mean),
          of_effect(effect.low),
          of_effect(effect.high),
          of_effect(c.p_corrected),
          c.effect ? figure(c.metric) : Json(),
          kind_of(one),
          std::isfinite(effect.d_z) ? of_effect(effect.d_z) : Json(),
          is_ranked ? Json(to_decimals(c.superiority, 3)) : Json(),
          effect.n,
          c.lost,
          parameters_saved(one),
          operations_saved(one),
          time_saved(one),
          of_effect(c.p),
          of_effect(c.p_signs)};
}

}  // namespace

std::vector<Judged> needs(const AblationStudy& study) {
  std::vector<Judged> all;
  const AblationVariant* base = study.without({});
  if (study.plan.section.has_named_variants()) {
    for (const AblationVariant& variant : study.variants) {
      if (base != nullptr && &variant != base) all.push_back({variant.id, base, &variant});
    }
    return judged(study, std::move(all));
  }
  for (const std::string& component : study.components) {
    const AblationVariant* without = study.without({component});
    if (base != nullptr && without != nullptr) all.push_back({component, base, without});
  }
  return judged(study, std::move(all));
}

std::vector<Judged> gains_alone(const AblationStudy& study) {
  std::vector<Judged> all;
  const AblationVariant* core = study.with_only({});
  for (const std::string& component : study.components) {
    const AblationVariant* with = study.with_only({component});
    if (core != nullptr && with != nullptr && study.components.size() > 1) all.push_back({component, with, core});
  }
  return judged(study, std::move(all));
}

Json figure(double value) {
  if (!std::isfinite(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0) return 0.0;
  return to_decimals(value, std::clamp(5 - int(std::floor(std::log10(std::abs(value)))), 0, 300));
}

bool is_put_back(const AblationStudy& study) {
  if (study.plan.steps) return false;
  const std::string& design = study.plan.section.design;
  return design == "add_one_in" || (design != "fractional" && needs(study).empty());
}

std::vector<Judged> main_family(const AblationStudy& study) {
  if (study.plan.section.design == "fractional") return main_effects(study);
  if (study.plan.steps) return steps_of(study);
  return is_put_back(study) ? gains_alone(study) : needs(study);
}

double to_decimals(double value, int decimals) {
  const double unit = std::pow(10, decimals);
  return std::round(value * unit) / unit;
}

std::vector<const Judged*> by_effect(const std::vector<Judged>& all) {
  std::vector<const Judged*> order;
  for (const Judged& one : all) order.push_back(&one);
  const auto key = [](const Judged* one) {
    const bool is_ranked = one->found.effect && one->found.verdict != Verdict::invalid;
    return is_ranked ? one->found.effect->mean : -std::numeric_limits<double>::infinity();
  };
  std::stable_sort(order.begin(), order.end(), [&](auto* a, auto* b) { return key(a) > key(b); });
  return order;
}

std::string within_rope(const statistics::AnalysisOptions& analysis) {
  return fmt::format("within ±{:.4g}", analysis.rope);
}

bool is_small(const Contribution& c, const statistics::AnalysisOptions& analysis) {
  const bool is_effect = c.verdict == Verdict::helps || c.verdict == Verdict::hurts;
  return is_effect && analysis.rope > 0 && c.p_equivalence < analysis.alpha;
}

std::string verdict_text(const Contribution& c, const statistics::AnalysisOptions& analysis) {
  std::string text(statistics::word(c.verdict));
  if (c.is_collapsed) return text + ": collapsed";
  if (c.is_unstable) return text + ": unstable";
  if (!c.effect) return text + ": too few pairs";
  if (is_small(c, analysis)) text += " (" + within_rope(analysis) + ")";
  return c.is_disputed ? text + " †" : text;
}

std::string verdict_of(const AblationStudy& study, const Judged& judged) {
  const Change* sides = study.sides_of(judged.component);
  const Verdict verdict = judged.found.verdict;
  const bool is_effect = verdict == Verdict::helps || verdict == Verdict::hurts;
  std::string text = verdict_text(judged.found, study.analysis);
  if (study.names.empty() || sides == nullptr || !is_effect) return text;
  return (verdict == Verdict::helps ? sides->with : sides->without) + " better" +
         text.substr(statistics::word(verdict).size());
}

void add_sides(Table& table, const AblationStudy& study, const std::vector<const Judged*>& rows) {
  const auto has_sides = [&](const Judged* one) { return study.sides_of(one->component) != nullptr; };
  if (!study.names.empty() || std::none_of(rows.begin(), rows.end(), has_sides)) return;
  table.columns.insert(table.columns.end(), {"change", "better"});
  const std::map<std::string, std::string> directions = directions_of(study.plan, study.changes);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Change* sides = study.sides_of(rows[i]->component);
    const Verdict verdict = rows[i]->found.verdict;
    Json better;
    if (sides != nullptr && verdict == Verdict::helps) better = sides->with;
    if (sides != nullptr && verdict == Verdict::hurts) better = sides->without;
    table.rows[i].push_back(sides == nullptr ? Json() : Json(directions.at(rows[i]->component)));
    table.rows[i].push_back(better);
  }
}

std::vector<JudgedPair> judged(std::vector<JudgedPair> pairs, const std::vector<PairRuns>& runs,
                               const statistics::AnalysisOptions& analysis) {
  std::vector<statistics::Crossing> crossings;
  for (const auto& [cells, has_collapsed, gains] : runs)
    crossings.push_back({cells.data(), &cells[1], &cells[2], &cells[3], has_collapsed, gains});
  const auto found = statistics::interactions(crossings, analysis);
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].found = found[i];
  return pairs;
}

namespace {

using FourVariants = std::array<const AblationVariant*, 4>;

PairRuns runs_of(const AblationStudy& study, const FourVariants& all) {
  PairRuns runs;
  for (std::size_t r = 0; r < study.seeds.size(); ++r) {
    if (!std::all_of(all.begin(), all.end(), [&](auto* v) { return v->cells[r].is_decided; })) continue;
    for (std::size_t v = 0; v < all.size(); ++v) runs.cells[v].push_back(all[v]->cells[r].metric);
  }
  runs.has_collapsed = std::any_of(all.begin(), all.end(), [&](auto* v) { return study.is_collapsed(*v); });
  runs.gains = gains_of(study, {{all[0], 1}, {all[1], -1}, {all[2], -1}, {all[3], 1}});
  return runs;
}

}  // namespace

std::vector<JudgedPair> interactions_of(const AblationStudy& study) {
  std::vector<JudgedPair> out;
  std::vector<PairRuns> runs;
  const AblationVariant* base = study.without({});
  for (std::size_t i = 0; base != nullptr && i < study.components.size(); ++i) {
    for (std::size_t j = i + 1; j < study.components.size(); ++j) {
      const std::string &a = study.components[i], &b = study.components[j];
      const FourVariants all{base, study.without({a}), study.without({b}), study.without({a, b})};
      if (std::find(all.begin(), all.end(), nullptr) != all.end()) continue;
      runs.push_back(runs_of(study, all));
      out.push_back({a, b, {}});
    }
  }
  return judged(std::move(out), runs, study.analysis);
}

Json parameters_saved(const Judged& judged) {
  if (judged.with == judged.without) return nullptr;  // an average over many
  return saved(judged.with->parameters, judged.without->parameters);
}

Json operations_saved(const Judged& judged) {
  if (judged.with == judged.without) return nullptr;
  return saved(judged.with->operations, judged.without->operations);
}

Json time_saved(const Judged& judged) {
  if (judged.with == judged.without) return nullptr;
  return saved(usual_seconds(*judged.with, *judged.without), usual_seconds(*judged.without, *judged.with));
}

Table contribution_table(const AblationStudy& study, const std::vector<Judged>& judged, const std::string& title) {
  Table table{title,
              {"component", "verdict", "contribution", "low", "high", "p_corrected", "metric", "kind", "d_z",
               "p_better", "pairs", "lost", "parameters_saved_%", "operations_saved_%", "time_saved_%", "p", "p_signs"},
              {}};
  const std::vector<const Judged*> order = by_effect(judged);
  for (const Judged* one : order) table.rows.push_back(row_of(study, *one));
  constexpr std::size_t kBesideVerdict = 2;
  add_expected(table, order, kBesideVerdict);
  add_sides(table, study, order);
  return table;
}

namespace {

/// Three digits of the largest contribution, for all of them: they stand below one another.
int paper_decimals(const std::vector<Judged>& judged) {
  double largest = 0;
  for (const Judged& one : judged) {
    if (one.found.effect && one.found.verdict != Verdict::invalid)
      largest = std::max(largest, std::abs(one.found.effect->mean));
  }
  return plot::decimals_for(largest) + 1;
}

}  // namespace

Table paper_table(const AblationStudy& study, const std::vector<Judged>& judged) {
  const std::string& correction = study.plan.section.analysis.correction;
  Table table{fmt::format("Contribution of each component to {} of {}", study.metric, study.name),
              {"component", "contribution", fmt::format("{:.0f} % interval", 100 * study.analysis.level), "d_z",
               correction == "none" ? "p" : "p (" + correction + ")", "verdict"},
              {}};
  const int decimals = paper_decimals(judged);
  const std::vector<const Judged*> order = by_effect(judged);
  for (const Judged* one : order) {
    const Contribution& c = one->found;
    if (!c.effect || c.verdict == Verdict::invalid) {
      table.rows.push_back(
          {study.name_of(one->component), nullptr, nullptr, nullptr, nullptr, verdict_of(study, *one)});
      continue;
    }
    table.rows.push_back({study.name_of(one->component), fmt::format("{:+.{}f}", c.effect->mean, decimals),
                          fmt::format("[{:+.{}f}, {:+.{}f}]", c.effect->low, decimals, c.effect->high, decimals),
                          std::isfinite(c.effect->d_z) ? Json(fmt::format("{:.1f}", c.effect->d_z)) : Json(),
                          fmt::format("{:.2g}", c.p_corrected), verdict_of(study, *one)});
  }
  add_expected(table, order, table.columns.size());
  return table;
}

}  // namespace dlrun::report
