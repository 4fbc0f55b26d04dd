// SPDX-License-Identifier: Apache-2.0
#include "study/clock.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace dlrun::study {

std::vector<int> Piece::running() const {
  std::vector<int> out;
  for (const int number : {attempt, copy}) {
    if (number > 0) out.push_back(number);
  }
  return out;
}

bool Piece::drop(int number) {
  if (running().size() < 2) return false;
  (number == copy ? copy : attempt) = 0;
  return true;
}

Clock::Clock(int lanes, Tick slack, Tick stride, bool arrival) : slack_(slack), arrival_(arrival) {
  restart(lanes, slack, stride, 0);
}

void Clock::restart(int lanes, Tick slack, Tick stride, Tick at) {
  slack_ = slack;
  lanes_.clear();
  lane_count_ = std::max(lanes, 1);
  for (int lane = 0; lane < lane_count_; ++lane) lanes_.emplace(arrival_ ? 0 : at + lane * stride, lane);
}

std::optional<Moment> Clock::next() const {
  if (arrival_) return next_arrival();
  const auto [at, lane] = *lanes_.begin();
  if (!awaited(1).empty()) return std::nullopt;
  return Moment{lane, at};
}

std::vector<const Piece*> Clock::awaited(std::size_t most) const {
  std::vector<const Piece*> all;
  for (const auto& [order, piece] : pieces_) {
    if (all.size() == most || (!arrival_ && order.first + slack_ > lanes_.begin()->first)) break;
    if (!piece.has_ended) all.push_back(&piece);
  }
  return all;
}

std::optional<Moment> Clock::next_arrival() const {
  if (lanes_.empty()) return std::nullopt;
  return Moment{lanes_.begin()->second, arrivals_};
}

std::vector<Piece> Clock::reveal(Tick at) {
  std::vector<Piece> visible;
  for (auto it = pieces_.begin(); it != pieces_.end();) {
    const Piece& piece = it->second;
    const bool is_due = arrival_ ? piece.has_ended && piece.arrival <= at : piece.end + slack_ <= at;
    if (!is_due && !arrival_) break;
    if (!is_due) {
      ++it;
      continue;
    }
    assert(piece.has_ended);
    --ended_pending_;
    members_.erase(piece.key.member);
    visible.push_back(piece);
    it = pieces_.erase(it);
  }
  if (arrival_) std::sort(visible.begin(), visible.end(), [](auto& a, auto& b) { return a.arrival < b.arrival; });
  return visible;
}

std::optional<Tick> Clock::next_visible() const {
  if (pieces_.empty()) return std::nullopt;
  return pieces_.begin()->first.first + slack_;
}

void Clock::start(const Piece& piece) {
  const Order order{piece.end, piece.decision};
  members_.emplace(piece.key.member, order);
  pieces_.emplace(order, piece);
  std::erase_if(lanes_, [&](const auto& lane) { return lane.second == piece.lane; });
  if (!arrival_) lanes_.emplace(piece.end, piece.lane);
}

void Clock::idle(int lane, Tick until) {
  std::erase_if(lanes_, [&](const auto& l) { return l.second == lane; });
  lanes_.emplace(until, lane);
}

int Clock::free_before(Tick at) const {
  return static_cast<int>(std::distance(lanes_.begin(), lanes_.lower_bound({at, 0})));
}

void Clock::idle_all(Tick until) {
  while (!lanes_.empty() && lanes_.begin()->first < until) {
    const int lane = lanes_.begin()->second;
    lanes_.erase(lanes_.begin());
    lanes_.emplace(until, lane);
  }
}

void Clock::end(Piece& piece) {
  piece.has_ended = true;
  piece.arrival = ++arrivals_;
  ++ended_pending_;
  if (arrival_) lanes_.emplace(0, piece.lane);
}

Piece* Clock::find(const trial::Member& member) {
  const auto it = members_.find(member);
  return it == members_.end() ? nullptr : &pieces_.at(it->second);
}

Piece* Clock::find(const trial::PieceKey& key, int attempt) {
  Piece* piece = find(key.member);
  return piece && !piece->has_ended && piece->key == key && piece->runs(attempt) ? piece : nullptr;
}

std::vector<Piece*> Clock::pending() {
  std::vector<Piece*> all;
  for (auto& [order, piece] : pieces_) all.push_back(&piece);
  return all;
}

}  // namespace dlrun::study
