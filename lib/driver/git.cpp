// SPDX-License-Identifier: Apache-2.0
#include "driver/git.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <sstream>
#include <system_error>

#include "process/child.hpp"
#include "process/ends.hpp"

namespace dlrun::driver {

namespace {

namespace fs = std::filesystem;

constexpr int kMostMilliseconds = 2000;

bool is_in_repository(const fs::path& inside) {
  std::error_code fault;
  for (fs::path folder = fs::absolute(inside, fault); !fault; folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", fault)) return true;
    if (folder == folder.parent_path()) return false;
  }
  return false;
}

/// Output of git in a folder; nullopt: it failed, or took too long.
std::optional<std::string> ask(const fs::path& folder, const std::vector<std::string>& question) {
  if (!is_in_repository(folder)) return std::nullopt;
  std::vector<std::string> arguments{"git", "--no-optional-locks", "-C", folder.string()};
  arguments.insert(arguments.end(), question.begin(), question.end());
  const Descriptor out = process::file_in_memory(), complaints = process::file_in_memory();
  process::Child git({.arguments = arguments,
                      .descriptors = {{-1, 0}, {out.fd(), 1}, {complaints.fd(), 2}},
                      .group = process::Group::own,
                      .unblocks_signals = true});
  if (git.fault() != 0) return std::nullopt;
  pollfd end{git.watch(), POLLIN, 0};
  if (::poll(&end, 1, kMostMilliseconds) <= 0) return std::nullopt;
  git.wait();
  if (git.status() != 0) return std::nullopt;
  return process::bytes_of(out);
}

}  // namespace

std::string git_revision(const fs::path& folder) {
  std::string line = ask(folder, {"rev-parse", "HEAD"}).value_or("");
  if (!line.empty() && line.back() == '\n') line.pop_back();
  return line;
}

bool has_git_changes(const fs::path& folder) {
  return !ask(folder, {"status", "--porcelain", "--untracked-files=no"}).value_or("unknown").empty();
}

std::optional<std::string> git_changes(const fs::path& folder, const std::vector<std::string>& files) {
  constexpr std::size_t kQuestion = 3, kMostBytes = 64'000'000;
  std::vector<std::string> question{"ls-files", "--others", "--"};
  for (const std::string& file : files) {
    if (!file.starts_with('/') && !file.starts_with("..")) question.push_back(file);  // git refuses others
  }
  const auto others = question.size() > kQuestion ? ask(folder, question) : std::optional(std::string());
  const auto diff = ask(folder, {"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-relative",
                                 "--full-index", "--binary", "HEAD"});
  if (!others || !diff || diff->size() > kMostBytes) return std::nullopt;
  std::string text;
  std::istringstream lines(*others);
  for (std::string file; std::getline(lines, file);) text += fmt::format("# not in git: {}\n", file);
  return text + *diff;
}

}  // namespace dlrun::driver
