// SPDX-License-Identifier: Apache-2.0
#include "worker/memory_peak.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace dlrun::worker {

namespace {

std::int64_t peak_since_start() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return std::int64_t(usage.ru_maxrss) * 1024;
}

}  // namespace

MemoryPeak::MemoryPeak() {
  const int fd = ::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  [[maybe_unused]] const ssize_t done = ::write(fd, "5", 1);  // "reset the peak resident set size", proc(5)
  ::close(fd);
}

std::int64_t MemoryPeak::bytes() const {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmHWM:")) return std::strtoll(line.c_str() + 6, nullptr, 10) * 1024;
  }
  return peak_since_start();
}

}  // namespace dlrun::worker
