// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <dlfcn.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <vector>

#include "libtorch/load.hpp"
#include "util/argv.hpp"
#include "util/cgroup.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace fs = std::filesystem;

namespace {

constexpr int kCannotRun = 127;  // as shells say it

std::optional<std::int64_t> number(const std::string& word) {
  char* end = nullptr;
  const long long value = std::strtoll(word.c_str(), &end, 10);
  return word.empty() || *end != '\0' ? std::nullopt : std::optional<std::int64_t>(value);
}

std::optional<std::int64_t> memory_limit() {
  const auto group = own_cgroup("memory");
  if (!group) return std::nullopt;
  const auto limit = number(first_word(group->file("memory.limit_in_bytes", "memory.max")));
  constexpr std::int64_t kNoLimit = std::int64_t(1) << 60;  // version 1 writes a huge number for none, 2 a word
  return limit && *limit < kNoLimit ? limit : std::nullopt;
}

/// Text that a child prints to standard output; its exit status in `status`.
std::string output_of_child(const std::function<void()>& child, int& status) {
  std::array<int, 2> pipe{};
  status = -1;
  if (::pipe(pipe.data()) != 0) return {};
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(pipe[1], STDOUT_FILENO);
    ::close(pipe[0]);
    ::close(pipe[1]);
    child();
    ::_exit(kCannotRun);
  }
  ::close(pipe[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; pid > 0 && (got = ::read(pipe[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), std::size_t(got));
  }
  ::close(pipe[0]);
  if (pid > 0) ::waitpid(pid, &status, 0);
  return text;
}

std::string type_name(std::uint32_t type) {
  switch (type) {
    case 0xEF53: return "ext4";
    case 0x01021994: return "tmpfs";
    case 0x58465342: return "xfs";
    case 0x9123683E: return "btrfs";
    case 0x794C7630: return "overlayfs";
    case 0x2FC12FC1: return "zfs";
    case 0x6969: return "nfs";
    case 0x517B:
    case 0xFE534D42:
    case 0xFF534D42: return "smb";
    case 0x0BD00BD0: return "lustre";
    case 0x47504653: return "gpfs";
    case 0x65735546: return "fuse";
    default: {
      std::ostringstream text;
      text << "type 0x" << std::hex << type;
      return text.str();
    }
  }
}

}  // namespace

std::int64_t available_memory() {
  std::ifstream in("/proc/meminfo");
  std::int64_t bytes = 0;
  for (std::string name, unit; in >> name >> bytes && std::getline(in, unit);) {
    if (name == "MemAvailable:") break;
  }
  bytes *= 1024;
  const auto limit = memory_limit();
  return limit ? std::min(bytes, *limit) : bytes;
}

Gpu find_gpu() {
  const bool has_device = fs::exists("/dev/nvidiactl") || fs::exists("/dev/nvidia0");
  std::error_code none;
  bool is_on_bus = false;  // PCI vendor 0x10de is NVIDIA, class 0x03.... a display
  for (const auto& entry : fs::directory_iterator("/sys/bus/pci/devices", none)) {
    const bool is_display = first_word(entry.path() / "class").rfind("0x03", 0) == 0;
    is_on_bus = is_on_bus || (is_display && first_word(entry.path() / "vendor") == "0x10de");
  }
  if (!has_device) {
    return is_on_bus ? Gpu{Gpu::State::no_driver, "an NVIDIA card, but no driver is loaded"} : Gpu{};
  }
  std::string detail = "driver";
  std::ifstream version("/proc/driver/nvidia/version");
  std::string line;
  if (std::getline(version, line)) {
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (!word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) && word.find('.') != std::string::npos) {
        detail += " " + word;
        break;
      }
    }
  }
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible && (!*visible || std::string(visible) == "-1")) {
    return {Gpu::State::hidden, detail + ", hidden by CUDA_VISIBLE_DEVICES"};
  }
  return {Gpu::State::present, visible ? detail + ", CUDA_VISIBLE_DEVICES=" + visible : detail};
}

std::optional<FileSystem> file_system(const fs::path& folder) {
  struct statfs facts {};
  if (::statfs(folder.c_str(), &facts) != 0) return std::nullopt;
  return FileSystem{type_name(static_cast<std::uint32_t>(facts.f_type)),
                    std::int64_t(facts.f_bavail) * std::int64_t(facts.f_bsize)};
}

std::optional<std::string> first_line_of(const fs::path& program, const std::string& argument) {
  int status = 0;
  const std::string text = output_of_child(
      [&] { ::execl(program.c_str(), program.c_str(), argument.c_str(), static_cast<char*>(nullptr)); }, status);
  if (status != 0) return std::nullopt;
  return text.substr(0, text.find('\n'));
}

std::optional<int> run_program(const std::vector<std::string>& words) {
  int status = 0;
  output_of_child(
      [&] {
        ::execvp(words.front().c_str(), pointers_to(words).data());
        ::_exit(kCannotRun);
      },
      status);
  if (!WIFEXITED(status) || WEXITSTATUS(status) == kCannotRun) return std::nullopt;
  return WEXITSTATUS(status);
}

namespace {

std::string load_both(const fs::path& library, const std::vector<libtorch::Candidate>& candidates) {
  try {
    libtorch::load(candidates);
  } catch (const Error& fault) {
    return fault.what();
  }
  return ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr ? ::dlerror() : "";
}

}  // namespace

std::string load_fault(const fs::path& library, const std::vector<libtorch::Candidate>& candidates) {
  int status = 0;
  std::string text = output_of_child(
      [&] {
        const std::string fault = load_both(library, candidates);
        ::_exit(::write(STDOUT_FILENO, fault.data(), fault.size()) < 0 ? 1 : 0);
      },
      status);
  if (!text.empty()) return text;
  return status == 0 ? "" : "loading it kills the process (status " + std::to_string(status) + ")";
}

}  // namespace dlrun::cli
