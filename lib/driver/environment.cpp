// SPDX-License-Identifier: Apache-2.0
#include "driver/environment.hpp"

#include <unistd.h>

#include <fstream>
#include <system_error>

#include "driver/cores.hpp"
#include "driver/git.hpp"
#include "util/arithmetic.hpp"
#include "util/version.hpp"

namespace dlrun::driver {

namespace {

/// The value of the first line `<key><separator>value`, quotes and blanks stripped.
std::string value_in(const char* path, const std::string& key, char separator) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key)) continue;
    const std::size_t at = line.find(separator);
    if (at == std::string::npos) continue;
    line = line.substr(at + 1);
    const std::size_t first = line.find_first_not_of(" \"\t");
    return first == std::string::npos ? "" : line.substr(first, line.find_last_not_of(" \"\t") - first + 1);
  }
  return {};
}

}  // namespace

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

storage::Environment describe_environment(const spec::StudySpec& spec, const Options& options) {
  storage::Environment e;
  e.version = version();
  e.host = host_name();
  e.os = value_in("/etc/os-release", "PRETTY_NAME", '=');
  e.device = value_in("/proc/cpuinfo", "model name", ':');
  e.compiler = "GCC " __VERSION__;
  e.data_sha256 = spec.data ? spec.data->sha256 : "";
  e.command = options.command;
  e.cores = usable_cores();
  e.arithmetic = arithmetic::kVersion;
  std::error_code none;
  const std::filesystem::path here = std::filesystem::current_path(none);
  e.git_revision = git_revision(here);
  e.git_dirty = !e.git_revision.empty() && has_git_changes(here);
  return e;
}

}  // namespace dlrun::driver
