// SPDX-License-Identifier: Apache-2.0
#include "ablation/plan_maker.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dlrun::ablation {

PlanMaker::PlanMaker(const Section& section, const std::vector<Unit>& units, const DesignPlan& design,
                     const Baseline& baseline, Faults& faults)
    : units_(units), design_(design), maker_(baseline, units, section.capacity_guard), faults_(faults) {
  plan_.section = section;
  plan_.fraction = design.fraction;
  plan_.steps = design.steps;
}

Plan PlanMaker::plan() {
  plan_.variants.push_back(maker_.baseline());
  for (const PlannedVariant& planned : design_.variants) {
    if (!planned.off.empty()) add_variant(planned);  // a variant without components is a fault where it is named
  }
  if (design_.puts_back()) require_start();
  return std::move(plan_);
}

void PlanMaker::add_variant(const PlannedVariant& planned) {
  const Unit& last = units_[planned.off.back()];
  try {
    Variant variant = maker_.make(planned.id, planned.off);
    const auto same = std::find_if(plan_.variants.begin(), plan_.variants.end(),
                                   [&](const Variant& known) { return known.hash == variant.hash; });
    if (same == plan_.variants.end()) return plan_.variants.push_back(std::move(variant));
    add_duplicate(variant, *same, last);
  } catch (const Refused& fault) {
    skip(planned, last, fault);
  }
}

void PlanMaker::add_duplicate(const Variant& variant, const Variant& same, const Unit& last) {
  if (design_.needs_all)
    return faults_.at(
        "ablation.design",
        fmt::format("E231: '{}' is the same as '{}', so their effects cannot be told", variant.id, same.id),
        "take design: pairwise, or leave a component out");
  if (!design_.is_quiet)
    faults_.warn(last.path, fmt::format("E231: '{}' is the same as '{}' and is trained once", variant.id, same.id));
  plan_.duplicates.push_back({variant.id, same.id, variant.components});
}

void PlanMaker::skip(const PlannedVariant& planned, const Unit& last, const Refused& fault) {
  if (planned.off.size() == 1 && !design_.puts_back())
    return faults_.refuse(join(last.path, last.kind()), fault.code(), fault);
  // Components that are put back alone are compared with the core, in which all components are off.
  const bool is_core = plan_.section.design == "add_one_in" && planned.off.size() == units_.size();
  if (design_.needs_all || is_core)
    return faults_.at("ablation.design", fmt::format("this design needs '{}': {}", planned.id, fault.what()),
                      fault.hint());
  if (!design_.is_quiet)
    faults_.warn(last.path, fmt::format("'{}' is left out of the design: {}", planned.id, fault.what()), fault.hint());
  plan_.skipped.push_back({planned.id, fault.what()});
}

/// A path begins with a variant, the one with all components left out.
void PlanMaker::require_start() {
  for (const Skipped& one : plan_.skipped) {
    if (one.id == "start")
      faults_.at("ablation.design", fmt::format("the start of the path cannot be: {}", one.reason));
  }
}

}  // namespace dlrun::ablation
