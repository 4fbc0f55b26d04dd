// SPDX-License-Identifier: Apache-2.0
#include "programs/keeper.hpp"

#include <poll.h>

#include <chrono>
#include <csignal>
#include <set>
#include <system_error>

#include "process/ends.hpp"
#include "programs/descendants.hpp"
#include "programs/kept.hpp"
#include "util/error.hpp"
#include "util/processes.hpp"

namespace dlrun::programs {

namespace {

constexpr int kChannel = 3, kStart = 4;  ///< descriptors of a keeper
constexpr int kTickMs = 50;
constexpr std::chrono::seconds kMostEnding{5};  ///< for a keeper to kill what its program left

/// Keepers of this process. What else descends from it was left by a keeper that died.
std::set<pid_t> keepers;

/// Tells the listener what the keeper has said. nullopt: the piece is not over
std::optional<PieceOver> hear(Channel& keeper, const Listener& listener) {
  while (const auto line = keeper.next()) {
    const Answer answer = answer_of(*line);
    if (const auto* over = std::get_if<PieceOver>(&answer)) return *over;
    if (const auto* printed = std::get_if<Printed>(&answer)) listener.printed(*printed);
    if (const auto* measured = std::get_if<Measured>(&answer)) {
      for (const trial::Report& report : measured->reports) listener.measured(report);
    }
  }
  return std::nullopt;
}

struct Begun {
  process::Child child;
  Descriptor channel;
};

Begun begin(const std::filesystem::path& binary, const Start& start) {
  process::Ends sockets = process::socket_pair();
  const Descriptor file = process::file_in_memory(to_bytes(start));
  process::Child child({.arguments = {binary.string(), "--keep"},
                        .descriptors = {{-1, 0}, {sockets.theirs.fd(), kChannel}, {file.fd(), kStart}},
                        .group = process::Group::own,
                        .dies_with_us = true,
                        .unblocks_signals = true});
  if (const int fault = child.fault(); fault != 0)
    throw Error(ErrorKind::outside,
                "cannot start '" + binary.string() + "': " + std::generic_category().message(fault));
  return {std::move(child), std::move(sockets.ours)};
}

}  // namespace

Keeper::Keeper(const std::filesystem::path& binary, const Start& start) : folder_(start.files), channel_(Descriptor()) {
  become_subreaper();
  Begun begun = begin(binary, start);
  child_ = std::move(begun.child);
  channel_ = Channel(std::move(begun.channel));
  keepers.insert(child_.pid());
}

bool Keeper::wait_for_end(std::chrono::milliseconds most) {
  pollfd item{child_.watch(), POLLIN, 0};
  if (!child_.has_ended()) ::poll(&item, 1, static_cast<int>(most.count()));
  return child_.has_ended();
}

Keeper::~Keeper() {
  end(0);
  const bool has_cleaned_up = wait_for_end(kMostEnding) && child_.status() == 0;
  keepers.erase(child_.pid());
  child_ = process::Child();
  if (!has_cleaned_up) end_descendants(with_descendants(keepers));
}

std::optional<Lent> Keeper::news() {
  std::optional<Lent> last;
  pollfd item{channel_.fd(), POLLIN, 0};
  while (::poll(&item, 1, 0) > 0 && channel_.read()) {
  }
  while (const auto line = channel_.next()) {
    const Answer answer = answer_of(*line);
    if (const auto* lent = std::get_if<Lent>(&answer)) last = *lent;
  }
  return last;
}

PieceOver run_piece(Channel& keeper, const RunPiece& piece, const Listener& listener) {
  keeper.say(to_line(piece));
  bool is_ending = false;
  while (true) {
    pollfd item{keeper.fd(), POLLIN, 0};
    const bool is_lost = ::poll(&item, 1, kTickMs) > 0 && !keeper.read();
    if (is_lost) return {.is_lost = true, .message = "the process that keeps the program has ended"};
    if (auto over = hear(keeper, listener)) return *over;
    const auto grace = is_ending ? std::nullopt : listener.wants_end();
    if (grace) keeper.say(to_line(EndProgram{*grace}));
    is_ending = is_ending || grace;
  }
}

int keep() {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  const Descriptor start(kStart);
  Kept(start_of(process::bytes_of(start)), Channel(Descriptor(kChannel))).serve();
  return 0;
}

}  // namespace dlrun::programs
