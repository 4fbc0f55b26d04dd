// SPDX-License-Identifier: Apache-2.0
#include "parallel/process.hpp"

#include <algorithm>
#include <utility>

#include "parallel/played_node.hpp"
#include "parallel/streams.hpp"
#include "util/error.hpp"

namespace dlrun::parallel {

/// One node, with its coroutines.
template <class Real>
class ProcessNode final : public PlayedNode<Real> {
 public:
  ProcessNode(Process<Real>& process, int self)
      : PlayedNode<Real>(process.gang_, self, stream_of(process.options_.seed, process.options_.run, "draws", self),
                         process.algorithm_, process.members_),
        process_(process) {}

  void set(Gradient<Real> gradient) { this->gradient_ = std::move(gradient); }

 protected:
  void compute(const std::vector<Real>& weights, std::coroutine_handle<> then) override {
    process_.wait({this, &weights, then});
  }
  void begin_computing(const std::vector<Real>& weights, std::coroutine_handle<> then) override {
    compute(weights, then);
  }
  void make(double, std::coroutine_handle<> then) override { take_turn(then); }
  void tell_squares(std::span<const Real> means) override { process_.learner_.note_squares(means); }
  void work(double, std::coroutine_handle<> then) override { take_turn(then); }
  bool has_collective() const override { return process_.outside_.has_collective(); }
  void sum(std::vector<Real>& numbers, double share, std::coroutine_handle<> then) override {
    process_.begin_sum({this, &numbers, then}, share);
  }
  void settle(std::coroutine_handle<> then) override { take_turn(then); }
  void send(int to, Message<Real> message) override { process_.send(to, std::move(message)); }
  void move(const Shard& shard, std::span<Real> weights, std::span<const Real> gradient, double factor) override {
    process_.learner_.step(this->self(), shard, weights, gradient, factor);
  }

 private:
  void take_turn(std::coroutine_handle<> then) { process_.turns_.push_back({this->self(), then}); }

  Process<Real>& process_;
};

template <class Real>
Process<Real>::Process(const Gang& gang, const Algorithm<Real>& algorithm, Members<Real>& members,
                       Learner<Real>& learner, int number, const Options& options, Outside& outside)
    : gang_(gang), algorithm_(algorithm), members_(members), learner_(learner), options_(options), outside_(outside) {
  cost_.process = number;
  for (int node = 0; node < gang.nodes(); ++node) {
    if (gang.process_of(node) == number) nodes_.push_back(std::make_unique<ProcessNode<Real>>(*this, node));
  }
}

template <class Real>
Process<Real>::~Process() = default;

template <class Real>
void Process<Real>::begin() {
  for (const auto& node : nodes_) node->begin();
}

template <class Real>
void Process<Real>::end() {
  for (const auto& node : nodes_) node->end();
}

template <class Real>
void Process<Real>::take_turn() {
  Turn next = std::move(turns_.front());
  turns_.pop_front();
  if (next.message) return deliver(next.node, std::move(*next.message));
  next.then.resume();
  node(next.node).check();
}

template <class Real>
void Process<Real>::deliver(int to, Message<Real> message) {
  cost_.received += message.share * message.packed * options_.model_bytes;
  ProcessNode<Real>& node = this->node(to);
  node.mailbox().deliver(std::move(message));
  cost_.mailbox = std::max(cost_.mailbox, node.mailbox().waiting_share() * options_.model_bytes);
  node.check();
}

template <class Real>
int Process<Real>::waiting_rank() const {
  return job_->node->self();
}

template <class Real>
void Process<Real>::make_gradient(std::int64_t batch, bool exists) {
  const int rank = waiting_rank();
  if (exists) {
    job_->node->set(learner_.gradient(rank, batch, *job_->weights));
    ++cost_.gradients;
  } else {
    learner_.skip(rank, batch);
    job_->node->set({});
  }
}

template <class Real>
void Process<Real>::give_gradient() {
  const Job job = *std::exchange(job_, std::nullopt);
  job.then.resume();
  job.node->check();
}

template <class Real>
void Process<Real>::wait(Job job) {
  job_ = job;
  outside_.find_batch(*this);
}

/// Bytes are those of parts that go round.
template <class Real>
void Process<Real>::begin_sum(Summed sum, double share) {
  const double bytes = 2.0 * (gang_.ranks - 1) / gang_.ranks * share * options_.model_bytes;
  cost_.sent += bytes;
  cost_.received += bytes;
  outside_.begin_sum(*sum.numbers);
  sums_.push_back(sum);
}

template <class Real>
void Process<Real>::give_sum(std::vector<Real> total) {
  const Summed sum = sums_.front();
  sums_.pop_front();
  *sum.numbers = std::move(total);
  sum.then.resume();
  sum.node->check();
}

template <class Real>
void Process<Real>::send(int to, Message<Real> message) {
  cost_.sent += message.share * message.packed * options_.model_bytes;
  if (gang_.process_of(to) == number()) return turns_.push_back({to, {}, std::move(message)});
  outside_.send(*this, to, std::move(message));
}

template <class Real>
ProcessNode<Real>& Process<Real>::node(int number) {
  const auto found =
      std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& node) { return node->self() == number; });
  if (found == nodes_.end()) throw Error(ErrorKind::internal, "a message came to the wrong rank");
  return **found;
}

template class Process<float>;
template class Process<double>;

}  // namespace dlrun::parallel
