// SPDX-License-Identifier: Apache-2.0
// The training that follows a search: which configuration, longer, begun with which weights, beside which rivals.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "donors.hpp"
#include "util/json.hpp"

namespace dlrun::cli {

struct FinalRun {
  Json study;                     ///< a study of its own, to be written as YAML
  bool is_compared = false;       ///< an ablation of the warm start: kaiming is its baseline, each rival a variant
  std::vector<std::string> plan;  ///< what is going to happen and why, a line each
};

/// @param final  `final` in its normal form
/// @param name   of the new study
/// @throws Error(usage) where no trial can give weights, saying of each why; Error(not_found).
FinalRun plan_final(const std::filesystem::path& store, const std::string& study, const Json& final,
                    const std::string& name);

}  // namespace dlrun::cli
