// SPDX-License-Identifier: Apache-2.0
#include "ablation/cells.hpp"

#include <algorithm>

#include "ablation/claims.hpp"

namespace dlrun::ablation {

namespace {

constexpr std::int64_t kMostLanes = 4096;  // as many as `search.lanes` may be

Json parameter(const char* name, const char* type, Json choices, Json at = nullptr, Json when = nullptr) {
  return {{"name", name}, {"type", type}, {"choices", std::move(choices)}, {"at", at}, {"when", when}};
}

/// The parameters that tell tuning from comparison.
Json tuning_parameters(const Section& section) {
  Json numbers = Json::array();
  for (std::int64_t k = 1; k <= section.tunings(); ++k) numbers.push_back(k);
  return {parameter(kPurpose, "categorical", {kComparison, kTuning}),
          parameter(kTuning, "ordinal", numbers, "first_replicate", {{kPurpose, {kTuning}}})};
}

Json replicate_parameter(const Plan& plan) {
  const Section& section = plan.section;
  const Replicates& replicates = section.replicates;
  Json out = parameter(kReplicate, "ordinal", replicates.numbers(), "first_replicate");
  if (!replicates.vary && !replicates.seeds && plan.folds == 0) {
    out.update({{"type", "int"}, {"low", 1}, {"high", replicates.n}, {"scale", "linear"}, {"step", nullptr}});
    out.erase("choices");
  }
  if (section.retune) out["when"] = {{kPurpose, {kComparison}}};
  return out;
}

/// The baseline first, then the longest, so that a replicate ends as early as it can; of a race as written, where the
/// first of equal ones leads.
Json cell_order(const Plan& plan) {
  std::vector<const Variant*> order;
  for (const Variant& variant : plan.variants) order.push_back(&variant);
  if (!plan.section.is_race())
    std::stable_sort(order.begin() + 1, order.end(), [](const Variant* a, const Variant* b) {
      return a->operations && b->operations && *a->operations > *b->operations;
    });
  Json ids = Json::array();
  for (const Variant* variant : order) ids.push_back(variant->id);
  return ids;
}

/// The settings, each under the condition that the variant has it.
Json conditioned(const Json& settings, const std::vector<Variant>& variants) {
  Json out = settings;
  for (Json& setting : out) {
    Json having = Json::array();
    for (const Variant& variant : variants) {
      if (!variant.held.contains(setting["name"].get<std::string>())) having.push_back(variant.id);
    }
    if (having.size() < variants.size()) setting["when"][kVariant] = having;
  }
  return out;
}

/// Settings of choice `id`; null if the parameter's `at` is all that it sets.
Json cell_edits(const Plan& plan, std::uint64_t seed, const space::Parameter& parameter, const Json& id) {
  if (parameter.name == kVariant) return variant_edits(plan, id);
  if (parameter.name == kPurpose) return Json::object();
  if (parameter.name == kTuning) return tuning_edits(plan, seed, id);
  if (parameter.name != kReplicate) return nullptr;
  Json edits = replicate_edits(plan, seed, id);
  if (edits.empty()) return nullptr;
  edits[parameter.at] = id;
  return edits;
}

}  // namespace

Json cell_space(const Plan& plan, const Json& constants, const Json& settings) {
  Json space = constants;
  const auto append = [&](const Json& more) { space.insert(space.end(), more.begin(), more.end()); };
  if (plan.section.retune) append(tuning_parameters(plan.section));
  space.push_back(replicate_parameter(plan));
  space.push_back(parameter(kVariant, "categorical", cell_order(plan)));
  append(conditioned(settings, plan.variants));
  return space;
}

std::int64_t lanes_of(const Plan& plan) {
  const Section& section = plan.section;
  const std::size_t together =  // in a round all that it tries, and the variant that it starts from
      plan.has_rounds() ? plan.steps->components.size() + 1 : plan.variants.size();
  if (section.is_race()) return std::min(kMostLanes, std::int64_t(together));  // a replicate waits for the one before
  const std::int64_t tries = section.retune ? section.retune->trials * section.tunings() : 0;
  const std::int64_t runs = std::max(std::int64_t(section.replicates.numbers().size()), tries);
  return std::min(kMostLanes, runs * std::int64_t(together));
}

bool is_cell(const std::string& name) {
  return name == kVariant || name == kReplicate || name == kPurpose || name == kTuning;
}

Json variant_edits(const Plan& plan, const Json& id) {
  for (const Variant& variant : plan.variants) {
    if (id == variant.id) return variant.edits;
  }
  return Json::object();
}

Json replicate_edits(const Plan& plan, std::uint64_t seed, const Json& number) {
  if (plan.folds > 0) return {{"data.split.fold", fold_of(plan, number.get<std::int64_t>())}};
  if (!plan.section.has_own_splits()) return Json::object();
  return {{"data.split.seed", seed + number.get<std::uint64_t>()}};
}

Json tuning_edits(const Plan& plan, std::uint64_t seed, const Json& number) {
  if (!number.is_number_integer() || !plan.section.retune) return Json::object();
  const std::int64_t replicate = kFirstTuning + 1 - number.get<std::int64_t>();
  Json edits = replicate_edits(plan, seed, replicate);
  edits["first_replicate"] = replicate;
  return edits;
}

space::Space with_edits(const space::Space& plain, const Plan& plan, std::uint64_t seed) {
  std::vector<space::Parameter> parameters = plain.parameters();
  for (space::Parameter& parameter : parameters) {
    for (const Json& id : parameter.choices) {
      Json edits = cell_edits(plan, seed, parameter, id);
      if (!edits.is_null()) parameter.edits.push_back(std::move(edits));
    }
  }
  return space::Space(std::move(parameters), plain.constraints());
}

}  // namespace dlrun::ablation
