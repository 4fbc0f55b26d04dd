// SPDX-License-Identifier: Apache-2.0
// Patterns and renames of `warm_start:` as rules for tensors.
#pragma once
#include "warmstart/settings.hpp"
#include "warmstart/transfer.hpp"

namespace dlrun::warmstart {

/// @throws Error(usage) where a pattern is no regular expression, saying which.
TransferRules transfer_rules(const WarmStart& start);

}  // namespace dlrun::warmstart
