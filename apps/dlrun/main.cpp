// SPDX-License-Identifier: Apache-2.0
// The program `dlrun`: hands its words to the command line and returns the exit code.
#include <malloc.h>

#include <csignal>
#include <string>
#include <vector>

#include "command_line.hpp"

/// A sampler's matrices grow with each trial. Without this malloc() maps them from the kernel and gives them back each
/// time, which takes a twentieth of a proposal's CPU time.
static void keep_memory() {
  ::mallopt(M_MMAP_THRESHOLD, 4 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 16 << 20);
}

int main(int argc, char** argv) {
  keep_memory();
  std::signal(SIGPIPE, SIG_IGN);  // `dlrun report | head`: writing fails with EPIPE and the Console falls silent
  std::signal(SIGXFSZ, SIG_IGN);  // `ulimit -f`: writing fails with EFBIG, as on a full disk
  std::signal(SIGCHLD, SIG_DFL);  // a parent that ignores it would take the exit codes of our children from us
  return dlrun::cli::run_command_line({argv + (argc > 0 ? 1 : 0), argv + argc});
}
