// SPDX-License-Identifier: Apache-2.0
// Messages on their way. Every host has one network card, or virtual hosts share one. The connections that use a card
// have equal shares of it, as TCP gives them; a connection carries one message after the other.
//
// The rival was one queue of whole messages for each direction of a card. Ranks then take turns, and asynchronous ones
// compute while others send: 24 ranks of asp with ResNet-50 at 10 Gbit/s took 0.80 s for an iteration, the least that
// the cards allow, and bsp 0.77 s. Where cards are shared fairly, ranks fall into step: 1.00 s and 0.80 s. Published
// are 1.27 s and 1.02 s.
#pragma once
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "parallel/cluster.hpp"

namespace dlrun::parallel {

/// Ends of a connection.
struct Route {
  int from = 0, to = 0;  ///< numbers of processes
  int from_host = 0, to_host = 0;
};

/// Times are in seconds and must not fall from call to call.
class Wires {
 public:
  Wires(const ClusterConfig& config, int hosts);

  /// Messages between processes of one card do not use it.
  bool share_card(const Route& route) const { return card(route.from_host) == card(route.to_host); }
  /// Time at which such a message is there.
  double passed(double now, double bytes) const { return now + bytes / (config_.bus_gbyte * 1e9); }
  /// Whether a message takes no bandwidth.
  bool is_instant(double bytes) const { return !(bytes > 0) || rate_ == std::numeric_limits<double>::infinity(); }

  /// A message sets out. share() is to be called before time goes on.
  void send(double now, const Route& route, double bytes, std::uint64_t message);
  /// Takes out the messages that are through.
  std::vector<std::uint64_t> receive(double now);
  /// Gives connections their bandwidth. @return time at which the next message is through; infinity if there is none
  double share();

 private:
  using Ends = std::pair<int, int>;
  struct Message {
    double bytes;
    std::uint64_t number;
  };
  /// All connections from one card to another: they have the same rate.
  struct Lane {
    int from = 0, to = 0;                                  ///< cards
    double rate = 0;                                       ///< bytes per second of each connection
    double served = 0;                                     ///< bytes that each has had
    using Head = std::tuple<double, std::uint64_t, Ends>;  ///< `served` when the message is through; number; connection
    std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  };
  /// One direction of a card while its bandwidth is given away.
  struct Card {
    double left = 0;
    double connections = 0;  ///< connections that have no rate yet

    double fair() const { return connections > 0 ? left / connections : std::numeric_limits<double>::infinity(); }
    void give(double rate, double count) {
      left -= rate * count;
      connections -= count;
    }
  };

  int card(int host) const { return host / config_.hosts_per_card; }
  void advance(double now);
  void count_connections();
  double least_fair() const;

  ClusterConfig config_;
  double rate_;      ///< bytes per second of a card
  double last_ = 0;  ///< time of the last change
  std::vector<Lane> lanes_;
  std::vector<int> used_;       ///< lanes with messages
  std::vector<Card> out_, in_;  ///< by card
  std::map<Ends, std::deque<Message>> connections_;
};

}  // namespace dlrun::parallel
