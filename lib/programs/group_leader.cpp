// SPDX-License-Identifier: Apache-2.0
#include "programs/group_leader.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>

#include "process/srun.hpp"
#include "util/ports.hpp"
#include "util/visible.hpp"

namespace dlrun::programs {

namespace {

using std::chrono::seconds;

constexpr seconds kGathering{300};  ///< for all hosts to start their ranks
constexpr seconds kGroupGrace{5};   ///< between asking ranks to end and ending them
constexpr seconds kLastOutput{10};  ///< for srun to hand over the last output
constexpr std::size_t kMostGuests = 64;

std::vector<std::string> start_command(const GroupLeader::Options& options) {
  std::vector<std::string> words = process::srun_command(options.nodes);
  words.insert(words.end(),
               {"--kill-on-bad-exit=1", std::filesystem::read_symlink("/proc/self/exe").string(), "--rank"});
  words.insert(words.end(), options.command.begin(), options.command.end());
  return words;
}

}  // namespace

GroupLeader::GroupLeader(Options options)
    : options_(std::move(options)), ranks_(std::size_t(options_.nodes)), deadline_(Clock::now() + kGathering) {
  listener_ = listen_anywhere(place_.port);
  place_.token = new_token();
  place_.leader = ::getpid();
  place_.folder = std::filesystem::current_path().string();
  place_.nodes = options_.nodes;
  place_.gpus = options_.gpus;
  ::setenv(kGroupVariable, text_of(place_).c_str(), 1);
  srun_ = process::Child({.arguments = start_command(options_),
                          .descriptors = {{-1, 0}},
                          .group = process::Group::own,
                          .dies_with_us = true,
                          .unblocks_signals = true});
  if (srun_.fault() != 0) lose(fmt::format("cannot run srun: {}", std::strerror(srun_.fault())));
}

GroupLeader::Ending GroupLeader::run() {
  while (!is_over()) wait();
  listener_.close();
  guests_.clear();
  ranks_.clear();
  pollfd item{srun_.watch(), POLLIN, 0};
  if (srun_.pid() > 0 && !srun_.has_ended()) ::poll(&item, 1, int(std::chrono::milliseconds(kLastOutput).count()));
  srun_ = process::Child();
  return ending_.value_or(Ending{});
}

bool GroupLeader::is_over() const {
  if (is_over_) return true;
  if (!has_begun_) return ending_ || is_asked_;
  return std::all_of(ranks_.begin(), ranks_.end(), [](const auto& rank) { return rank->is_over; });
}

void GroupLeader::wait() {
  std::vector<pollfd> items{
      {options_.stop, POLLIN, 0}, {listener_.fd(), POLLIN, 0}, {srun_has_ended_ ? -1 : srun_.watch(), POLLIN, 0}};
  for (const auto& rank : ranks_) items.push_back({rank && !rank->is_over ? rank->channel.fd() : -1, POLLIN, 0});
  const std::size_t first_guest = items.size();
  for (const Guest& guest : guests_) items.push_back({guest.socket.fd(), POLLIN, 0});
  ::poll(items.data(), items.size(), milliseconds_left());
  if (Clock::now() >= deadline_) return give_up();
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (items[3 + i].revents != 0) hear(i);
  }
  if (items[2].revents != 0) note_end_of_srun();
  if (items[0].revents != 0) ask_to_end();
  for (std::size_t i = guests_.size(); i > 0; --i) {
    if (items[first_guest + i - 1].revents != 0) admit(i - 1);
  }
  if (items[1].revents != 0) accept();
}

int GroupLeader::milliseconds_left() const {
  if (deadline_ == Clock::time_point::max()) return -1;
  return int(std::max<std::int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now()).count()));
}

void GroupLeader::give_up() {
  is_over_ = true;
  lose(has_begun_ ? "srun has ended before its ranks"
                  : fmt::format("only {} of {} ranks came within {} s", count(), options_.nodes, kGathering.count()));
}

std::size_t GroupLeader::count() const {
  return std::size_t(std::count_if(ranks_.begin(), ranks_.end(), [](const auto& rank) { return rank.has_value(); }));
}

// ---- the start

