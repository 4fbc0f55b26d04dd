// SPDX-License-Identifier: Apache-2.0
// The nodes of a gang that this process has, for one epoch, in real time and in one thread: messages are taken in
// between two gradients, never meanwhile.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "gang/collective.hpp"
#include "gang/place.hpp"
#include "gang/quiescence.hpp"
#include "parallel/process.hpp"
#include "parallel/record.hpp"

namespace dlrun::gang {

/// Another process sent this; the epoch is not its matter.
struct Fault {
  std::string text;
};

/// The first process goes on without one that was lost; this one is to give its states.
struct Regroup {
  int generation;
};

class ProcessCluster final : public parallel::Backend, private parallel::Process<float>::Outside {
 public:
  using Options = parallel::Process<float>::Options;

  /// @param members, learner, place  lent; of the members those of this process are changed
  /// @param collective  lent; for algorithms that ask for one
  ProcessCluster(const parallel::Gang& gang, const parallel::Algorithm<float>& algorithm,
                 parallel::Members<float>& members, parallel::Learner<float>& learner, Place& place,
                 const Options& options, Collective* collective = nullptr);

  /// REQUIRES: all processes have taken in what came before; in the first one the counter stands at 0.
  void begin(const parallel::Deal& deal) override;
  /// Waits at most kWait for something to do.
  /// @throws PeerLost, Regroup, Fault of another process; whatever the learner throws
  bool advance() override;
  void end() override;

  std::int64_t started() const override;
  std::int64_t begun() const override { return begun_; }
  std::int64_t settled() const override;
  double now() const override;
  std::vector<parallel::Cost> costs() const override;
  double bytes() const override { return process_.cost().sent; }
  std::string record() const override { return recorder_.bytes(); }

  static constexpr std::chrono::milliseconds kWait{50};

 private:
  std::optional<Mesh::Received> receive(std::chrono::milliseconds patience);
  bool is_idle() const { return !process_.has_turn() && !batch_ && !is_asking_ && !process_.has_sums(); }
  void find_batch(parallel::Process<float>&) override;
  bool is_own() const;
  std::int64_t rounds() const;
  void count_batch();
  void answer_draw(int process);
  std::int64_t drawn() const;
  void compute();
  void handle(Mesh::Received received);
  void handle_message(Mesh::Received received);
  void send(parallel::Process<float>&, int to, parallel::Message<float> message) override;
  bool has_collective() const override { return collective_ != nullptr; }
  void begin_sum(const std::vector<float>& numbers) override { collective_->begin(numbers); }
  void await_sum();
  std::optional<std::vector<float>> take_sum();
  void hear_last_words();
  bool is_exhausted() const;
  void ask();
  void answer(const Tally& tally);
  Tally tally() const { return {is_idle(), sent_, taken_}; }

  const parallel::Gang& gang_;
  const parallel::Algorithm<float>& algorithm_;
  Place& place_;
  Collective* collective_;
  parallel::Process<float> process_;
  parallel::Recorder recorder_;
  std::optional<std::int64_t> batch_;  ///< the one that the process may compute
  bool is_asking_ = false;             ///< the first process was asked for one
  Quiescence quiescence_;
  bool is_at_rest_ = false;
  parallel::Deal deal_;
  std::int64_t round_ = 0, computed_ = 0;
  std::int64_t drawn_ = 0;             ///< batches dealt out, as far as is known here
  std::int64_t begun_ = 0;             ///< started() when the last message was taken in
  std::int64_t sent_ = 0, taken_ = 0;  ///< messages between processes
  parallel::Seconds seconds_;
  std::chrono::steady_clock::time_point began_;
  double ended_ = 0;  ///< seconds of the epoch
};

}  // namespace dlrun::gang
