// SPDX-License-Identifier: Apache-2.0
#include "silenced_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace dlrun::cli {

SilencedOutput::SilencedOutput() : output_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)) {
  const Descriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  std::fflush(stdout);
  if (output_.is_open() && nowhere.is_open()) ::dup2(nowhere.fd(), STDOUT_FILENO);
}

SilencedOutput::~SilencedOutput() {
  std::fflush(stdout);
  if (output_.is_open()) ::dup2(output_.fd(), STDOUT_FILENO);
}

}  // namespace dlrun::cli
