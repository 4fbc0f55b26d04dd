// SPDX-License-Identifier: Apache-2.0
#include "dataset/arrays/apart.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "dataset/dataset.hpp"
#include "plugin/limits.hpp"
#include "process/child.hpp"
#include "util/files.hpp"

namespace dlrun::dataset {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostSaid = 4096;  ///< bytes of its standard error that are kept, the last ones
constexpr double kMega = 1e6;

/// The limits with those of the environment, which come first.
ReadingLimits effective(const ReadingLimits& limits) {
  const double all = double(::sysconf(_SC_PHYS_PAGES)) * double(::sysconf(_SC_PAGESIZE));
  const double memory = limits.memory > 0 ? double(limits.memory) : all * 0.75;
  return {.seconds = plugin::deadline_of_environment(limits.seconds),
          .memory = std::int64_t(plugin::memory_of_environment(memory / kMega) * kMega)};
}

/// A file without a name, which is gone with its last descriptor.
Descriptor nameless_file(const fs::path& folder) {
  make_folders(folder);
  std::string name = folder / ".reading-XXXXXX";
  Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file.is_open())
    throw DataError::unreadable("path",
                                fmt::format("cannot write into '{}': {}", folder.string(), std::strerror(errno)), EIO);
  ::unlink(name.c_str());
  return file;
}

/// The process of one reading.
class Guest {
 public:
  explicit Guest(const Reading& reading, const Descriptor& file)
      : reading_(reading),
        limits_(effective(reading.limits)),
        request_(process::file_in_memory(to_text(request()))),
        answer_(process::file_in_memory()),
        said_(process::pipe_from_child()),
        child_({.arguments = {program().string(), "--read-data"},
                .descriptors = {{request_.fd(), 0}, {answer_.fd(), 1}, {said_.theirs.fd(), 2}, {file.fd(), 3}},
                .group = process::Group::own,
                .dies_with_us = true,
                .unblocks_signals = true}) {
    said_.theirs.close();
    said_.ours.set_nonblocking();
    if (child_.fault() != 0)
      outside(fmt::format("cannot start '{}': {}", program().string(), std::strerror(child_.fault())));
  }

  /// @throws DataError
  void finish() {
    wait();
    listen();
    const std::string answer = process::bytes_of(answer_);
    if (answer.empty() || child_.status() != 0) report_end();
    const Json json = parse_json(answer, "the answer of dlrun-guest");
    if (!json.empty()) report(json);
  }

 private:
  static fs::path program() {
    std::error_code none;
    return fs::read_symlink("/proc/self/exe", none).parent_path() / "dlrun-guest";
  }

  Json request() const {
    Json files = Json::object();
    for (const auto& [key, file] : reading_.files) files[key] = file.string();
    return {{"object", reading_.plugin->file.string()},
            {"options", reading_.options},
            {"files", files},
            {"names", reading_.names},
            {"memory", limits_.memory}};
  }

  void wait() {
    const auto deadline = Clock::now() + std::chrono::milliseconds(std::int64_t(limits_.seconds * 1000));
    while (!child_.has_ended()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0)
        blame(fmt::format("{} took longer than {:g} seconds to read {}", name(), limits_.seconds, files()));
      pollfd items[] = {{child_.watch(), POLLIN, 0}, {is_silent_ ? -1 : said_.ours.fd(), POLLIN, 0}};
      ::poll(items, 2, int(std::min<std::int64_t>(left, child_.watch() < 0 ? 20 : 60'000)));
      listen();
    }
  }

  /// Keeps the last of what it says.
  void listen() {
    std::array<char, 65536> buffer{};
    for (int reads = 0; reads < 64 && !is_silent_; ++reads) {
      const ssize_t got = ::read(said_.ours.fd(), buffer.data(), buffer.size());
      if (got < 0) return;
      is_silent_ = got == 0;
      text_.append(buffer.data(), std::size_t(got));
      if (text_.size() > kMostSaid) text_.erase(0, text_.size() - kMostSaid);
    }
  }

  std::string name() const { return fmt::format("plugin '{}'", reading_.plugin->manifest->name); }
  std::string files() const { return fmt::format("'{}'", reading_.files.at("path").string()); }

  std::string last_line() const {
    const std::size_t end = text_.find_last_not_of(" \n\t");
    if (end == std::string::npos) return {};
    const std::size_t begin = text_.find_last_of('\n', end);
    const std::size_t first = begin == std::string::npos ? 0 : begin + 1;
    return text_.substr(first, std::min<std::size_t>(end + 1 - first, 200));
  }

  [[noreturn]] void outside(const std::string& message) const { throw DataError::unreadable("path", message, EIO); }
  [[noreturn]] static void blame(const std::string& message) {
    throw PluginFault(DataError::unreadable("path", message, EIO));
  }
  [[noreturn]] static void blame(const std::string& message, const std::string& hint) {
    throw PluginFault(DataError("path", message, hint));
  }

  [[noreturn]] void report_end() const {
    const std::string how =
        fmt::format("{} ended by {} while it read {}", name(), process::end_text(child_.status()), files());
    if (WIFSIGNALED(child_.status()) && WTERMSIG(child_.status()) == SIGKILL) blame(how);
    const std::string said = last_line();
    blame(said.empty() ? how : fmt::format("{}: {}", how, said), "is the file damaged? else tell the plugin's author");
  }

  [[noreturn]] void report(const Json& answer) const {
    if (answer.contains("disk"))
      outside(fmt::format("cannot keep the arrays of {}: {}", files(), answer["disk"].get<std::string>()));
    if (answer.contains("memory"))
      throw DataError(
          "path",
          fmt::format("{} needs more than {:.0f} MB to read {}", name(), double(limits_.memory) / kMega, files()),
          "DLRUN_PLUGIN_MEMORY_MB in the environment allows more");
    if (answer.contains("broken"))
      blame(fmt::format("{} broke its contract: {}", name(), answer["broken"].get<std::string>()),
            "tell the plugin's author");
    const Json& fault = answer.at("fault");
    throw DataError(fault.at("key"), fmt::format("{}: {}", files(), fault.at("message").get<std::string>()),
                    fault.at("hint"));
  }

  const Reading& reading_;
  ReadingLimits limits_;
  Descriptor request_, answer_;
  process::Ends said_;
  process::Child child_;
  std::string text_;
  bool is_silent_ = false;
};

}  // namespace

Mapped read_apart(const Reading& reading, const fs::path& folder) {
  const Descriptor file = nameless_file(folder);
  Guest(reading, file).finish();
  return map_file(fmt::format("/proc/self/fd/{}", file.fd()), "path");
}

}  // namespace dlrun::dataset
