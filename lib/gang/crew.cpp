// SPDX-License-Identifier: Apache-2.0
#include "gang/crew.hpp"

#include <poll.h>
#include <sys/resource.h>

#include <system_error>

#include <fmt/format.h>

#include "process/ends.hpp"
#include "util/error.hpp"

namespace dlrun::gang {

namespace {

constexpr int kEndWaitMs = 1000;

/// Sockets of every process to every other one: [of][to].
using Sockets = std::vector<std::vector<Descriptor>>;

/// Joins a process with those after it. Pairs are made as late as that, so that few are open at once.
void join(Sockets& all, std::size_t process) {
  for (std::size_t other = process + 1; other < all.size(); ++other) {
    process::Ends ends = process::socket_pair();
    all[process][other] = std::move(ends.ours);
    all[other][process] = std::move(ends.theirs);
  }
}

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

process::Child start(const std::filesystem::path& program, int process, const Descriptor& file,
                     const std::vector<Descriptor>& sockets) {
  std::vector<process::Passed> passed{{-1, 0}, {file.fd(), kFirstDescriptor}};
  for (std::size_t to = 0; to < sockets.size(); ++to) {
    if (sockets[to].is_open()) passed.push_back({sockets[to].fd(), kFirstDescriptor + 1 + int(to)});
  }
  process::Child child(
      {.arguments = {program.string(), "--gang", std::to_string(process), std::to_string(sockets.size())},
       .descriptors = passed,
       .dies_with_us = true});
  if (child.fault() == 0) return child;
  throw Error(ErrorKind::outside,
              "cannot start '" + program.string() + "' for a rank: " + std::generic_category().message(child.fault()));
}

}  // namespace

Place place_of(int process, int processes) {
  const Descriptor file(kFirstDescriptor);
  std::vector<Descriptor> sockets(static_cast<std::size_t>(processes));
  for (int to = 0; to < processes; ++to) {
    if (to != process) sockets[std::size_t(to)] = Descriptor(kFirstDescriptor + 1 + to);
  }
  return {process, std::move(sockets), SharedMemory(file, processes)};
}

Packet next_word(Mesh& mesh) {
  constexpr std::chrono::milliseconds kPatience{1000};
  std::vector<Mesh::Received> early;
  for (;;) {
    auto received = mesh.receive(kPatience);
    if (!received) continue;
    if (received->packet.kind != PacketKind::message) {
      mesh.put_back(std::move(early));
      return std::move(received->packet);
    }
    early.push_back(std::move(*received));
  }
}

Crew::Crew(const std::filesystem::path& program, int processes)
    : place_([&] {
        allow_sockets(processes);
        const Descriptor file = SharedMemory::make(processes);
        Sockets sockets(static_cast<std::size_t>(processes));
        for (auto& own : sockets) own.resize(std::size_t(processes));
        join(sockets, 0);
        for (std::size_t i = 1; i < sockets.size(); ++i) {
          join(sockets, i);
          children_.push_back(start(program, int(i), file, sockets[i]));
          sockets[i].clear();
        }
        return Place{0, std::move(sockets.front()), SharedMemory(file, processes)};
      }()) {}

std::string Crew::end_text(int process) {
  process::Child& child = children_[std::size_t(process - 1)];
  pollfd watch{child.watch(), POLLIN, 0};
  ::poll(&watch, 1, kEndWaitMs);
  return child.has_ended() ? "ended by " + process::end_text(child.status()) : "hung up";
}

}  // namespace dlrun::gang
