// SPDX-License-Identifier: Apache-2.0
#include "libtorch/load.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

#include "libtorch/requirement.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::libtorch {

namespace fs = std::filesystem;

namespace {

constexpr const char* kTrainer = "libdlrun_trainer.so";

[[noreturn]] void refuse(const std::vector<Candidate>& candidates) {
  throw Error(ErrorKind::usage,
              fmt::format("a trial of kind 'train' needs libtorch {}, and none was found: {}", needed_version(),
                          describe(candidates)),
              fmt::format("{}, or dlrun doctor --install-torch; `dlrun doctor` lists every place", install_command()));
}

/// @return why not, or empty
std::string open_library(const fs::path& file) {
  return ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr ? ::dlerror() : "";
}

/// libc10 first, by its path: LD_LIBRARY_PATH may name another one.
std::string open_libtorch(const fs::path& folder) {
  const fs::path libraries = folder / "lib";
  const std::string fault = open_library(libraries / "libc10.so");
  return fault.empty() ? open_library(libraries / "libtorch_cpu.so") : fault;
}

}  // namespace

fs::path trainer_file(const fs::path& folder) { return own_library(folder, kTrainer); }

void require(const std::vector<Candidate>& candidates) {
  if (std::none_of(candidates.begin(), candidates.end(), [](const Candidate& one) { return one.fits(); })) {
    refuse(candidates);
  }
}

void load(const std::vector<Candidate>& candidates) {
  static bool is_open = false;
  std::vector<Candidate> tried = candidates;
  for (Candidate& candidate : tried) {
    if (is_open) return;
    if (!candidate.fits()) continue;
    candidate.fault = open_libtorch(candidate.folder);
    if (!candidate.fault.empty()) candidate.fault = "cannot be loaded: " + candidate.fault;
    is_open = candidate.fits();
  }
  if (!is_open) refuse(tried);
}

}  // namespace dlrun::libtorch
