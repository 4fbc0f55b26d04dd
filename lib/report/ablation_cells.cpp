// SPDX-License-Identifier: Apache-2.0
#include "report/ablation_cells.hpp"

#include <algorithm>
#include <cmath>

#include "ablation/analysis.hpp"
#include "ablation/component_checks.hpp"
#include "ablation/plan_json.hpp"
#include "recipe/metric_direction.hpp"
#include "report/ablation_examples.hpp"
#include "statistics/summary.hpp"
#include "trial/kinds.hpp"
#include "trial/trial.hpp"
#include "util/error.hpp"

namespace dlrun::report {

namespace {

using trial::TrialState;

/// Components in the order in which variants first name them: that of the design.
std::vector<std::string> components_of(const std::vector<AblationVariant>& variants) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& id) {
    if (std::find(all.begin(), all.end(), id) == all.end()) all.push_back(id);
  };
  for (const AblationVariant& variant : variants) {
    for (const std::string& id : variant.components) add(id);
  }
  return all;
}

/// The metric that is analysed, of each trial that measured it where its objective is from; the mean of its members.
constexpr const char* kOtherMetric =
    "SELECT avg(m.value) FROM dl_metric m JOIN dl_metric_name n ON n.metric = m.metric JOIN dl_trial t "
    "ON t.trial = m.trial WHERE m.trial = ? AND n.name = ? AND m.step = t.objective_step";

/// A further objective is measured by its own `at`, and so told.
std::optional<double> other_metric(const OpenedStudy& opened, std::int64_t trial, const std::string& metric) {
  const auto own = std::find_if(opened.further.begin(), opened.further.end(),
                                [&](const Goal& goal) { return goal.metric == metric; });
  if (own != opened.further.end()) {
    const Json value = further_values(opened, trial)[std::size_t(own - opened.further.begin())];
    return value.is_null() ? std::nullopt : std::optional(value.get<double>());
  }
  storage::Statement row = opened.query(kOtherMetric);
  row.bind(trial, metric);
  if (!row.step() || row.is_null(0)) return std::nullopt;
  return row.real(0);
}

void take_trial(const OpenedStudy& opened, storage::Statement& row, AblationStudy& study) {
  const std::string id = to_text(cell(row, 4)), seed = to_text(cell(row, 5));
  const auto variant = std::find_if(study.variants.begin(), study.variants.end(),
                                    [&](const AblationVariant& v) { return to_text(Json(v.id)) == id; });
  const auto replicate = std::find(study.seeds.begin(), study.seeds.end(), seed);
  if (variant == study.variants.end() || replicate == study.seeds.end()) return;
  AblationCell& place = variant->cells[std::size_t(replicate - study.seeds.begin())];
  const auto state = TrialState(row.integer(1));
  const bool is_over = state == TrialState::completed || state == TrialState::failed || state == TrialState::cancelled;
  if (!is_over || place.metric) return;
  place = {true, std::nullopt, row.real(3), row.integer(0)};
  place.has_ended_well = state == TrialState::completed;
  if (!place.has_ended_well) return;
  if (study.metric != opened.metric) place.metric = other_metric(opened, place.trial, study.metric);
  if (study.metric == opened.metric && !row.is_null(2)) place.metric = row.real(2);
}

void take_trials(const OpenedStudy& opened, AblationStudy& study) {
  storage::Statement row = opened.query(
      "SELECT t.trial, t.state, t.objective, t.seconds, v.value, r.value FROM dl_trial t "
      "JOIN v_params v ON v.trial = t.trial AND v.name = 'variant' "
      "JOIN v_params r ON r.trial = t.trial AND r.name = 'replicate' ORDER BY t.trial");
  while (row.step()) take_trial(opened, row, study);
}

void take_citations(const OpenedStudy& opened, AblationStudy& study) {
  if (!opened.has_column("v_edges", "from_study")) return;
  storage::Statement row = opened.query(
      "SELECT from_study, count(DISTINCT trial) FROM dl_edge WHERE kind = 'cited_from' GROUP BY from_study");
  while (row.step()) study.cited[std::string(row.text(0))] = row.integer(1);
}

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

/// Examples that the metric is of.
std::int64_t examples_of(const AblationStudy& study) {
  const Json data = study.spec.value("derived", Json::object()).value("data", Json::object());
  return data.value(study.metric.substr(0, study.metric.find('.')), std::int64_t(0));
}

/// Accuracy of always saying the most frequent class; in a study without counts, as if all were as frequent.
double guess_of(const AblationStudy& study, std::int64_t classes) {
  const std::string split = study.metric.substr(0, study.metric.find('.'));
  const auto share = study.plan.majority.find(split);
  return share == study.plan.majority.end() ? 1.0 / double(classes) : share->second;
}

bool is_guessing(const AblationStudy& study, const AblationVariant& variant) {
  if (!study.metric.ends_with(".accuracy")) return false;
  const Json data = study.spec.value("derived", Json::object()).value("data", Json::object());
  const auto classes = data.value("classes", std::int64_t(0));
  const std::int64_t examples = examples_of(study);
  const std::vector<double> measured = measured_of(variant);
  if (classes < 2 || examples < 1 || measured.empty()) return false;
  const double guess = guess_of(study, classes);
  return statistics::mean(measured) <= guess + std::sqrt(guess * (1 - guess) / double(examples));
}

}  // namespace

const std::string& AblationStudy::name_of(const std::string& component) const {
  const auto name = names.find(component);
  return name == names.end() ? component : name->second;
}

const Change* AblationStudy::sides_of(const std::string& component) const {
  const auto change = changes.find(component);
  return change == changes.end() || !change->second.has_sides() ? nullptr : &change->second;
}

