// SPDX-License-Identifier: Apache-2.0
#include "programs/buffering.hpp"

#include <filesystem>

namespace dlrun::programs {

namespace {

/// The library of coreutils' stdbuf; empty: it is not here.
std::string line_library() {
  for (const char* file : {"/usr/libexec/coreutils/libstdbuf.so", "/usr/lib/coreutils/libstdbuf.so",
                           "/usr/lib/x86_64-linux-gnu/coreutils/libstdbuf.so"}) {
    std::error_code none;
    if (std::filesystem::exists(file, none)) return file;
  }
  return {};
}

}  // namespace

void let_lines_out(std::map<std::string, std::string>& environment) {
  environment.emplace("PYTHONUNBUFFERED", "1");
  environment.emplace("GFORTRAN_UNBUFFERED_PRECONNECTED", "y");
  static const std::string library = line_library();
  if (library.empty() || !environment.emplace("_STDBUF_O", "L").second) return;
  environment.emplace("ASAN_OPTIONS", "verify_asan_link_order=0");  // else a sanitized program refuses the library
  std::string& preload = environment["LD_PRELOAD"];
  preload += (preload.empty() ? "" : ":") + library;
}

}  // namespace dlrun::programs
