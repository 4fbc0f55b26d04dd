// SPDX-License-Identifier: Apache-2.0
// The parts of a configuration: each is read from its section of the trial, and written for the fingerprint.
#pragma once
#include "train/config.hpp"
#include "trial/section.hpp"

namespace dlrun::train {

using recipe::read_schedule;
using trial::kHuge;
using trial::Section;

}  // namespace dlrun::train