const AblationVariant* AblationStudy::without(const std::vector<std::string>& off) const {
  const auto found = std::find_if(variants.begin(), variants.end(), [&](const AblationVariant& variant) {
    return sorted(variant.components) == sorted(off);
  });
  return found == variants.end() ? nullptr : &*found;
}

const AblationVariant* AblationStudy::with_only(const std::vector<std::string>& on) const {
  std::vector<std::string> off;
  for (const std::string& component : components) {
    if (std::find(on.begin(), on.end(), component) == on.end()) off.push_back(component);
  }
  return without(off);
}

statistics::Comparison AblationStudy::compared(const AblationVariant& with, const AblationVariant& without) const {
  statistics::Comparison out;
  for (std::size_t r = 0; r < seeds.size(); ++r) {
    if (!with.cells[r].is_decided || !without.cells[r].is_decided) continue;
    out.with.push_back(with.cells[r].metric);
    out.without.push_back(without.cells[r].metric);
  }
  out.has_collapsed = is_collapsed(with) || is_collapsed(without);
  out.gains = gains_of(*this, {{&with, 1}, {&without, -1}});
  return out;
}

bool AblationStudy::is_collapsed(const AblationVariant& variant) const {
  const bool is_still = analysis.constant_is_collapsed && statistics::is_constant(cells_of(variant));
  return is_still || is_guessing(*this, variant);
}

bool runs_programs(const AblationStudy& study) {
  return trial::runs_program(study.spec.value("trial", Json::object()).value("kind", "train"));
}

statistics::Cells cells_of(const AblationVariant& variant) {
  statistics::Cells cells;
  for (const AblationCell& cell : variant.cells) {
    if (cell.is_decided) cells.push_back(cell.metric);
  }
  return cells;
}

std::vector<double> measured_of(const AblationVariant& variant) {
  std::vector<double> measured;
  for (const AblationCell& cell : variant.cells) {
    if (cell.metric) measured.push_back(*cell.metric);
  }
  return measured;
}

std::size_t open_cells(const AblationStudy& study) {
  if (study.plan.has_rounds()) return 0;           // sets that no round came to
  if (study.plan.section.is_race()) return 0;      // a variant that dropped out gets no more
  if (!study.analysis.looks.at.empty()) return 0;  // a settled variant gets no more
  std::size_t open = 0;
  for (const AblationVariant& variant : study.variants) {
    open +=
        std::size_t(std::count_if(variant.cells.begin(), variant.cells.end(), [](auto& c) { return !c.is_decided; }));
  }
  return open;
}

namespace {

/// Whether equal values say that predictions are constant: not where each replicate has other examples, nor where the
/// share of the most frequent class, which is_guessing knows, does so better.
bool tells_by_equality(const AblationStudy& study) {
  const std::string split = study.metric.substr(0, study.metric.find('.'));
  const bool has_counts = study.metric.ends_with(".accuracy") && study.plan.majority.contains(split);
  return study.plan.folds == 0 && !study.plan.section.has_own_splits() && !has_counts;
}

/// Where variants begin with what the baseline learned, a replicate whose baseline failed has failed for all.
void lose_without_baseline(AblationStudy& study) {
  const AblationVariant* base = study.without({});
  if (!study.plan.section.starts_from_baseline() || base == nullptr) return;
  for (std::size_t r = 0; r < study.seeds.size(); ++r) {
    if (!base->cells[r].is_decided || base->cells[r].has_ended_well) continue;
    for (AblationVariant& variant : study.variants) variant.cells[r].is_decided = true;
  }
}

/// An objective has its direction, another metric the one that its name tells; of older studies, less where it does
/// not.
bool is_maximized(const OpenedStudy& opened, const AblationStudy& study) {
  if (study.metric == opened.metric) return opened.maximize;
  const std::string own = ablation::objective_direction(study.spec, study.metric);
  if (!own.empty()) return own == "maximize";
  return study.plan.maximizes_plugin || recipe::direction_of(study.metric) == "maximize";
}

AblationStudy read_study(const OpenedStudy& opened) {
  AblationStudy study;
  study.spec = opened.spec();
  auto plan = ablation::plan_of(study.spec);
  if (!plan) {
    throw Error(ErrorKind::usage, "study '" + opened.name + "' is no ablation",
                "`dlrun ablate` trains a model without its parts");
  }
  study.name = opened.name;
  study.plan = std::move(*plan);
  const std::string& metric = study.plan.section.analysis.metric;
  study.metric = metric.empty() ? opened.metric : metric;
  study.maximize = is_maximized(opened, study);
  for (const std::int64_t seed : study.plan.section.replicates.numbers()) study.seeds.push_back(std::to_string(seed));
  for (const ablation::Variant& variant : study.plan.variants) {
    study.variants.push_back({variant, std::vector<AblationCell>(study.seeds.size())});
  }
  study.components = components_of(study.variants);
  study.analysis = ablation::analysis_options(study.plan, study.spec, study.maximize);
  study.analysis.constant_is_collapsed = study.analysis.constant_is_collapsed && tells_by_equality(study);
  study.changes = changes_of(study.plan, study.spec, study.components);
  take_trials(opened, study);
  if (!study.plan.section.is_race()) {
    lose_without_baseline(study);
    lose_untuned(opened, study);
  }
  take_citations(opened, study);
  take_examples(opened, study);
  return study;
}

}  // namespace

AblationStudy ablation_study(const OpenedStudy& opened) {
  if (!opened.remembered) return read_study(opened);
  auto& known = opened.remembered->ablation;
  if (!known) known = std::make_shared<const AblationStudy>(read_study(opened));
  return *known;
}

}  // namespace dlrun::report
