// SPDX-License-Identifier: Apache-2.0
// Costs of a training step of one trial, layer by layer: measured by the trainer library, printed by `dlrun profile`.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "trial/runner.hpp"

namespace dlrun::trial {

struct ProfileOptions {
  std::int64_t steps = 30;   ///< measured; each time is the median over them
  std::int64_t warmup = 10;  ///< steps before: the first ones allocate
  std::int64_t busy = 0;     ///< threads that train the same trial meanwhile, as other devices of the machine would
};

struct LayerProfile {
  std::string name, op;
  double forward = 0, backward = 0;  ///< seconds a step
  std::int64_t parameters = 0;       ///< trainable numbers
  std::int64_t activation = 0;       ///< bytes of the output of a batch; 0 where it shares an input's memory
  std::int64_t operations = 0;       ///< multiply-adds of a batch's forward pass
};

/// Seconds of a step outside of the layers and in them.
struct PhaseProfile {
  std::string name;  ///< batch | forward | loss | backward | optimizer
  double seconds = 0;
};

struct ModelProfile {
  std::vector<LayerProfile> layers;  ///< in the order they run
  std::vector<PhaseProfile> phases;
  double step = 0;            ///< seconds of a whole step
  std::int64_t batch = 0;     ///< examples in it
  std::int64_t steps = 0;     ///< measured
  std::int64_t peak_rss = 0;  ///< bytes of the whole process, data and libraries included
  Runtime runtime;
};

Json to_json(const ModelProfile& profile);
/// @throws Error(usage) naming what is missing.
ModelProfile model_profile(const Json& json);

/// The trainer library's second symbol. @return owned by the caller; null where the ABI differs.
/// @throws Error as a runner.
inline constexpr const char* kProfileSymbol = "dlrun_profile_trial";
using ProfileTrial = ModelProfile* (*)(int abi, const WorkSetup& setup, const PieceOrder& order,
                                       const ProfileOptions& options);

}  // namespace dlrun::trial
