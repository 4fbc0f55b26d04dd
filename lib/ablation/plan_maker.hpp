// SPDX-License-Identifier: Apache-2.0
// The variants of a design, each built or listed with the reason why it is not trained.
#pragma once
#include "ablation/planner.hpp"
#include "ablation/refused.hpp"
#include "ablation/variants.hpp"

namespace dlrun::ablation {

/// A component that cannot be left out is a fault; two that cannot be left out together are listed.
class PlanMaker {
 public:
  /// All must outlive it.
  PlanMaker(const Section& section, const std::vector<Unit>& units, const DesignPlan& design, const Baseline& baseline,
            Faults& faults);

  /// The plan without settings that are held; faults go to their places.
  Plan plan();

 private:
  void add_variant(const PlannedVariant& planned);
  void add_duplicate(const Variant& variant, const Variant& same, const Unit& last);
  void skip(const PlannedVariant& planned, const Unit& last, const Refused& fault);
  void require_start();

  const std::vector<Unit>& units_;
  const DesignPlan& design_;
  VariantMaker maker_;
  Faults& faults_;
  Plan plan_;
};

}  // namespace dlrun::ablation
