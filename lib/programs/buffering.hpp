// SPDX-License-Identifier: Apache-2.0
// Lines that leave a program when it prints them: into a pipe most programs write by blocks of some kilobytes.
#pragma once
#include <map>
#include <string>

namespace dlrun::programs {

/// Adds the variables by which Python, programs of the C library (awk, R, what stdbuf(1) knows) and of gfortran print
/// line by line. Those that are set stay as they are, but for LD_PRELOAD, to which a library is added.
///
/// A pseudo-terminal would do it for static programs too, but there many programs draw progress bars and colours.
void let_lines_out(std::map<std::string, std::string>& environment);

}  // namespace dlrun::programs
