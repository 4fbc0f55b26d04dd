// SPDX-License-Identifier: Apache-2.0
#include "driver/environment.hpp"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <system_error>

#include "driver/cores.hpp"
#include "util/arithmetic.hpp"
#include "util/version.hpp"

namespace dlrun::driver {

namespace {

namespace fs = std::filesystem;

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

bool is_in_repository() {
  std::error_code fault;
  for (fs::path folder = fs::current_path(fault); !fault; folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", fault)) return true;
    if (folder == folder.parent_path()) return false;
  }
  return false;
}

/// First line of a command's output; nullopt: it failed.
std::optional<std::string> first_line(const char* command) {
  std::FILE* pipe = ::popen(command, "re");
  if (pipe == nullptr) return std::nullopt;
  char buffer[256] = {};
  std::string line = std::fgets(buffer, sizeof buffer, pipe) == nullptr ? "" : buffer;
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) {
  }
  if (::pclose(pipe) != 0) return std::nullopt;
  if (!line.empty() && line.back() == '\n') line.pop_back();
  return line;
}

void describe_repository(storage::Environment& e) {
  if (!is_in_repository()) return;
  e.git_revision = first_line("timeout 2 git rev-parse HEAD 2>/dev/null").value_or("");
  if (e.git_revision.empty()) return;
  const char* status = "GIT_OPTIONAL_LOCKS=0 timeout 2 git status --porcelain --untracked-files=no 2>/dev/null";
  e.git_dirty = !first_line(status).value_or("unknown").empty();
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
  describe_repository(e);
  return e;
}

}  // namespace dlrun::driver
