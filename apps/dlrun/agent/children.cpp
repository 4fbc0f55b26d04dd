// SPDX-License-Identifier: Apache-2.0
#include "agent/children.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::cli::agent {

namespace {

Descriptor open_log(const std::filesystem::path& log) {
  make_folders(log.parent_path());
  Descriptor out(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (out.is_open()) return out;
  throw Error(ErrorKind::outside, fmt::format("cannot write '{}': {}", log.string(), std::strerror(errno)));
}

}  // namespace

Children::~Children() {
  for (Started& started : all_) started.child.let_go();
}

std::vector<std::string> Children::running() {
  std::vector<std::string> out;
  for (Started& started : all_) {
    if (!started.child.has_ended()) out.push_back(started.study);
  }
  return out;
}

Started& Children::start(const std::string& study, const std::vector<std::string>& words,
                         const std::filesystem::path& log) {
  if (running().size() >= kMostRunning)
    throw Error(ErrorKind::usage, fmt::format("{} studies of this server run already", kMostRunning),
                "wait for one, or stop one with stop_study");
  const Descriptor out = open_log(log);
  process::Program program{.arguments = {std::filesystem::read_symlink("/proc/self/exe").string()}};
  program.arguments.insert(program.arguments.end(), words.begin(), words.end());
  program.descriptors = {{-1, 0}, {out.fd(), 1}, {out.fd(), 2}};
  program.group = process::Group::session;
  program.unblocks_signals = true;
  process::Child child(program);
  if (child.fault() != 0)
    throw Error(ErrorKind::outside, fmt::format("cannot start dlrun: {}", std::strerror(child.fault())));
  std::erase_if(all_, [&](Started& other) { return other.study == study && other.child.has_ended(); });
  all_.push_back({study, log, std::move(child)});
  return all_.back();
}

}  // namespace dlrun::cli::agent
