// SPDX-License-Identifier: Apache-2.0
// Studies that an agent names: read within the root, and held to the limits that it was given.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "agent/grant.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::cli::agent {

/// A study as an agent names it: a file, or a text.
struct Order {
  std::string file;                      ///< counts from the root
  std::string over = {};                 ///< file with `ablation:`; empty: none
  std::vector<std::string> sets = {};    ///< KEY=VALUE
  std::optional<std::string> text = {};  ///< in place of the file
};

struct Guarded {
  spec::StudySpec spec;
  std::vector<std::string> warnings;
  std::vector<std::string> sets;  ///< with those that the limits added
};

/// Reads a study to check it. @throws Error for faults, and for files outside of the root
Guarded read_guarded(const Order& order, const Grant& grant);

/// Reads a study to start it: limits.trials and limits.wall are at most those of the grant.
/// @throws as read_guarded(); Error(usage) for programs that the grant does not allow, and for more trials
Guarded read_bounded(const Order& order, const Grant& grant);

/// Full name of a file below the root.
std::filesystem::path below_root(const std::string& file, const Grant& grant);

}  // namespace dlrun::cli::agent
