// SPDX-License-Identifier: Apache-2.0
// dlrun place bench GRAPH.json...: placers and orders on many graphs, and rules learned from them.
#pragma once
#include <string>
#include <vector>

namespace dlrun::cli {

class Arguments;
class Console;

/// Compares placers and orders on these graphs, and with --learn-rules writes the orders that are best for `auto`.
/// @return 0    @throws Error(usage) for options that change nothing here, or files that are no graphs
int bench_placers(const std::vector<std::string>& files, const Arguments& arguments, Console& console);

}  // namespace dlrun::cli
