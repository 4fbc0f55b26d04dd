// SPDX-License-Identifier: Apache-2.0
// A picture that is not drawn yet.
#pragma once
#include <string>

namespace dlrun::plot {

struct Picture {
  std::string name;     ///< name of its file, without an ending
  std::string title;    ///< one line on its contents: for those who cannot see it
  int width = 0;        ///< pixels
  int height = 0;       ///< pixels
  std::string program;  ///< in gnuplot's language, without terminal and output
};

}  // namespace dlrun::plot
