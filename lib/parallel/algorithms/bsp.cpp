// SPDX-License-Identifier: Apache-2.0
// Bulk synchronous parallel (Valiant 1990), with a parameter server: all ranks compute at the same weights, the server
// takes one step by the mean over all examples. Ranks of a host may sum their gradients first.
#include "parallel/aggregation.hpp"
#include "parallel/algorithms/made.hpp"
#include "parallel/algorithms/partial_bsp.hpp"
#include "parallel/models.hpp"

namespace dlrun::parallel {

namespace {

template <class Real>
class BspAlgorithm : public Algorithm<Real> {
 public:
  explicit BspAlgorithm(const Bsp& settings) : is_server_stepping_(settings.momentum == "server") {}

  bool is_synchronous() const override { return true; }
  bool has_equal_ranks() const override { return true; }

  Task run(Env<Real>& env, Rank<Real>& rank) const override {
    for (;;) {
      Change<Real> change;
      co_await begin_change(env, is_server_stepping_, rank.weights, change);
      ++rank.clock;
      if (change.samples > 0) rank.staleness.note(0);
      co_await push_sum(env, rank, change);
      co_await pull_sum(env, rank);
    }
  }

  Task serve(Env<Real>& env, Server<Real>& server) const override {
    begin_answers(env.gang(), server);
    for (;;) {
      std::vector<Real> sum(server.weights.size() + env.gang().squares);
      double samples = 0;
      const int ranks = env.gang().ranks, aggregate = env.gang().aggregate;
      for (int from = 0; from < ranks; from += aggregate) {
        const Filter filter{.kind = Kind::change, .from = from};
        const Message<Real> message = co_await env.receive(filter);
        add_packed(sum, message);
        samples += message.samples;
        co_await take_time(env, server, message);
      }
      if (samples > 0) scale(sum, 1 / samples);
      env.note_squares(cut_off(sum, env.gang().squares));
      if (samples > 0) absorb(env, is_server_stepping_, server, sum, 1);
      ++server.clock;
      for (int to = 0; to < ranks; to += aggregate) reply(env, to, server, server.clock);
    }
  }

  std::vector<Real> model(const Members<Real>& members) const override { return model_of(members.servers); }

 private:
  bool is_server_stepping_;
};

}  // namespace

template <class Real>
Made<Real> make(const Bsp& settings) {
  if (settings.drop_slowest > 0) return std::make_unique<PartialBspAlgorithm<Real>>(settings);
  return std::make_unique<BspAlgorithm<Real>>(settings);
}
template Made<float> make(const Bsp&);
template Made<double> make(const Bsp&);

}  // namespace dlrun::parallel
