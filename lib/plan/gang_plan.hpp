// SPDX-License-Identifier: Apache-2.0
// Several ranks that train one model, as `dlrun check` says it.
#pragma once
#include <optional>
#include <string>

#include "report/report.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::plan {

struct GangPlan {
  std::string summary;   ///< method and ranks, and an epoch's virtual time and traffic
  report::Table memory;  ///< bytes of ranks and servers
};

/// The base trial's ranks; an epoch is played without gradients. nullopt: one machine trains alone.
std::optional<GangPlan> gang_plan(const spec::StudySpec& spec);

/// Bytes that a checkpoint of the base trial holds for its ranks and servers, beside the model.
double gang_bytes(const spec::StudySpec& spec);

}  // namespace dlrun::plan
