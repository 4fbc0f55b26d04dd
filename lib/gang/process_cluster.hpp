// SPDX-License-Identifier: Apache-2.0
// The nodes of a gang that this process has, for one epoch, in real time and in one thread: messages are taken in
// between two gradients, never meanwhile.
#pragma once
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gang/place.hpp"
#include "gang/quiescence.hpp"
#include "parallel/algorithm.hpp"
#include "parallel/backend.hpp"

namespace dlrun::gang {

class ProcessNode;

/// Another process sent this; the epoch is not its matter.
struct Fault {
  std::string text;
};

/// The first process goes on without one that was lost; this one is to give its states.
struct Regroup {
  int generation;
};

class ProcessCluster final : public parallel::Backend {
 public:
  struct Options {
    std::uint64_t seed = 0;
    std::string run = {};    ///< part of the names of random streams
    double model_bytes = 0;  ///< for the bytes of a message
  };

  /// @param members, learner, place  lent; of the members those of this process are changed
  ProcessCluster(const parallel::Gang& gang, const parallel::Algorithm<float>& algorithm,
                 parallel::Members<float>& members, parallel::Learner<float>& learner, Place& place,
                 const Options& options);
  ~ProcessCluster() override;

  /// REQUIRES: all processes have taken in what came before; in the first one the counter stands at 0.
  void begin(const parallel::Deal& deal) override;
  /// Waits at most kWait for something to do.
  /// @throws PeerLost, Regroup, Fault of another process; whatever the learner throws
  bool advance() override;
  void end() override;

  std::int64_t started() const override;
  std::int64_t settled() const override;
  double now() const override;
  std::vector<parallel::Cost> costs() const override;
  double bytes() const override { return cost_.sent; }

  static constexpr std::chrono::milliseconds kWait{50};

 private:
  friend class ProcessNode;
  /// A gradient that a node waits for.
  struct Job {
    ProcessNode* node;
    std::int64_t batch;
    const std::vector<float>* weights;
    std::coroutine_handle<> then;
  };
  /// Something that goes on in its turn: a coroutine, or a message between two nodes of this process.
  struct Ready {
    int node = 0;
    std::coroutine_handle<> then = {};
    std::optional<parallel::Message<float>> message = {};
  };

  std::optional<Mesh::Received> receive(std::chrono::milliseconds patience);
  bool is_idle() const { return ready_.empty() && !job_ && !asking_; }
  void find_batch(const Job& job);
  bool is_own() const;
  std::int64_t rounds() const;
  void count_batch();
  void begin(Job job, std::int64_t batch);
  void answer_draw(int process);
  std::int64_t drawn() const;
  void compute();
  void go_on();
  void take(Mesh::Received received);
  void deliver(int to, parallel::Message<float> message);
  void send(int to, parallel::Message<float> message);
  bool is_exhausted() const;
  void ask();
  void answer(const Tally& tally);
  Tally tally() const { return {is_idle(), sent_, taken_}; }
  ProcessNode& node(int number);

  const parallel::Gang& gang_;
  const parallel::Algorithm<float>& algorithm_;
  parallel::Members<float>& members_;
  parallel::Learner<float>& learner_;
  Place& place_;
  Options options_;
  std::vector<std::unique_ptr<ProcessNode>> nodes_;  ///< played here
  std::deque<Ready> ready_;
  std::optional<Job> job_;
  std::optional<Job> asking_;  ///< the first process was asked for its batch
  Quiescence quiescence_;
  bool is_at_rest_ = false;
  parallel::Deal deal_;
  std::int64_t round_ = 0, computed_ = 0;
  std::int64_t drawn_ = 0;             ///< batches dealt out, as far as is known here
  std::int64_t sent_ = 0, taken_ = 0;  ///< messages between processes
  parallel::Cost cost_;
  std::chrono::steady_clock::time_point began_;
  double ended_ = 0;  ///< seconds of the epoch
};

}  // namespace dlrun::gang
