// SPDX-License-Identifier: Apache-2.0
// Libraries and processor that this process computes with, for the lineage.
#pragma once
#include "trial/runner.hpp"

namespace dlrun::train {

/// libtorch reads files to find out what the processor can, and computes otherwise where it cannot open them. Once it
/// has looked it does not look again. @throws Error(outside) where it found less than the processor has.
void require_capability();

/// To be asked once thread count and instruction set are settled. The numerics class is libtorch's version, kind of
/// device, threads, instruction set and whether it is capped (`portable`); of a GPU also its name, for another model
/// may add in another order, and whether its algorithms are deterministic.
trial::Runtime describe_runtime(const trial::WorkSetup& setup);

}  // namespace dlrun::train
