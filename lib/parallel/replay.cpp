// SPDX-License-Identifier: Apache-2.0
#include "parallel/replay.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "util/error.hpp"

namespace dlrun::parallel {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorKind::store, "the record does not fit this training: " + why);
}

std::string place_of(int process, std::size_t place, std::size_t events) {
  return fmt::format("event {} of {} of process {}", place + 1, events, process);
}

int processes_of(const Gang& gang) {
  int last = 0;
  for (int node = 0; node < gang.nodes(); ++node) last = std::max(last, gang.process_of(node));
  return last + 1;
}

}  // namespace

template <class Real>
Replay<Real>::Replay(const Gang& gang, const Algorithm<Real>& algorithm, Members<Real>& members, Learner<Real>& learner,
                     const typename Process<Real>::Options& options, const std::vector<std::string>& records)
    : gang_(gang) {
  typename Process<Real>::Outside& outside = *this;
  const int processes = processes_of(gang);
  if (int(records.size()) != processes)
    refuse(fmt::format("it has {} processes, the gang has {}", records.size(), processes));
  for (int process = 0; process < processes; ++process) {
    players_.push_back({read_record(records[std::size_t(process)], process)});
    players_.back().process =
        std::make_unique<Process<Real>>(gang, algorithm, members, learner, process, options, outside);
  }
}

template <class Real>
void Replay<Real>::begin(const Deal& deal) {
  deal_ = deal;
  computed_.assign(std::size_t(deal.rounds(gang_.ranks) * gang_.ranks), false);
  for (Player& player : players_) player.process->begin();
}

template <class Real>
bool Replay<Real>::advance() {
  for (std::size_t asked = 0; asked < players_.size(); ++asked, ++turn_) {
    Player& player = players_[turn_ % players_.size()];
    if (can_go_on(player)) return go_on(player), true;
  }
  if (!std::all_of(players_.begin(), players_.end(), [](const Player& one) { return one.is_done(); })) fail_waiting();
  require_end();
  return false;
}

template <class Real>
void Replay<Real>::end() {
  for (Player& player : players_) player.process->end();
}

template <class Real>
std::vector<Cost> Replay<Real>::costs() const {
  std::vector<Cost> all;
  for (const Player& player : players_) all.push_back(player.process->cost());
  return all;
}

template <class Real>
double Replay<Real>::bytes() const {
  double sum = 0;
  for (const Cost& cost : costs()) sum += cost.sent;
  return sum;
}

template <class Real>
void Replay<Real>::send(Process<Real>& from, int to, Message<Real> message) {
  between(from.number(), gang_.process_of(to)).push_back({to, std::move(message)});
}

template <class Real>
bool Replay<Real>::can_go_on(Player& player) {
  if (player.process->has_turn()) return true;
  if (player.is_done()) return false;
  const int from = player.next().from;
  return from == RecordedEvent::kNobody ? player.process->waits() : !between(from, player.process->number()).empty();
}

template <class Real>
void Replay<Real>::go_on(Player& player) {
  begun_ = player.begun;
  if (player.process->has_turn()) return player.process->take_turn();
  const RecordedEvent event = player.next();
  ++turn_;
  if (event.from == RecordedEvent::kNobody) return compute(player, event.number);
  ++player.place;
  begun_ = player.begun = event.number;
  std::deque<Sent>& queue = between(event.from, player.process->number());
  Sent next = std::move(queue.front());
  queue.pop_front();
  player.process->deliver(next.to, std::move(next.message));
}

template <class Real>
void Replay<Real>::compute(Player& player, std::int64_t batch) {
  require_batch(player, player.process->waiting_rank(), batch);
  ++player.place;
  ++started_;
  computed_[std::size_t(batch)] = true;
  player.process->make_gradient(batch);
  player.process->give_gradient();
}

template <class Real>
void Replay<Real>::require_batch(const Player& player, int rank, std::int64_t batch) const {
  const bool is_own = deal_.has_lists();
  const bool exists = is_own ? batch % gang_.ranks == rank && deal_.has(rank, batch / gang_.ranks, gang_.ranks)
                             : batch < deal_.batches();
  const std::string place = place_of(player.process->number(), player.place, player.events.size());
  if (!exists) refuse(fmt::format("{} computes batch {}, which the epoch has not for it", place, batch));
  if (computed_[std::size_t(batch)]) refuse(fmt::format("{} computes batch {} once more", place, batch));
}

/// All have come to the ends of their records; the epoch must be at its end too.
template <class Real>
void Replay<Real>::require_end() {
  if (started_ < deal_.batches())
    refuse(fmt::format("its processes compute {} of the epoch's {} batches", started_, deal_.batches()));
  for (const auto& [way, queue] : sent_) {
    if (!queue.empty())
      refuse(fmt::format("process {} does not take in the last {} of process {}", way.second,
                         queue.size() == 1 ? "message" : fmt::format("{} messages", queue.size()), way.first));
  }
}

template <class Real>
void Replay<Real>::fail_waiting() {
  std::vector<std::string> waits;
  for (const Player& player : players_) {
    if (player.is_done()) continue;
    const RecordedEvent& next = player.next();
    const std::string what = next.from == RecordedEvent::kNobody
                                 ? fmt::format("computes batch {}", next.number)
                                 : fmt::format("takes in a message of process {}", next.from);
    waits.push_back(place_of(player.process->number(), player.place, player.events.size()) + " " + what);
  }
  refuse(fmt::format("no process can go on: {}", fmt::join(waits, "; ")));
}

template class Replay<float>;
template class Replay<double>;

}  // namespace dlrun::parallel
