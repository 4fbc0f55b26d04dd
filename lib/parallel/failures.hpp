// SPDX-License-Identifier: Apache-2.0
// Losses of ranks in virtual time: when they come, and what they cost a gang that begins its epoch again.
#pragma once
#include <cstdint>
#include <optional>

#include "parallel/env.hpp"
#include "parallel/speed.hpp"

namespace dlrun::parallel {

/// Thrown by a virtual cluster at the moment of the loss; nothing more can be done with it but to end it.
struct RankLost {
  int process;
};

struct Loss {
  int process = 0;
  double at = 0;  ///< seconds of the epoch
};

/// Losses that advance() of a virtual cluster reports.
enum class Losing {
  none,
  others,  ///< not that of the first process
  any
};

/// The first loss of the epoch among ranks that the gang has: of those that `failures` names, and of those that `mtbf`
/// draws. Failures of a rank are a Poisson process.
std::optional<Loss> first_loss(const ClusterConfig& config, const Gang& gang, const Era& era, Losing losing);

/// A gang that stands still until all lost ranks are back.
struct Wait {
  double seconds = 0;
  std::int64_t losses = 0;
};

/// The wait after a loss. Ranks that `failures` names for a time within it are lost too, and waited for; `mtbf` draws
/// none, for it counts time at work.
/// @param began  virtual seconds before the epoch
Wait wait_after(const ClusterConfig& config, const Gang& gang, double began, const Loss& loss);

}  // namespace dlrun::parallel
