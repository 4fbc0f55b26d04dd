// SPDX-License-Identifier: Apache-2.0
// Sections of a report by their names.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace dlrun::cli {

struct Wishes {
  int top = 10;                   ///< trials in the section `best`
  std::string method = "fanova";  ///< for the section `importance`
  report::Audience audience = report::Audience::programs;
  std::string objective = {};  ///< metric that importances are for; empty: the first
};

/// Refuses wishes that none of the sections follows. @param mark  before names: "--"
/// @throws Error(usage) with the section that would follow the wish
void require_followed(const std::vector<std::string>& sections, const std::function<bool(const std::string&)>& has_wish,
                      const std::string& mark);

/// REQUIRES: there is a section of that name. @throws Error(usage) where the studies have none of it
std::vector<report::Table> section(const report::Reader& reader, const std::string& name, const Wishes& wishes);

}  // namespace dlrun::cli
