// SPDX-License-Identifier: Apache-2.0
// One way to train a model on several ranks: what a rank does between two gradients, and what a server does.
#pragma once
#include <memory>
#include <vector>

#include "parallel/env.hpp"
#include "parallel/methods.hpp"
#include "parallel/staleness.hpp"
#include "parallel/task.hpp"

namespace dlrun::parallel {

/// State of a rank that it keeps from one gradient to the next, beside its optimiser's state and its mailbox.
template <class Real>
struct Rank {
  std::vector<Real> weights;
  std::int64_t clock = 0;      ///< gradients so far
  std::int64_t pulled = 0;     ///< clock of the weights that it last had from the server
  bool waits = false;          ///< for weights of the server's
  double weight = 0;           ///< share of a push-sum
  std::vector<Real> anchor;    ///< where its ranks parted (diloco); weights as the server has answered (ssp with dgc)
  std::vector<Real> velocity;  ///< velocity of the outer optimiser (diloco), of gradients (dgc)
  std::vector<Real> residual;  ///< parts of gradients that have not travelled (codecs)
  std::vector<Real> basis;     ///< thin matrices of the last step (powersgd)
  std::vector<Real> unsent;    ///< changes that wait for receipts (aladdin); none once all messages have come in
  double unsent_samples = 0;
  std::int64_t unsent_count = 0;
  int receipts_due = 0;
  Staleness staleness;  ///< for methods without a server, and bsp; since the epoch began
};

/// One shard of a parameter server.
template <class Real>
struct Server {
  Shard shard;
  std::vector<Real> weights;
  std::vector<Real> pending;  ///< changes that wait for their turn
  std::int64_t pending_count = 0;
  std::vector<std::int64_t> counts;  ///< by rank
  std::int64_t clock = 0;            ///< changes or rounds taken in
  StalenessTally staleness;

  // Whoever answers with the numbers that have changed (dgc) knows what a rank has:
  std::vector<std::int64_t> answered;  ///< clock of the last answer, by rank
  std::vector<std::int64_t> touched;   ///< clock of the last change, by number; of this epoch
  double quiet = 0;                    ///< timing mode: logarithm of the part that no change of this epoch touched
  std::vector<double> quiet_at;        ///< the same at the last answer, by rank
};

template <class Real>
struct Members {
  std::vector<Rank<Real>> ranks;
  std::vector<Server<Real>> servers;
};

/// Coroutines may be destroyed wherever they wait and be begun again from the states: an algorithm waits only where
/// that loses nothing, once no batch is left and all messages have come in.
template <class Real>
class Algorithm {
 public:
  virtual ~Algorithm() = default;

  /// Whether all ranks take equally many gradients of an epoch, some of them empty ones.
  virtual bool is_synchronous() const { return false; }
  /// Whether all ranks have the model's weights after each round.
  virtual bool has_equal_ranks() const { return false; }
  /// Whether the ranks' optimisers have the same state then, too.
  virtual bool has_equal_states() const { return false; }
  /// Whether ranks that part from time to time do so from the same anchor, with the same velocity.
  virtual bool has_equal_anchors() const { return false; }
  /// Whether servers' counts are sums since the training began, which a rank that leaves hands on to another.
  virtual bool has_total_counts() const { return false; }
  /// Sum of the ranks' weights in a push-sum, if it matters; 0: it does not.
  virtual double shares() const { return 0; }
  /// Sets what the algorithm needs in states that hold the initial weights.
  virtual void begin(const Gang&, Members<Real>&) const {}

  virtual Task run(Env<Real>& env, Rank<Real>& rank) const = 0;
  /// Beside run(), on the same node.
  virtual Task run_beside(Env<Real>&, Rank<Real>&) const { co_return; }
  virtual Task serve(Env<Real>&, Server<Real>&) const { co_return; }

  /// Takes in the messages that a rank has left when all have come in. Afterwards its mailbox is empty.
  virtual void finish(Env<Real>&, Rank<Real>&) const {}

  /// The model that this algorithm trains, after finish().
  virtual std::vector<Real> model(const Members<Real>& members) const = 0;
};

/// @tparam Real  float or double
template <class Real>
std::unique_ptr<Algorithm<Real>> make_algorithm(const Method& method);

}  // namespace dlrun::parallel
