// SPDX-License-Identifier: Apache-2.0
#include "parallel/wires.hpp"

#include <algorithm>

namespace dlrun::parallel {

Wires::Wires(const ClusterConfig& config, int hosts) : config_(config), rate_(config.bandwidth_gbit * 1e9 / 8) {
  const int cards = card(hosts - 1) + 1;
  out_.resize(std::size_t(cards));
  in_.resize(std::size_t(cards));
  for (int from = 0; from < cards; ++from) {
    for (int to = 0; to < cards; ++to) lanes_.push_back({from, to});
  }
}

void Wires::send(double now, const Route& route, double bytes, std::uint64_t message) {
  advance(now);
  const Ends ends{route.from, route.to};
  std::deque<Message>& connection = connections_[ends];
  connection.push_back({bytes, message});
  if (connection.size() > 1) return;
  const int number = card(route.from_host) * int(out_.size()) + card(route.to_host);
  Lane& lane = lanes_[std::size_t(number)];
  if (lane.heads.empty()) {
    used_.push_back(number);
    lane.rate = lane.served = 0;
  }
  lane.heads.push({lane.served + bytes, message, ends});
}

std::vector<std::uint64_t> Wires::receive(double now) {
  advance(now);
  const double rounding = 1e-9 + 1e-15 * now;  // seconds
  std::vector<std::uint64_t> through;
  for (const int number : used_) {
    Lane& lane = lanes_[std::size_t(number)];
    while (!lane.heads.empty() && std::get<0>(lane.heads.top()) - lane.served <= lane.rate * rounding) {
      const auto [served, message, ends] = lane.heads.top();
      lane.heads.pop();
      through.push_back(message);
      std::deque<Message>& connection = connections_.at(ends);
      connection.pop_front();
      if (!connection.empty()) lane.heads.push({served + connection.front().bytes, connection.front().number, ends});
    }
  }
  std::erase_if(used_, [&](int number) { return lanes_[std::size_t(number)].heads.empty(); });
  return through;
}

void Wires::advance(double now) {
  for (const int number : used_) lanes_[std::size_t(number)].served += lanes_[std::size_t(number)].rate * (now - last_);
  last_ = now;
}

void Wires::count_connections() {
  for (auto* side : {&out_, &in_}) {
    for (Card& card : *side) card = {rate_, 0};
  }
  for (const int number : used_) {
    Lane& lane = lanes_[std::size_t(number)];
    lane.rate = 0;
    out_[std::size_t(lane.from)].connections += double(lane.heads.size());
    in_[std::size_t(lane.to)].connections += double(lane.heads.size());
  }
}

double Wires::least_fair() const {
  double least = std::numeric_limits<double>::infinity();
  for (const auto* side : {&out_, &in_}) {
    for (const Card& card : *side) least = std::min(least, card.fair());
  }
  return least;
}

/// Max-min fairness by progressive filling (Bertsekas, Gallager, Data Networks, 6.5.2): the card that can give its
/// connections least gives it to them, and what they do not use elsewhere is for others.
double Wires::share() {
  count_connections();
  double next = std::numeric_limits<double>::infinity();
  for (std::size_t open = used_.size(); open > 0;) {
    const double least = least_fair();
    for (const int number : used_) {
      Lane& lane = lanes_[std::size_t(number)];
      Card &a = out_[std::size_t(lane.from)], &b = in_[std::size_t(lane.to)];
      if (lane.rate > 0 || std::min(a.fair(), b.fair()) > least * (1 + 1e-9)) continue;
      lane.rate = least;
      --open;
      a.give(least, double(lane.heads.size()));
      b.give(least, double(lane.heads.size()));
      next = std::min(next, last_ + std::max(0.0, std::get<0>(lane.heads.top()) - lane.served) / least);
    }
  }
  return next;
}

}  // namespace dlrun::parallel
