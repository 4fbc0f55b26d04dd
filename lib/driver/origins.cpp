// SPDX-License-Identifier: Apache-2.0
#include "driver/origins.hpp"

#include "ablation/cells.hpp"
#include "ablation/race.hpp"
#include "trial/trial_name.hpp"

namespace dlrun::driver {

namespace {

constexpr const char* kKind = "ablated_from";

/// A trial of a search by its name, "digits/17".
std::optional<storage::Origin> found_by_search(const std::string& text) {
  const auto found = trial::trial_name(text);
  return found ? std::optional(storage::Origin{kKind, found->trial, found->study}) : std::nullopt;
}

}  // namespace

Origins::Origins(const spec::StudySpec& spec, const study::Study& study) : spec_(spec), study_(study) {
  if (!spec.ablation) return;
  variant_ = spec.space.find(ablation::kVariant);
  replicate_ = spec.space.find(ablation::kReplicate);
}

std::optional<std::int64_t> Origins::replicate_of(const space::Values& values) const {
  if (!replicate_) return 0;
  if (!spec_.space.is_active(*replicate_, values)) return std::nullopt;
  return spec_.space.index_of(*replicate_, values[*replicate_]);
}

void Origins::learn_baselines() {
  for (; next_ < study_.trial_count(); ++next_) {
    const trial::TrialId id(next_);
    const space::Values values = study_.trial(id).values;
    const auto replicate = replicate_of(values);
    const bool is_baseline = spec_.space.index_of(*variant_, values[*variant_]) == 0;
    if (is_baseline && replicate) baselines_.try_emplace(*replicate, id);
  }
}

std::optional<storage::Origin> Origins::candidate(std::int64_t variant) const {
  const auto id = spec_.space.parameters()[*variant_].choices.at(std::size_t(variant)).get<std::string>();
  const auto trial = ablation::contender_trial(spec_.ablation->section, id);
  return trial ? std::optional(storage::Origin{kKind, trial::TrialId(*trial), *spec_.winner->of}) : std::nullopt;
}

std::optional<storage::Origin> Origins::of(trial::TrialId trial) {
  if (!variant_) return std::nullopt;
  learn_baselines();
  const space::Values values = study_.trial(trial).values;
  const auto replicate = replicate_of(values);
  if (!replicate) return std::nullopt;
  const std::int64_t variant = spec_.space.index_of(*variant_, values[*variant_]);
  if (variant == 0) return found_by_search(spec_.ablation->section.from.value_or(""));
  if (spec_.winner && spec_.winner->of) return candidate(variant);
  const auto baseline = baselines_.find(*replicate);
  if (baseline == baselines_.end()) return std::nullopt;
  return storage::Origin{kKind, baseline->second, {}};
}

}  // namespace dlrun::driver
