// SPDX-License-Identifier: Apache-2.0
// Whether a trial's model can be made and trained at all: found out by the trainer library, printed by `dlrun check
// --build`.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "trial/runner.hpp"

namespace dlrun::trial {

struct BuiltModel {
  bool is_built = false;          ///< data, layers and optimiser are there
  std::int64_t parameters = 0;    ///< trainable numbers of the built module
  bool has_finite_loss = false;   ///< the first step's
  std::vector<std::string> dead;  ///< names of tensors that are to be trained and got no gradient in any step
  std::string place;              ///< where it failed: "building", "batch", "forward of fc1", …
  std::string fault;              ///< message from there; empty: nothing failed
};

Json to_json(const BuiltModel& model);
/// @throws Error(usage) naming what is missing.
BuiltModel built_model(const Json& json);

/// The trainer library's third symbol. @return owned by the caller; null where the ABI differs.
/// @throws Error for a device that is not there; whatever is wrong with the trial is in the answer.
inline constexpr const char* kBuildSymbol = "dlrun_build_trial";
using BuildTrial = BuiltModel* (*)(int abi, const WorkSetup& setup, const PieceOrder& order);

}  // namespace dlrun::trial
