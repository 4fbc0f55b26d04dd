// SPDX-License-Identifier: Apache-2.0
// `dlrun place` of a pipeline's workload: the split with the highest throughput.
#pragma once
#include <string>

#include "util/json.hpp"

namespace dlrun::cli {

class Arguments;
class Console;

/// @param file  named in errors    @return the exit status
int place_workload(const Json& json, const std::string& file, const Arguments& arguments, Console& console);

}  // namespace dlrun::cli
