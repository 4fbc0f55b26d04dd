// SPDX-License-Identifier: Apache-2.0
// Random values: the least that a sampler does.
#include "../steady.hpp"

DLRUN_SAMPLER(Steady)
