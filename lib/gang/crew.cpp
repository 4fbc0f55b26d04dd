// SPDX-License-Identifier: Apache-2.0
#include "gang/crew.hpp"

#include <poll.h>

#include <system_error>

#include <fmt/format.h>

#include "process/ends.hpp"
#include "util/error.hpp"

namespace dlrun::gang {

namespace {

constexpr int kEndWaitMs = 1000;

/// Sockets of every process to every other one: [of][to].
using Sockets = std::vector<std::vector<Descriptor>>;

Sockets sockets_of(int processes) {
  Sockets all(static_cast<std::size_t>(processes));
  for (auto& own : all) own.resize(std::size_t(processes));
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      process::Ends ends = process::socket_pair();
      all[i][j] = std::move(ends.ours);
      all[j][i] = std::move(ends.theirs);
    }
  }
  return all;
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

Crew::Crew(const std::filesystem::path& program, int processes)
    : place_([&] {
        const Descriptor file = SharedMemory::make(processes);
        Sockets sockets = sockets_of(processes);
        for (int i = 1; i < processes; ++i) children_.push_back(start(program, i, file, sockets[std::size_t(i)]));
        return Place{0, std::move(sockets.front()), SharedMemory(file, processes)};
      }()) {}

std::string Crew::end_text(int process) {
  process::Child& child = children_[std::size_t(process - 1)];
  pollfd watch{child.watch(), POLLIN, 0};
  ::poll(&watch, 1, kEndWaitMs);
  if (!child.has_ended()) return fmt::format("rank {} hung up", process);
  return fmt::format("rank {} ended by {}", process, process::end_text(child.status()));
}

}  // namespace dlrun::gang
