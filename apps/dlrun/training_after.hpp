// SPDX-License-Identifier: Apache-2.0
// Plans and runs the final training of a study that is in the store.
#pragma once
#include <string>

#include "arguments.hpp"
#include "output/console.hpp"
#include "util/json.hpp"

namespace dlrun::cli {

/// @param final  in its normal form
/// @return as run_study()
int train_after(const std::string& study, const Json& final, const Arguments& arguments, Console& console);

/// Where a study that is done has `final:` and is no final training itself; else 0.
int train_after_search(const std::string& study, const Arguments& arguments, Console& console);

}  // namespace dlrun::cli
