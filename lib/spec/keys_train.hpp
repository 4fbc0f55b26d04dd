// SPDX-License-Identifier: Apache-2.0
// Sections of a trial of kind `train`; most are tables of lib/recipe.
#pragma once
#include "recipe/averaging.hpp"
#include "recipe/loss.hpp"
#include "recipe/optimizer.hpp"
#include "recipe/schedule_config.hpp"
#include "recipe/training.hpp"
#include "spec/keys.hpp"
#include "trial/trial.hpp"

namespace dlrun::spec {

using recipe::kMostEpochs;
using recipe::loss_key;
using recipe::losses_key;
using recipe::optimizer_key;
using recipe::schedule_key;
using recipe::training_key;
using trial::kMostMembers;

const Key& warm_start_key();     ///< keys_warm.cpp
const Key& program_start_key();  ///< keys_warm.cpp

}  // namespace dlrun::spec
