// SPDX-License-Identifier: Apache-2.0
// Checkpoints that `keep: {epochs: […]}` asks for: artifacts of the role `epoch`, made as the epochs pass.
#pragma once
#include <cstdint>
#include <filesystem>
#include <vector>

#include "trial/trial.hpp"

namespace dlrun::train {

/// Also stands in the attempt's folder (kept.json), so that an attempt that goes on from another's checkpoint leaves
/// the same artifacts as one that was never interrupted.
class KeptEpochs {
 public:
  KeptEpochs(std::vector<std::int64_t> epochs, std::filesystem::path folder);

  bool wants(std::int64_t epoch) const;
  /// One for each epoch: a second one of the same is left out. @throws Error(outside).
  void add(trial::Artifact artifact);
  /// Takes another attempt's kept epochs up to `epoch`. @throws Error(store) one of the epochs after `from` is not
  /// among them.
  void restore(const std::filesystem::path& folder, std::int64_t from, std::int64_t epoch);
  void clear() { kept_.clear(); }
  const std::vector<trial::Artifact>& artifacts() const { return kept_; }

 private:
  bool has(std::int64_t epoch) const;
  void write() const;

  std::vector<std::int64_t> epochs_;
  std::filesystem::path folder_;
  std::vector<trial::Artifact> kept_;
};

}  // namespace dlrun::train
