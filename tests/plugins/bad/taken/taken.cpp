// SPDX-License-Identifier: Apache-2.0
#include "../steady.hpp"

DLRUN_SAMPLER(Steady)
