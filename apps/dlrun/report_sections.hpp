// SPDX-License-Identifier: Apache-2.0
// Sections of a report by their names.
#pragma once
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

/// REQUIRES: there is a section of that name. @throws Error(usage) where the studies have none of it
std::vector<report::Table> section(const report::Reader& reader, const std::string& name, const Wishes& wishes);

}  // namespace dlrun::cli
