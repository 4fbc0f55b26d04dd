// SPDX-License-Identifier: Apache-2.0
#include "gang/household.hpp"

#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "gang/shared_memory.hpp"
#include "process/ends.hpp"
#include "util/error.hpp"

namespace dlrun::gang {

namespace {

constexpr int kEndWaitMs = 1000;

/// Descriptors of a process that was started: the memory, and from the second one on its sockets, in the processes'
/// order; its own number stands for nothing.
constexpr int kFirstDescriptor = 3;

int descriptor_of(int process) { return kFirstDescriptor + 1 + process; }

/// Sockets of every process to every other one: [of][to].
using Sockets = std::vector<std::vector<Descriptor>>;

/// The limit of open files becomes what it may be. @throws Error(usage) where that is too few
void allow_sockets(int processes) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  constexpr rlim_t kOthers = 64;
  const rlim_t needed = rlim_t(processes) * rlim_t(processes) / 4 + rlim_t(processes) + kOthers;
  if (limit.rlim_max >= needed) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} processes of a gang need {} open files at once, and {} are allowed", processes, needed,
                          limit.rlim_max),
              "fewer ranks, or a higher limit (ulimit -n)");
}

std::vector<int> processes_of(const Meeting& meeting, int host) {
  std::vector<int> all;
  for (int i = 0; i < meeting.processes(); ++i) {
    if (meeting.host(i) == host) all.push_back(i);
  }
  return all;
}

/// Joins a process with those after it. Pairs are made as late as that, so that few are open at once.
void join(Sockets& all, const std::vector<int>& processes, std::size_t index) {
  const auto process = std::size_t(processes[index]);
  for (std::size_t i = index + 1; i < processes.size(); ++i) {
    process::Ends ends = process::socket_pair();
    all[process][std::size_t(processes[i])] = std::move(ends.ours);
    all[std::size_t(processes[i])][process] = std::move(ends.theirs);
  }
}

process::Child start(const std::filesystem::path& program, const Meeting& meeting, int process,
                     const Descriptor& memory, const std::vector<Descriptor>& sockets) {
  std::vector<process::Passed> passed{{-1, 0}, {memory.fd(), kFirstDescriptor}};
  for (std::size_t to = 0; to < sockets.size(); ++to) {
    if (sockets[to].is_open()) passed.push_back({sockets[to].fd(), descriptor_of(int(to))});
  }
  process::Child child({.arguments = {program.string(), "--gang", std::to_string(process)},
                        .environment = environment_with(meeting),
                        .descriptors = passed,
                        .dies_with_us = true});
  if (child.fault() == 0) return child;
  throw Error(ErrorKind::outside,
              "cannot start '" + program.string() + "' for a rank: " + std::generic_category().message(child.fault()));
}

Link local(Descriptor socket) {
  Link link;
  link.socket = std::move(socket);
  return link;
}

}  // namespace

Household::Household(const std::filesystem::path& program, const Meeting& meeting, int self)
    : memory_(SharedMemory::make(meeting.processes())) {
  const std::vector<int> processes = processes_of(meeting, meeting.host(self));
  allow_sockets(meeting.processes());
  Sockets sockets(std::size_t(meeting.processes()));
  for (auto& own : sockets) own.resize(std::size_t(meeting.processes()));
  join(sockets, processes, 0);
  for (std::size_t i = 1; i < processes.size(); ++i) {
    join(sockets, processes, i);
    auto& own = sockets[std::size_t(processes[i])];
    members_.push_back({processes[i], start(program, meeting, processes[i], memory_, own)});
    own.clear();
  }
  for (Descriptor& socket : sockets[std::size_t(self)]) links_.push_back(local(std::move(socket)));
}

Household::Member* Household::find(int process) {
  const auto found =
      std::find_if(members_.begin(), members_.end(), [&](const Member& member) { return member.process == process; });
  return found != members_.end() ? &*found : nullptr;
}

bool Household::has(int process) const {
  return std::any_of(members_.begin(), members_.end(), [&](const Member& member) { return member.process == process; });
}

std::optional<int> Household::ended() {
  for (Member& member : members_) {
    if (member.child.has_ended()) return member.process;
  }
  return std::nullopt;
}

std::string Household::end_text(int process) {
  process::Child& child = find(process)->child;
  pollfd watch{child.watch(), POLLIN, 0};
  ::poll(&watch, 1, kEndWaitMs);
  return child.has_ended() ? "ended by " + process::end_text(child.status()) : "hung up";
}

std::vector<Link> passed_links(const Meeting& meeting, int self) {
  std::vector<Link> links(std::size_t(meeting.processes()));
  for (const int to : processes_of(meeting, meeting.host(self))) {
    if (to != self) links[std::size_t(to)] = local(Descriptor(descriptor_of(to)));
  }
  return links;
}

Descriptor passed_memory() { return Descriptor(kFirstDescriptor); }

}  // namespace dlrun::gang
