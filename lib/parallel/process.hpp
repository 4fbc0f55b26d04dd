// SPDX-License-Identifier: Apache-2.0
// One process of a gang with its nodes, in one thread: coroutines go on in turns, and between two gradients messages
// are taken in. Where batches and messages come from is the matter of its backend.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parallel/algorithm.hpp"
#include "parallel/backend.hpp"

namespace dlrun::parallel {

template <class Real>
class ProcessNode;

template <class Real>
class Process {
 public:
  struct Options {
    std::uint64_t seed = 0;
    std::string run = {};    ///< part of the names of random streams
    double model_bytes = 0;  ///< for the bytes of a message
  };

  class Outside {
   public:
    virtual ~Outside() = default;
    /// A node waits for the gradient of a batch; for ever, if none is left.
    virtual void find_batch(Process& process) = 0;
    /// @param to  node of another process
    virtual void send(Process& from, int to, Message<Real> message) = 0;
    /// Whether it sums over all ranks.
    virtual bool has_collective() const { return false; }
    /// Begins such a sum. @param numbers  as they are now
    virtual void begin_sum(const std::vector<Real>&) {}
  };

  /// Has the nodes that gang.process_of() says.
  /// @param gang, algorithm, members, learner, outside  lent
  Process(const Gang& gang, const Algorithm<Real>& algorithm, Members<Real>& members, Learner<Real>& learner,
          int number, const Options& options, Outside& outside);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Begins all coroutines.
  void begin();
  /// Destroys them and empties the mailboxes.
  void end();

  int number() const { return cost_.process; }
  /// Something goes on in its turn: before any other message, and before any gradient.
  bool has_turn() const { return !turns_.empty(); }
  void take_turn();
  void deliver(int to, Message<Real> message);
  /// A node waits for a gradient.
  bool waits() const { return job_.has_value(); }
  /// Rank of that node. REQUIRES: waits().
  int waiting_rank() const;
  /// Makes the gradient of a batch. REQUIRES: waits(). @param exists  false: there is no such batch
  void make_gradient(std::int64_t batch, bool exists = true);
  /// Goes on with it.
  void give_gradient();

  /// Sums that a node waits for.
  bool has_sums() const { return !sums_.empty(); }
  /// Goes on with the oldest one. REQUIRES: has_sums().
  void give_sum(std::vector<Real> total);

  /// Without seconds.
  const Cost& cost() const { return cost_; }

 private:
  friend class ProcessNode<Real>;
  struct Job {
    ProcessNode<Real>* node;
    const std::vector<Real>* weights;
    std::coroutine_handle<> then;
  };
  /// A coroutine, or a message between two nodes of this process.
  struct Turn {
    int node = 0;
    std::coroutine_handle<> then = {};
    std::optional<Message<Real>> message = {};
  };

  /// A sum over all ranks.
  struct Summed {
    ProcessNode<Real>* node;
    std::vector<Real>* numbers;
    std::coroutine_handle<> then;
  };

  void wait(Job job);
  void begin_sum(Summed sum, double share);
  void send(int to, Message<Real> message);
  ProcessNode<Real>& node(int number);

  const Gang& gang_;
  const Algorithm<Real>& algorithm_;
  Members<Real>& members_;
  Learner<Real>& learner_;
  Options options_;
  Outside& outside_;
  std::vector<std::unique_ptr<ProcessNode<Real>>> nodes_;
  std::deque<Turn> turns_;
  std::optional<Job> job_;
  std::deque<Summed> sums_;
  Cost cost_;
};

}  // namespace dlrun::parallel
