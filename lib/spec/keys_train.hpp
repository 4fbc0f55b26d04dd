// SPDX-License-Identifier: Apache-2.0
// The larger sections of a trial of kind `train`, a file each.
#pragma once
#include "recipe/averaging.hpp"
#include "recipe/optimizer.hpp"
#include "recipe/schedule_config.hpp"
#include "spec/keys.hpp"

namespace dlrun::spec {

using recipe::kMostEpochs;
using recipe::optimizer_key;
using recipe::schedule_key;

constexpr int kMostMembers = 1000;  ///< of a trial

Key loss_key();    ///< keys_loss.cpp
Key losses_key();  ///< the same of every output, by its name

const Key& warm_start_key();  ///< keys_warm.cpp

}  // namespace dlrun::spec
