// SPDX-License-Identifier: Apache-2.0
// Lines that leave a program when it prints them: into a pipe most programs write by blocks of some kilobytes.
#pragma once
#include <filesystem>
#include <map>
#include <string>

namespace dlrun::programs {

/// The library that programs preload (apps/dlrun-lines), as it lies beside our programs or is installed with them.
/// @param programs  folder of our programs
/// @return empty: it is not there, or its path has a blank or a colon, which LD_PRELOAD takes for the end of a name
std::filesystem::path line_library(const std::filesystem::path& programs);

/// Adds the variables by which Python, programs of the C library (awk, R) and of gfortran print line by line. Those
/// that are set stay as they are, but for LD_PRELOAD and ASAN_OPTIONS, to which something is added; nothing is where
/// stdbuf(1) has set how a program prints (_STDBUF_O).
///
/// A pseudo-terminal would do it for static programs too, but there many programs draw progress bars and colours.
void let_lines_out(std::map<std::string, std::string>& environment, const std::filesystem::path& library);

}  // namespace dlrun::programs
