// SPDX-License-Identifier: Apache-2.0
// An algorithm's view of its node: it may compute, send, wait for messages, draw. The meaning of time and transport is
// the backend's business, so that the same algorithm runs in virtual time and between processes.
#pragma once
#include <coroutine>
#include <optional>
#include <span>
#include <utility>

#include "parallel/codec.hpp"
#include "parallel/learner.hpp"
#include "parallel/mailbox.hpp"
#include "util/random.hpp"

namespace dlrun::parallel {

/// A layer as codecs see it.
struct Tensor {
  Shard at;
  std::size_t rows = 0, columns = 0;  ///< rows and columns of a matrix; 0: it is none
};

/// Members: nodes 0 to ranks − 1 compute, the servers come after them.
struct Gang {
  int ranks = 1;
  std::vector<Shard> shards;   ///< pieces of a parameter server, each a node of its own; empty: none
  std::vector<int> order;      ///< positions of shards, as the backward pass makes their gradients
  std::vector<Shard> buckets;  ///< pieces of an all-reduce of gradients, in such an order
  int aggregate = 1;           ///< neighbouring ranks that sum their gradients before one of them sends the sum
  std::size_t size = 0;        ///< numbers in the weights; 0 in timing mode
  double rate = 1;             ///< factor of the learning rate at every step
  Codec codec;
  std::vector<Tensor> tensors;  ///< in the order of the weights
  int epoch = 0;                ///< epoch of the training, which a codec's warm-up counts
  std::uint64_t seed = 0;       ///< a codec's draws
  std::size_t squares = 0;      ///< squared norms that ride with each gradient, for rates that follow from them
  std::vector<int> seats;       ///< by rank: its process, where some of those at first are lost; empty: its own number
  int founders = 0;             ///< ranks at first, where some are lost
  std::vector<std::int64_t> lists;  ///< batches of each rank in the epoch under way; empty: they belong to all

  int servers() const { return int(shards.size()); }
  int server(int shard) const { return ranks + shard; }
  int nodes() const { return ranks + servers(); }
  /// Processes that ranks have, or had; then come those of the servers, each with all its shards.
  int rank_processes() const { return seats.empty() ? ranks : founders; }
  int process_of(int node) const {
    if (node < ranks) return seats.empty() ? node : seats[std::size_t(node)];
    return rank_processes() + shards[std::size_t(node - ranks)].server;
  }
};

/// Part of the model's bytes that a shard has with the squared norms that ride along.
inline double with_squares(const Gang& gang, const Shard& shard) {
  return gang.size > 0 ? shard.share + double(gang.squares) / double(gang.size) : shard.share;
}

/// One node as its algorithm sees it.
template <class Real>
class Env {
 public:
  Env(const Gang& gang, int self, RandomStream random) : gang_(gang), self_(self), random_(random) {}
  virtual ~Env() = default;
  Env(const Env&) = delete;
  Env& operator=(const Env&) = delete;

  const Gang& gang() const { return gang_; }
  int self() const { return self_; }
  RandomStream& random() { return random_; }
  Mailbox<Real>& mailbox() { return mailbox_; }

  struct Computing {
    Env& env;
    const std::vector<Real>& weights;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> then) { env.compute(weights, then); }
    Gradient<Real> await_resume() { return env.take_gradient(); }
  };
  /// The gradient of the next batch at the weights as they are now. May stay away for ever: then no batch is left.
  Computing gradient(const std::vector<Real>& weights) { return {*this, weights}; }

