// SPDX-License-Identifier: Apache-2.0
// Ranks of a gang that goes on where processes of some are lost (on_loss: elastic).
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "train/gang_states.hpp"

namespace dlrun::train {

class Seating {
 public:
  /// All lent for as long as this lives.
  Seating(const parallel::Algorithm<float>& algorithm, parallel::Gang& gang, GangStates& states)
      : algorithm_(algorithm), gang_(gang), states_(states) {}

  /// Processes of the ranks, by rank.
  std::vector<int> seats() const;
  bool is_full() const { return gang_.seats.empty(); }
  /// Ranks whose processes are not among these leave; the others are numbered anew.
  void keep(const std::vector<int>& seats);
  /// The ranks that are left agree again, as the algorithm wants them to.
  void mend();
  /// Ranks that have left come back, each as the first rank is.
  void refill();

 private:
  void leave(std::size_t rank, int seat);
  void join(std::size_t rank, int seat);

  const parallel::Algorithm<float>& algorithm_;
  parallel::Gang& gang_;
  GangStates& states_;
  std::map<int, std::unique_ptr<WeightSteps>> spare_;  ///< by process
};

}  // namespace dlrun::train
