// SPDX-License-Identifier: Apache-2.0
// The Runner of `train` trials: a piece from artifact to artifact.
#pragma once
#include "train/checkpoint_folder.hpp"
#include "train/device.hpp"
#include "train/gang_leader.hpp"
#include "trial/runner.hpp"

namespace dlrun::train {

class Trainer final : public trial::Runner {
 public:
  /// @throws Error(usage) for a device that is not known or not there, Error(outside) for a plugin
  /// that is another one than the study's. Sets the process's thread count.
  explicit Trainer(trial::WorkSetup setup, SaveRules rules = {});

  /// `train`: from the artifact `resume` (or the checkpoints of the folder `partial`, where they are sound and further)
  /// to `to_step`. `test`: measures the test split with the weights of `resume`.
  /// Divergence and lack of memory are in the result; @throws Stopped, Error.
  trial::PieceResult run(const trial::PieceOrder& order, trial::Host& host) override;
  trial::Runtime runtime() const override;

 private:
  void refuse_processes(const trial::PieceOrder& order) const;

  trial::WorkSetup setup_;
  DeviceChoice device_;
  SaveRules rules_;
  GangLeader gang_;
};

}  // namespace dlrun::train
