// SPDX-License-Identifier: Apache-2.0
// Rows that a donor has trained on, in a final training that divides its data otherwise.
#pragma once
#include <cstdint>
#include <string>

#include "util/json.hpp"

namespace dlrun::warmstart {

/// How a study divides the rows of its data.
struct Division {
  Json trial;              ///< a trial's configuration, in normal form
  std::uint64_t seed = 0;  ///< the study's
};

/// Place by which rows that the donor has trained on may validate or test now: "data.split.seed". Empty: none can, for
/// rows are divided as before, more of them train, or the data are others.
std::string leak(const Division& donor, const Division& now);

/// Refusal of such a final training, and what helps.
/// @param donors  "weights of the search"
std::string leak_text(const std::string& donors, const std::string& place);
inline constexpr const char* kLeakHelp =
    "leave that as it was, or warm_start: {policy: none}, which begins with fresh weights";

}  // namespace dlrun::warmstart
