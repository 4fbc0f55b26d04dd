// SPDX-License-Identifier: Apache-2.0
// `search: {learn_from: […]}`: what the trials of earlier studies say of this one's space.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "spec/study_spec.hpp"

namespace dlrun::driver {

struct Lessons {
  std::vector<study::Learned> studies;  ///< in the order of learn_from
  std::vector<std::string> warnings;    ///< domains that do not meet, parameters that are new
};

/// Reads the studies that a new one learns from. Taken are trials that ended with a value or failed for good, whose
/// values lie in this study's domains.
/// @throws Error(usage) naming every fault: no such study in the store, other objectives, domains that contradict.
Lessons learn(const spec::StudySpec& spec, const std::filesystem::path& folder);

/// "41 of 50 trials of 'first'; left out: 6 'lr' is outside of its domain, 3 not over"
std::string describe(const study::Learned& learned);

}  // namespace dlrun::driver
