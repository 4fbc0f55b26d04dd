// SPDX-License-Identifier: Apache-2.0
#include "programs/keeper.hpp"

#include <fcntl.h>
#include <poll.h>

#include <chrono>
#include <csignal>
#include <system_error>
#include <utility>

#include "process/ends.hpp"
#include "programs/kept.hpp"
#include "util/error.hpp"
#include "util/processes.hpp"

namespace dlrun::programs {

namespace {

constexpr int kChannel = 3, kStart = 4;                       ///< descriptors of a keeper
constexpr int kOut = 5, kErr = 6, kReport = 7, kControl = 8;  ///< likewise, of a program that runs already
constexpr int kTickMs = 50;
constexpr std::chrono::seconds kMostCleaning{5};  ///< for a keeper to kill what its program left

/// Tells the listener what the keeper has said. nullopt: the piece is not over
std::optional<PieceOver> hear(Channel& keeper, const Listener& listener) {
  while (const auto line = keeper.next()) {
    const Answer answer = answer_of(*line);
    if (const auto* over = std::get_if<PieceOver>(&answer)) return *over;
    listener.heard();
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

std::optional<Running> running(std::optional<pid_t> program) {
  if (!program) return std::nullopt;
  return Running{process::Child::adopted(*program), Descriptor(kOut), Descriptor(kErr), Descriptor(kReport),
                 Descriptor(kControl)};
}

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
  process_ = std::move(begun.child);
  channel_ = Channel(std::move(begun.channel));
  spared_.emplace(pid());
}

Keeper::Keeper(process::Watched keeper, Channel channel, const Start& start)
    : folder_(start.files), process_(std::move(keeper)), channel_(std::move(channel)) {
  spared_.emplace(pid());
}

pid_t Keeper::pid() const {
  return std::visit([](const auto& process) { return process.pid(); }, process_);
}

int Keeper::watch() const {
  return std::visit([](const auto& process) { return process.watch(); }, process_);
}

bool Keeper::has_ended() {
  return std::visit([](auto& process) { return process.has_ended(); }, process_);
}

bool Keeper::wait_for_end(std::chrono::milliseconds most) {
  pollfd item{watch(), POLLIN, 0};
  if (!has_ended()) ::poll(&item, 1, static_cast<int>(most.count()));
  return has_ended();
}

void Keeper::wait_until_free(std::chrono::milliseconds most) {
  const auto until = std::chrono::steady_clock::now() + most;
  for (auto left = most; is_leaving_ && !is_free_ && !has_ended() && left.count() > 0;) {
    pollfd item{channel_.fd(), POLLIN, 0};
    if (::poll(&item, 1, static_cast<int>(left.count())) > 0) news();
    left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  }
}

/// A keeper that is killed has left the program, or parts of it.
Keeper::~Keeper() {
  end(0);
  wait_for_end(kMostCleaning);
  news();
  if (!has_ended()) ::kill(pid(), SIGKILL);
  spared_.reset();
  process_ = process::Child();
  if (!has_gone_) end_all_but_spared();
}

void Keeper::leave(double grace) {
  is_leaving_ = true;
  channel_.say(to_line(EndProgram{grace, true}));
}

void Keeper::renew(const Start& start) {
  is_free_ = is_leaving_ = false;
  folder_ = start.files;
  channel_.say(to_line(NextTrial{start.facts, start.files, start.reports}));
}

std::optional<Lent> Keeper::news() {
  std::optional<Lent> last;
  pollfd item{channel_.fd(), POLLIN, 0};
  while (::poll(&item, 1, 0) > 0 && channel_.read()) {
  }
  while (const auto line = channel_.next()) {
    const Answer answer = answer_of(*line);
    if (const auto* lent = std::get_if<Lent>(&answer)) last = *lent;
    is_free_ = is_free_ || std::holds_alternative<Free>(answer);
    has_gone_ = has_gone_ || std::holds_alternative<Gone>(answer);
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

int keep(std::optional<pid_t> program) {
  for (const int number : {SIGPIPE, SIGXFSZ}) ::signal(number, SIG_IGN);
  // A cluster, or a service's manager, sends these to the program and the worker as well, and they end us in time.
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) ::signal(number, SIG_IGN);
  const Descriptor start(kStart);
  Channel last_word(Descriptor(::fcntl(kChannel, F_DUPFD_CLOEXEC, 0)));
  Kept(start_of(process::bytes_of(start)), Channel(Descriptor(kChannel)), running(program)).serve();
  if (has_no_children()) last_word.say(to_line(Gone{}));
  return 0;
}

}  // namespace dlrun::programs
