// SPDX-License-Identifier: Apache-2.0
#include "programs/buffering.hpp"

#include "util/files.hpp"

namespace dlrun::programs {

namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libdlrun_lines.so";

/// Adds to a variable that is a list.
void append(std::string& list, const std::string& more) { list += (list.empty() ? "" : ":") + more; }

}  // namespace

fs::path line_library(const fs::path& programs) {
  std::error_code none;
  const fs::path file = own_library(programs, kLibrary);
  const bool can_be_listed = file.string().find_first_of(" :\t\n") == std::string::npos;
  return can_be_listed && fs::exists(file, none) ? file : fs::path();
}

void let_lines_out(std::map<std::string, std::string>& environment, const fs::path& library) {
  environment.emplace("PYTHONUNBUFFERED", "1");
  environment.emplace("GFORTRAN_UNBUFFERED_PRECONNECTED", "y");
  if (library.empty() || environment.contains("_STDBUF_O")) return;
  append(environment["LD_PRELOAD"], library.string());
  append(environment["ASAN_OPTIONS"], "verify_asan_link_order=0");  // else a sanitized program refuses the library
}

}  // namespace dlrun::programs
