// SPDX-License-Identifier: Apache-2.0
// Files that are placed: graphs of layers, workloads of pipelines, or studies; and files of rules for graphs.
#pragma once
#include <string>

#include "placement/graph.hpp"
#include "placement/rules.hpp"
#include "placement/workload.hpp"

namespace dlrun::cli {

/// By the ending of its name.
bool is_study(const std::string& file);

/// @param file  named in errors    @throws Error(usage) for JSON that is no graph
placement::Graph graph_of(const Json& json, const std::string& file);

/// @param file  named in errors    @throws Error(usage) for JSON that is no pipeline's workload
placement::Workload workload_of(const Json& json, const std::string& file);

/// @throws Error(usage) for a file without rules
placement::Rules rules_in(const std::string& file);

}  // namespace dlrun::cli
