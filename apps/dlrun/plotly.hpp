// SPDX-License-Identifier: Apache-2.0
// plotly.js, which pages of reports embed.
#pragma once
#include <filesystem>
#include <string>

#include "libtorch/candidates.hpp"

namespace dlrun::cli {

/// plotly.min.js beside an installed dlrun, else of dlrun's cache, where third_party/install unpacks it. Empty:
/// neither.
std::filesystem::path plotly_file(const libtorch::Surroundings& around);

/// Text of the file for this process, which DLRUN_PLOTLY may choose; empty: there is none.
/// @throws Error where the chosen file cannot be read
std::string plotly_text();

/// The command that brings it.
inline constexpr const char* kPlotlyHint = "third_party/install --only-plotly";

}  // namespace dlrun::cli
