// SPDX-License-Identifier: Apache-2.0
// States of ranks on their way between the first process of a gang and the others, before and after an epoch.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "gang/place.hpp"
#include "train/epoch_batches.hpp"
#include "train/gang_records.hpp"
#include "train/gang_states.hpp"
#include "train/heads.hpp"
#include "train/lr_scaling.hpp"
#include "train/network.hpp"
#include "train/progress.hpp"
#include "train/rank_costs.hpp"
#include "train/running_statistics.hpp"

namespace dlrun::train {

/// Parts of a Training that its ranks use, one after the other.
struct Shared {
  Network& network;
  EpochBatches& batches;
  Heads& heads;
  Progress& progress;
  LrScaling* scaling = nullptr;  ///< scales the learning rate; nullptr: nothing does
};

class GangExchange {
 public:
  /// All lent for as long as this lives.
  GangExchange(gang::Place& place, const parallel::Gang& gang, GangStates& states, GangRecords& records,
               const Shared& shared)
      : place_(place), gang_(gang), states_(states), records_(records), shared_(shared) {}

  /// A part of an epoch: all of it, unless a process is lost.
  struct Part {
    std::int64_t first_step = 0;   ///< step of the schedule at which the epoch begins
    std::int64_t first_batch = 0;  ///< batches before it
    std::vector<int> seats;        ///< processes of the ranks that are left
    std::string sums = {};         ///< folder in which a Collective's ranks find each other; empty: there is none
  };

  /// For the first process: every other one begins the part with the states of its nodes, once all have them.
  void spread(const Part& part, const std::function<void()>& wait);
  /// Likewise: the others give their states as they are, for one has been lost.
  void ask_for_states();
  /// Takes in the states of all others after the epoch, in their order, and the sums of their metrics; running
  /// statistics become the mean over the ranks that had a batch.
  /// @param wait  called now and then; may throw
  /// @param has_computed  this process had a batch, or its running statistics do not count
  /// @return costs of the others    @throws gang::Fault of another one
  RankCosts collect(bool has_computed, const std::function<void()>& wait);

  /// For another process: what begins.
  static Part part_of(const Json& begin);
  /// Stands where the first one says. REQUIRES: the gang has the part's ranks.
  /// @throws gang::Regroup
  void start_from(const gang::Packet& begin, const Json& text);
  void give(const RankCosts& costs);

 private:
  Spans spans_of(int process);
  void send(int process, gang::PacketKind kind, Json text, int to);
  std::span<const float> take_states(int process, const gang::Packet& packet, const Json& text);
  bool takes_gains(int from) const;
  std::vector<gang::Packet> await_all(gang::PacketKind kind, const std::function<void()>& wait);
  RankCosts take_in(int process, const gang::Packet& state, StatisticsMean& mean);

  gang::Place& place_;
  const parallel::Gang& gang_;
  GangStates& states_;
  GangRecords& records_;
  Shared shared_;
};

}  // namespace dlrun::train
