// SPDX-License-Identifier: Apache-2.0
// One piece of one member: where it begins, its epochs, what it leaves.
#pragma once
#include <memory>
#include <string>

#include "train/checkpoint_folder.hpp"
#include "train/hang_clock.hpp"
#include "train/kept_epochs.hpp"
#include "train/stage.hpp"
#include "train/step_log.hpp"
#include "train/training.hpp"
#include "trial/runner.hpp"

namespace dlrun::train {

/// Loads the data and compares its hash with the study's, unless the trial has settings of its own for it: what the
/// study has could be read when it began. @throws Error(outside) where it cannot be read any more, or is another.
void require_data(const trial::WorkSetup& setup, const trial::PieceOrder& order);

/// The trial that an order means, at its beginning. @throws Error(usage) for a configuration that cannot be trained.
std::unique_ptr<Training> make_training(const trial::WorkSetup& setup, const trial::PieceOrder& order,
                                        at::Device device = at::kCPU, gang::Place* place = nullptr);

class Piece {
 public:
  /// Loads data, builds the model. @throws Error(usage) for a configuration that cannot be trained.
  /// @param place  of this process, the first among those of its ranks; lent. nullptr: it is alone
  Piece(const trial::WorkSetup& setup, const trial::PieceOrder& order, trial::Host& host, SaveRules rules,
        at::Device device = at::kCPU, gang::Place* place = nullptr);

  /// @throws Diverged, trial::Stopped (all saved), Error. What was reported until then is in reports().
  void train();
  void test();

  /// Whether patience ended the trial before its last epoch.
  bool ended_early() const;
  std::vector<trial::Report> reports() const;
  /// False: an attempt that follows this one might report something else.
  bool repeats() const { return training_->repeats(); }
  std::vector<trial::Artifact> artifacts() const { return artifacts_; }
  /// How it began with the weights of others; of a first piece.
  std::optional<trial::WeightStart> start() const;
  /// The epochs that another member trained.
  const std::optional<trial::SharedStart>& shared() const { return shared_; }

 private:
  std::int64_t last_epoch() const;
  void begin();
  void begin_alone();
  void begin_together();
  void take_up(const Stage& stage);
  void take_best(const std::optional<Best>& own);
  void leave(const trial::StagePlace& place) const;
  void leave_stages() const;
  void note_shared(const trial::SharedStart& shared);
  bool restore_partial();
  void restore_partial(const std::filesystem::path& path);
  void restore_artifact();
  void run_epoch();
  void tick();
  void beat();
  void note_step();
  void wait() const;
  void stop_if_asked() const;
  void note_best();
  std::string publish_partition();
  std::string publish_record();
  void add_files(const std::vector<trial::Artifact>& published);
  void keep_epoch();
  void save(bool durable);
  void publish_all();
  void publish_values();
  std::unique_ptr<Training> best_training() const;

  const trial::WorkSetup& setup_;
  const trial::PieceOrder& order_;
  trial::Host& host_;
  at::Device device_;
  gang::Place* place_;
  std::unique_ptr<Training> training_;
  HangClock hang_clock_;
  StepLog log_;
  CheckpointFolder folder_;
  KeptEpochs kept_;
  std::string best_bytes_;  ///< checkpoint of the best epoch where it is not yet an artifact
  std::vector<trial::Report> test_reports_;
  std::vector<trial::Artifact> artifacts_;
  std::optional<trial::SharedStart> shared_;
};

}  // namespace dlrun::train
