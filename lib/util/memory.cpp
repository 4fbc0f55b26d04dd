// SPDX-License-Identifier: Apache-2.0
#include "util/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <string>

namespace dlrun {

namespace {

/// Bytes of a line "MemAvailable:  12 kB"; 0: there is none.
std::int64_t bytes_in(const std::string& path, const std::string& field) {
  std::ifstream file(path);
  for (std::string name; file >> name; file.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    std::int64_t kibibytes = 0;
    if (name == field && file >> kibibytes) return kibibytes * 1024;
  }
  return 0;
}

}  // namespace

std::int64_t available_memory() { return bytes_in("/proc/meminfo", "MemAvailable:"); }

std::int64_t peak_memory(pid_t pid) { return bytes_in("/proc/" + std::to_string(pid) + "/status", "VmHWM:"); }

std::int64_t own_memory(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  std::int64_t size = 0, resident = 0, shared = 0;
  if (!(file >> size >> resident >> shared)) return 0;
  return (resident - shared) * ::sysconf(_SC_PAGESIZE);
}

void limit_own_memory(std::int64_t further) {
  std::ifstream file("/proc/self/statm");
  std::int64_t pages = 0;  // the sixth field: data and stack
  for (int field = 0; field < 6; ++field) file >> pages;
  const auto most = rlim_t(pages * ::sysconf(_SC_PAGESIZE) + further);
  const rlimit memory{most, most}, none{0, 0};
  ::setrlimit(RLIMIT_DATA, &memory);
  ::setrlimit(RLIMIT_CORE, &none);
}

}  // namespace dlrun
