// SPDX-License-Identifier: Apache-2.0
// Names of Optuna's, where any text is a name, as names of dlrun's.
#pragma once
#include <set>
#include <string>

namespace dlrun::optuna {

inline constexpr std::size_t kLongestName = 100;  ///< characters, of studies, parameters and metrics

/// The name with '_' for each character that dlrun's names may not have, and a number behind it if it is taken; it is
/// taken then. Text that begins with none of letters and '_' gets a letter in front.
/// @param more  further characters that may stand in it
std::string own_name(const std::string& name, std::set<std::string>& taken, const std::string& more = "");

}  // namespace dlrun::optuna
