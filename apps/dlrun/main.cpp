// SPDX-License-Identifier: Apache-2.0
// The program `dlrun`: hands its words to the command line and returns the exit code.
#include <csignal>
#include <string>
#include <vector>

#include "command_line.hpp"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // `dlrun report | head`: writing fails with EPIPE and the Console falls silent
  std::signal(SIGXFSZ, SIG_IGN);  // `ulimit -f`: writing fails with EFBIG, as on a full disk
  return dlrun::cli::run_command_line({argv + (argc > 0 ? 1 : 0), argv + argc});
}
