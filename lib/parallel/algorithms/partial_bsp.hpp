// SPDX-License-Identifier: Apache-2.0
// BSP whose rounds end without their slowest gradients: with b of n + b ranks left out these are backup ranks (Chen et
// al. 2016, "Revisiting distributed synchronous SGD"). A gradient that comes after its round is dropped, and its rank
// goes on with the weights as they are. Ranks take the next batch that nobody has, so that the fast ones take more. If
// each rank has a list of its own, a round needs no more gradients than there are ranks that are not through with
// theirs.
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "parallel/models.hpp"
#include "parallel/pushes.hpp"

namespace dlrun::parallel {

/// One server has the whole model. Rank and server clocks count rounds; server counts are the dropped gradients, by
/// rank.
template <class Real>
class PartialBspAlgorithm : public Algorithm<Real> {
 public:
  explicit PartialBspAlgorithm(const Bsp& settings)
      : is_server_stepping_(settings.momentum == "server"), dropped_(settings.drop_slowest) {}

  bool has_total_counts() const override { return true; }

  void begin(const Gang& gang, Members<Real>& members) const override {
    for (Server<Real>& server : members.servers) server.counts.assign(std::size_t(gang.ranks), 0);
  }

  Task run(Env<Real>& env, Rank<Real>& rank) const override {
    for (;;) {
      Change<Real> change;
      co_await begin_change(env, is_server_stepping_, rank.weights, change);
      co_await push_as_made(env, rank, change, true);
      co_await pull(env, rank);
      rank.clock = rank.pulled;
    }
  }

  Task serve(Env<Real>& env, Server<Real>& server) const override {
    begin_answers(env.gang(), server);
    std::vector<std::int64_t> left = env.gang().lists;
    for (;;) {
      Round round(std::size_t(env.gang().ranks));
      while (needs_more(round, left)) {
        const Filter filter{.kind = Kind::change};
        Message<Real> message = co_await env.receive(filter);
        if (!left.empty()) --left[std::size_t(message.from)];
        if (message.clock == server.clock) {
          co_await take_time(env, server, message);
          round[std::size_t(message.from)] = std::move(message);
        } else {
          ++server.counts[std::size_t(message.from)];
          reply(env, message.from, server, server.clock);
        }
      }
      step(env, server, round);
      for (int to = 0; to < env.gang().ranks; ++to) {
        if (round[std::size_t(to)]) reply(env, to, server, server.clock);
      }
    }
  }

  std::vector<Real> model(const Members<Real>& members) const override { return model_of(members.servers); }

 private:
  /// Gradients of a round, by rank.
  using Round = std::vector<std::optional<Message<Real>>>;

  /// Whether a round waits for another gradient, which may be sent still.
  /// @param left  batches of each rank whose gradients have not come; empty: they belong to all
  bool needs_more(const Round& round, const std::vector<std::int64_t>& left) const {
    const auto count = std::count_if(round.begin(), round.end(), [](const auto& one) { return one.has_value(); });
    if (count >= std::max(1, int(round.size()) - dropped_)) return false;
    if (count == 0 || left.empty()) return true;
    for (std::size_t rank = 0; rank < round.size(); ++rank) {
      if (!round[rank] && left[rank] > 0) return true;
    }
    return false;
  }

  /// By the mean over the examples of a round, summed in the order of ranks.
  void step(Env<Real>& env, Server<Real>& server, const Round& round) const {
    std::vector<Real> sum(server.weights.size());
    double samples = 0;
    for (const auto& message : round) {
      if (!message) continue;
      add_to(sum, unpacked(*message, sum.size()), message->samples);
      samples += message->samples;
      if (message->samples > 0) server.staleness.take_in_step(message->from);
    }
    if (samples > 0) scale(sum, 1 / samples);
    if (samples > 0) absorb(env, is_server_stepping_, server, sum, 1);
    ++server.clock;
  }

  bool is_server_stepping_;
  int dropped_;
};

}  // namespace dlrun::parallel
