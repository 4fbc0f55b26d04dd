// SPDX-License-Identifier: Apache-2.0
// Whether what a model would take of a donor is enough to begin with.
#pragma once
#include <optional>
#include <string>

#include "warmstart/settings.hpp"
#include "warmstart/transfer.hpp"

namespace dlrun::warmstart {

struct Misfit {
  std::string fault;  ///< E402, E404, E405, E407 or E408, and what differs
  std::string help;   ///< a setting, or another donor, with which the training could begin
};

/// Why no training can begin so; nullopt: it can. E402 where too little would be copied: nothing at all, or less than
/// `min_fraction` of policy `partial`.
std::optional<Misfit> misfit_of(const WarmStart& start, const TransferPlan& plan);

}  // namespace dlrun::warmstart
