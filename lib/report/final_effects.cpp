// SPDX-License-Identifier: Apache-2.0
#include "report/final_effects.hpp"

#include <algorithm>
#include <cmath>

#include "statistics/corrections.hpp"
#include "statistics/equivalence.hpp"

namespace dlrun::report {

namespace {

std::optional<double> logarithm_of_epochs(const FinalTraining& t) {
  return std::log(std::max(1.0, *epochs_to_target(t)));
}

/// first - second, by seed.
std::vector<double> differences(const FinalArm& first, const FinalArm& second, const Read& read) {
  std::vector<double> out;
  for (const auto& [seed, training] : first.trainings) {
    const auto other = second.trainings.find(seed);
    if (other == second.trainings.end()) continue;
    const auto a = read(training), b = read(other->second);
    if (a && b) out.push_back(*a - *b);
  }
  return out;
}

FinalEffects judged_by(const FinalStudy& study,
                       const std::function<std::vector<double>(const FinalArm&)>& differences_of) {
  FinalEffects out;
  for (std::size_t i = 1; i < study.arms.size(); ++i)
    out.effects.push_back(statistics::effect_of(differences_of(study.arms[i])));
  out.p = corrected(out.effects, [](const statistics::Effect& effect) { return effect.p; });
  return out;
}

}  // namespace

std::optional<double> epochs_to_target(const FinalTraining& t) {
  return t.has_reached ? t.reached + t.overhead : t.reached;
}
std::optional<double> metric_at_end(const FinalTraining& t) {
  return t.curve.empty() ? std::nullopt : std::optional(t.curve.back());
}
std::optional<double> metric_of_test(const FinalTraining& t) { return t.test; }

std::ptrdiff_t reaching_of(const FinalArm& arm) {
  return std::count_if(arm.trainings.begin(), arm.trainings.end(),
                       [](const auto& one) { return one.second.has_reached; });
}

std::vector<double> values_by(const FinalArm& arm, const Read& read) {
  std::vector<double> out;
  for (const auto& [seed, training] : arm.trainings) {
    if (const auto value = read(training)) out.push_back(*value);
  }
  return out;
}

std::vector<double> corrected(const Effects& effects, const std::function<double(const statistics::Effect&)>& p_of) {
  std::vector<double> raw, out;
  for (const auto& effect : effects) {
    if (effect) raw.push_back(p_of(*effect));
  }
  const std::vector<double> all = statistics::holm(raw);
  std::size_t next = 0;
  for (const auto& effect : effects) out.push_back(effect ? all[next++] : 1);
  return out;
}

FinalEffects speed_ups(const FinalStudy& study) {
  const FinalArm& fresh = study.arms.front();
  return judged_by(study, [&](const FinalArm& arm) { return differences(fresh, arm, logarithm_of_epochs); });
}

FinalEffects changes_by(const FinalStudy& study, const Read& read) {
  const FinalArm& fresh = study.arms.front();
  return judged_by(study, [&](const FinalArm& arm) { return differences(arm, fresh, read); });
}

std::vector<double> equivalence_p(const FinalStudy& study, const Effects& effects) {
  return corrected(
      effects, [&](const statistics::Effect& effect) { return statistics::equivalence_p(effect, study.points / 100); });
}

bool has_test(const FinalStudy& study) {
  return std::any_of(study.arms.begin(), study.arms.end(),
                     [](const FinalArm& arm) { return !values_by(arm, metric_of_test).empty(); });
}

}  // namespace dlrun::report
