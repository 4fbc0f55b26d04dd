// SPDX-License-Identifier: Apache-2.0
// The order of a schedule that CP-SAT found.
#pragma once
#include "exact/scheduling_model.hpp"

namespace dlrun::exact {

/// Turns of devices and links as the values have them. The model lets what takes no whole tick begin at any time, on a
/// busy device too, so such a task takes its turn as soon as its inputs have come.
/// @param values  of all variables of the model
Turns turns_of(const SchedulingModel& model, const Step& step, const Cluster& cluster,
               const std::vector<std::int64_t>& values);

}  // namespace dlrun::exact
