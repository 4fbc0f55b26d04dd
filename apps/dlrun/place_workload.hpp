// SPDX-License-Identifier: Apache-2.0
// `dlrun place` of a pipeline's workload: the split with the highest throughput.
#pragma once
#include "util/json.hpp"

namespace dlrun::cli {

class Arguments;
class Console;

/// @return the exit status
int place_workload(const Json& json, const Arguments& arguments, Console& console);

}  // namespace dlrun::cli
