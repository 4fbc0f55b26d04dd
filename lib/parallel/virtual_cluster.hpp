// SPDX-License-Identifier: Apache-2.0
// A gang in virtual time: real gradients, or none, and durations from a description of machines. A function of its
// arguments: no clock, no thread.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "parallel/algorithm.hpp"
#include "parallel/backend.hpp"
#include "parallel/failures.hpp"
#include "parallel/speed.hpp"
#include "parallel/wires.hpp"
#include "util/event_queue.hpp"

namespace dlrun::parallel {

/// Sums of what a node did.
struct NodeCost {
  std::int64_t gradients = 0;
  double bytes = 0;     ///< sent
  double received = 0;  ///< bytes
  double mailbox = 0;   ///< most bytes that have waited to be taken in
};

template <class Real>
class VirtualNode;

template <class Real>
class VirtualCluster final : public Backend {
 public:
  struct Options {
    ClusterConfig cluster;
    double model_bytes = 0;
    std::uint64_t seed = 0;
    std::string run = {};       ///< part of the names of random streams
    std::string training = {};  ///< the same of those that outlast an epoch
    double began = 0;           ///< virtual seconds before the epoch
    Losing losing = Losing::none;
  };

  /// @param members  lent; their weights are changed
  /// @param learner  lent; nullptr: timing mode, and the weights are empty
  VirtualCluster(const Gang& gang, const Algorithm<Real>& algorithm, Members<Real>& members, Learner<Real>* learner,
                 const Options& options);
  ~VirtualCluster() override;

  void begin(const Deal& deal) override;
  /// Plays the next event. @throws RankLost
  bool advance() override;
  void end() override;

  std::int64_t started() const override { return started_; }
  std::int64_t settled() const override;
  double now() const override { return now_; }
  std::vector<Cost> costs() const override;
  double bytes() const override;
  /// A hash of all events so far.
  std::uint64_t digest() const { return digest_; }
  /// Messages between processes that have been taken in.
  std::int64_t messages() const { return messages_; }
  const NodeCost& cost(int node) const { return costs_[std::size_t(node)]; }
  /// The model that the algorithm trains, after end().
  std::vector<Real> model() const { return algorithm_.model(members_); }

 private:
  friend class VirtualNode<Real>;
  struct Happening {
    int node = 0;
    std::coroutine_handle<> then;            ///< goes on; or:
    std::shared_ptr<Message<Real>> message;  ///< arrives
    std::uint64_t look = 0;                  ///< number of a look at the wires, if above 0
  };

  /// A batch's number, and whether there is one.
  struct Next {
    std::int64_t batch = 0;
    bool exists = false;
  };

  bool may_start(int rank) const;
  Next next_batch(int rank);
  double duration(int rank);
  double awake(const Happening& happening, double time) const;
  double latency() const { return options_.cluster.latency_us * 1e-6; }
  int host_of(int process) const;
  TimeSplit& time_of(int node) { return times_[std::size_t(gang_.process_of(node))]; }
  void carry(int to, double bytes, Message<Real> message);
  void look_at(double time);
  void look();
  void deliver(int node, Message<Real> message);
  void note(const Happening& happening);

  const Gang& gang_;
  const Algorithm<Real>& algorithm_;
  Members<Real>& members_;
  Learner<Real>* learner_;
  Options options_;
  Wires wires_;
  std::map<std::uint64_t, Happening> on_wires_;  ///< messages by number
  std::uint64_t sent_ = 0, looks_ = 0;
  double look_time_ = -1;
  std::vector<double> factors_;         ///< by process
  std::vector<Speed> speeds_;           ///< by node; a server's is even
  std::vector<double> processor_free_;  ///< when each is free again
  std::vector<TimeSplit> times_;        ///< by process
  std::vector<RandomStream> jitter_;
  std::vector<std::unique_ptr<VirtualNode<Real>>> nodes_;
  std::vector<NodeCost> costs_;
  EventQueue<Happening> events_;
  std::optional<Loss> loss_;  ///< the next one
  double now_ = 0;
  Deal deal_;
  std::int64_t started_ = 0;
  std::vector<std::int64_t> rounds_;  ///< gradients of this epoch, by rank
  std::uint64_t digest_ = 0;
  std::int64_t messages_ = 0;
};

}  // namespace dlrun::parallel