  struct Beginning {
    Env& env;
    const std::vector<Real>& weights;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> then) { env.begin_computing(weights, then); }
    double await_resume() { return env.samples(); }
  };
  /// Begins the same gradient and goes on at once with its number of samples; made() gives its parts.
  /// REQUIRES: one of them is the part that the backward pass makes last.
  Beginning begin_gradient(const std::vector<Real>& weights) { return {*this, weights}; }

  struct Making {
    Env& env;
    Shard shard;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> then) { env.make(shard.ready, then); }
    std::vector<Real> await_resume() { return env.copy_made(shard); }
  };
  /// The gradient of a shard, once the backward pass has made it; zeros if there was no batch left.
  Making made(const Shard& shard) { return {*this, shard}; }

  struct Working {
    Env& env;
    double share;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> then) { env.work(share, then); }
    void await_resume() const {}
  };
  /// Takes the time of taking `share` of a model's bytes in: into weights, or into a sum. A rank, or a server with all
  /// its shards, does one after the other.
  Working work(double share) { return {*this, share}; }

  struct Summing {
    Env& env;
    std::vector<Real>& numbers;
    double share;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> then) { env.sum(numbers, share, then); }
    void await_resume() const {}
  };
  /// Whether the backend has a sum over all ranks of its own.
  virtual bool has_collective() const { return false; }
  /// Sums over all ranks by that, in place and in an order of its own. All ranks ask for the same sums in the same
  /// order. REQUIRES: has_collective(). @param share  part of the model's bytes
  Summing summed(std::vector<Real>& numbers, double share) { return {*this, numbers, share}; }

  struct Settling {
    Env& env;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> then) { env.settle(then); }
    void await_resume() const {}
  };
  /// Goes on once all has happened that happens at this instant of virtual time; elsewhere at once.
  Settling settled() { return {*this}; }

  struct Receiving {
    Mailbox<Real>& mailbox;
    Filter filter;
    std::optional<Message<Real>> found;
    bool await_ready() { return (found = mailbox.take(filter)).has_value(); }
    void await_suspend(std::coroutine_handle<> then) { mailbox.wait(filter, then, &found); }
    Message<Real> await_resume() { return std::move(*found); }
  };
  /// The oldest message that fits, now or later.
  Receiving receive(Filter filter) { return {mailbox_, filter, {}}; }
  /// The same if it is there already.
  std::optional<Message<Real>> take(Filter filter) { return mailbox_.take(filter); }

  /// Sends and goes on at once.
  void post(int to, Message<Real> message) {
    message.from = self_;
    send(to, std::move(message));
  }
  /// Squared norms of the gradient that was begun; zeros if there was no batch left.
  std::vector<Real> squares() const { return gang_.squares > 0 ? copy_squares() : std::vector<Real>(); }
  /// Tells the optimiser their mean over all ranks, before the step by the mean gradient.
  void note_squares(std::span<const Real> means) {
    if (!means.empty()) tell_squares(means);
  }
  /// A step of this node's optimiser over the whole model.
  void step(std::vector<Real>& weights, const std::vector<Real>& gradient, double factor = 1) {
    step(Shard{0, gang_.size, 1}, weights, gradient, factor);
  }
  /// @param weights, gradient  of `shard` only
  void step(const Shard& shard, std::span<Real> weights, std::span<const Real> gradient, double factor) {
    if (gang_.size > 0) move(shard, weights, gradient, factor * gang_.rate);
  }

 protected:
  virtual void compute(const std::vector<Real>& weights, std::coroutine_handle<> then) = 0;
  virtual Gradient<Real> take_gradient() = 0;
  virtual void begin_computing(const std::vector<Real>& weights, std::coroutine_handle<> then) = 0;
  virtual double samples() const = 0;
  /// @param ready  part of the gradient's time
  virtual void make(double ready, std::coroutine_handle<> then) = 0;
  virtual std::vector<Real> copy_made(const Shard& shard) = 0;
  virtual std::vector<Real> copy_squares() const = 0;
  virtual void tell_squares(std::span<const Real> means) = 0;
  virtual void work(double share, std::coroutine_handle<> then) = 0;
  virtual void sum(std::vector<Real>&, double, std::coroutine_handle<>) {}
  virtual void settle(std::coroutine_handle<> then) = 0;
  virtual void send(int to, Message<Real> message) = 0;
  virtual void move(const Shard& shard, std::span<Real> weights, std::span<const Real> gradient, double factor) = 0;

 private:
  const Gang& gang_;
  int self_;
  RandomStream random_;
  Mailbox<Real> mailbox_;
};

}  // namespace dlrun::parallel
