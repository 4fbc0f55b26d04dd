// SPDX-License-Identifier: Apache-2.0
// gnuplot as a child that turns programs into pictures.
#pragma once
#include <optional>
#include <string>

#include "plot/picture.hpp"

namespace dlrun::plot {

enum class Form { svg, png, pdf };

/// "svg", "png" or "pdf": the ending of a file.
const char* ending(Form form);

/// "gnuplot 5.4 patchlevel 4"; nullopt: there is none in PATH.
std::optional<std::string> gnuplot_version();

/// The bytes of the picture's file. PNG has twice as many pixels as the picture says, for sharp screens and print.
/// @throws Error(usage) where there is no gnuplot; Error(outside) where it fails, with the first line it says, or takes
///         longer than a minute.
std::string drawn(const Picture& picture, Form form);

}  // namespace dlrun::plot
