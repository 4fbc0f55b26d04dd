// SPDX-License-Identifier: Apache-2.0
// Checkpoints of an attempt under way, in its own folder: what the next attempt goes on from when this one is lost.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dlrun::train {

/// How often an attempt saves. Where it resumes from depends on these, its results never do.
struct SaveRules {
  /// An epoch's checkpoint is left out where the last one is younger: epochs of milliseconds are cheaper to repeat.
  std::chrono::milliseconds least{100};
  /// fsync, and a checkpoint within an epoch, this often.
  std::chrono::milliseconds durable{30'000};
};

/// Holds the newest checkpoint and the one before, should the newest be damaged, and the best epoch's.
class CheckpointFolder {
 public:
  explicit CheckpointFolder(std::filesystem::path folder, SaveRules rules = {});

  /// At an epoch's end.
  bool is_due() const;
  /// At any step.
  bool is_durable_due() const;
  /// Writes step-N.safetensors and removes all but the one before it. @throws Error(outside).
  void save(std::string_view bytes, std::int64_t step, bool durable);
  /// Writes best-N.safetensors, before the checkpoint that names it.
  void save_best(std::string_view bytes, std::int64_t epoch);
  bool has_best(std::int64_t epoch) const { return best_ == epoch; }

  /// Checkpoints of an attempt's folder, the newest first; none where it does not exist.
  static std::vector<std::filesystem::path> newest_first(const std::filesystem::path& folder);
  static std::filesystem::path best_path(const std::filesystem::path& folder, std::int64_t epoch);

 private:
  using Clock = std::chrono::steady_clock;

  std::filesystem::path folder_;
  SaveRules rules_;
  Clock::time_point saved_ = Clock::now(), synced_ = Clock::now();
  std::vector<std::filesystem::path> held_;  ///< at most two, the older first
  std::int64_t best_ = 0;
  std::vector<std::filesystem::path> bests_;  ///< one for each held checkpoint, and the newest
};

}  // namespace dlrun::train