void GroupLeader::accept() {
  Descriptor socket = accept_from(listener_);
  if (!socket.is_open() || has_begun_) return;
  if (guests_.size() == kMostGuests) guests_.pop_front();
  guests_.push_back({std::move(socket), {}});
}

/// Reads no more than the token of somebody who has not shown it.
void GroupLeader::admit(std::size_t index) {
  Guest& guest = guests_[index];
  char bytes[kTokenLength];
  const ssize_t got = ::recv(guest.socket.fd(), bytes, kTokenLength - guest.token.size(), MSG_DONTWAIT);
  if (got > 0) guest.token.append(bytes, std::size_t(got));
  if (got > 0 && guest.token.size() < kTokenLength) return;
  if (guest.token == place_.token) join(Channel(std::move(guest.socket)));
  guests_.erase(guests_.begin() + std::ptrdiff_t(index));
}

void GroupLeader::join(Channel channel) {
  std::optional<std::string> hello;
  while (!(hello = channel.next())) {
    if (!channel.read()) return;
  }
  std::size_t rank = ranks_.size();
  int port = 0;
  std::string host;
  std::istringstream(*hello) >> rank >> port >> host;
  if (rank >= ranks_.size() || ranks_[rank]) return;
  ranks_[rank].emplace(Rank{std::move(channel), host, port});
  if (count() == ranks_.size()) begin();
}

void GroupLeader::begin() {
  has_begun_ = true;
  deadline_ = Clock::time_point::max();
  for (auto& rank : ranks_) rank->channel.say(std::to_string(ranks_[0]->port));
}

// ---- the end

void GroupLeader::hear(std::size_t rank) {
  const bool is_there = ranks_[rank]->channel.read();
  while (const auto line = ranks_[rank]->channel.next()) note_line(rank, *line);
  if (is_there || ranks_[rank]->is_over) return;
  ranks_[rank]->is_over = true;
  lose(fmt::format("{} was lost: its connection broke", name(rank)));
}

namespace {

std::optional<int> whole_number(const std::string& text) {
  int number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace

void GroupLeader::note_line(std::size_t rank, const std::string& line) {
  const std::size_t blank = line.find(' ');
  const std::string rest = line.substr(std::min(blank, line.size() - 1) + 1);
  ranks_[rank]->is_over = true;
  if (line.starts_with("ended ")) {
    if (const auto status = whole_number(rest)) return note_end(rank, *status);
    return lose(fmt::format("{} was lost: it said '{}'", name(rank), visible(line)));
  }
  lose(fmt::format("{} could not start: {}", name(rank), rest));
}

void GroupLeader::note_end(std::size_t rank, int status) {
  if (status == 0 || ending_) return;
  if (is_asked_) return void(ending_ = Ending{status, {}});
  const std::string text = fmt::format("{} ended with {}", name(rank), process::end_text(status));
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) return lose(text + ", which was not sent by dlrun");
  if (rank > 0) fmt::print(stderr, "{}\n", text);
  fail({status, {}});
}

void GroupLeader::note_end_of_srun() {
  srun_has_ended_ = srun_.has_ended();
  if (!srun_has_ended_) return;
  if (has_begun_) {
    deadline_ = std::min(deadline_, Clock::now() + kGroupGrace);  // word of the ranks' ends may still be on its way
    return;
  }
  lose(fmt::format("only {} of {} ranks could start: srun ended with {}", count(), options_.nodes,
                   process::end_text(srun_.status())));
}

void GroupLeader::lose(const std::string& what) {
  if (!is_asked_) fail({0, what});
}

void GroupLeader::fail(Ending ending) {
  if (ending_) return;
  ending_ = std::move(ending);
  deadline_ = std::min(deadline_, Clock::now() + kGroupGrace);
  tell_all_to_end();
}

void GroupLeader::ask_to_end() {
  options_.stop = -1;
  is_asked_ = true;
  tell_all_to_end();
}

void GroupLeader::tell_all_to_end() {
  for (auto& rank : ranks_) {
    if (has_begun_ && rank && !rank->is_over) rank->channel.say("end");
  }
}

std::string GroupLeader::name(std::size_t rank) const { return fmt::format("rank {} on {}", rank, ranks_[rank]->host); }

}  // namespace dlrun::programs
