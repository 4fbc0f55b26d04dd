// SPDX-License-Identifier: Apache-2.0
// Rights and limits that whoever runs `dlrun mcp` gives to agents.
#pragma once
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "mcp/tool.hpp"
#include "util/json.hpp"

namespace dlrun::cli::agent {

struct Grant {
  std::filesystem::path store;
  std::filesystem::path root;               ///< specs that are checked and started lie below it; without links
  std::vector<std::filesystem::path> data;  ///< folders where data files are looked for too
  std::set<mcp::Right> rights;
  bool allows_programs = false;   ///< studies may name commands, Python, jobs of Slurm, any file and the environment
  std::int64_t max_trials = 100;  ///< most trials of a study that an agent started, and of its proposals to another
  double max_wall = 3600;         ///< seconds of each start
};

/// @throws Error(usage) for a root that is no folder, and for programs without the right to start
Grant grant_of(const Arguments& arguments);

/// The grant for another process of ours, and back.
Json to_json(const Grant& grant);
Grant grant_in(const Json& json);

}  // namespace dlrun::cli::agent
