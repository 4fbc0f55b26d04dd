// SPDX-License-Identifier: Apache-2.0
// Asynchronous parallel training: a rank waits for its own round trip only. Each change counts 1/n, so that n of them
// are one step of bsp.
#include "parallel/algorithms/made.hpp"
#include "parallel/models.hpp"
#include "parallel/pushes.hpp"

namespace dlrun::parallel {

namespace {

template <class Real>
class AspAlgorithm : public Algorithm<Real> {
 public:
  explicit AspAlgorithm(const Asp& settings) : is_server_stepping_(settings.momentum == "server") {}

  Task run(Env<Real>& env, Rank<Real>& rank) const override {
    for (;;) co_await push_and_pull(env, is_server_stepping_, rank);
  }

  Task serve(Env<Real>& env, Server<Real>& server) const override {
    begin_answers(env.gang(), server);
    for (;;) {
      const Filter filter{.kind = Kind::change};
      const Message<Real> message = co_await env.receive(filter);
      co_await take_time(env, server, message);
      const std::vector<Real> numbers = unpacked(message, server.weights.size());
      absorb(env, is_server_stepping_, server, numbers, 1.0 / env.gang().ranks);
      ++server.clock;
      server.staleness.take_in(message.from);
      reply(env, message.from, server, server.clock);
    }
  }

  std::vector<Real> model(const Members<Real>& members) const override { return model_of(members.servers); }

 private:
  bool is_server_stepping_;
};

}  // namespace

template <class Real>
Made<Real> make(const Asp& settings) {
  return std::make_unique<AspAlgorithm<Real>>(settings);
}
template Made<float> make(const Asp&);
template Made<double> make(const Asp&);

}  // namespace dlrun::parallel
