// SPDX-License-Identifier: Apache-2.0
// How far the program has come in a piece, in a file from which another attempt can go on.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "programs/reports.hpp"
#include "trial/trial.hpp"

namespace dlrun::programs {

/// Checkpoint of a piece that was not ended.
struct Progress {
  Checkpoint checkpoint;                    ///< an absolute path
  std::vector<trial::Report> reports;       ///< the piece's values up to the checkpoint, the steps ascending
  std::optional<Checkpoint> examples = {};  ///< the piece's newest results of examples up to there; an absolute path
};

/// News of a piece. Paths are absolute, and files have stamps.
struct ProgressNews {
  std::vector<trial::Report> values = {};
  std::vector<Checkpoint> checkpoints = {}, examples = {};
};

/// Writes the file of one piece (trial::kProgressFile; each line a JSON object, {"report": …}, {"checkpoint": …} or
/// {"examples": …}), from the piece's first checkpoint on. It saves time only: no disk waits for it, and where it
/// cannot be written nothing fails.
class ProgressFile {
 public:
  /// @param folder  the attempt's; it is made when it is needed. Empty: nothing is written
  explicit ProgressFile(std::filesystem::path folder = {}) : folder_(std::move(folder)) {}

  bool has_begun() const { return has_begun_; }
  void append(const ProgressNews& news);

 private:
  std::filesystem::path folder_;
  bool has_begun_ = false;
};

/// Removes the file of an earlier run of the attempt, and begins one with what this run goes on from.
void begin_progress(const std::filesystem::path& folder, const std::optional<Progress>& goes_on_from);

/// Steps of a piece, and the metrics that each of them needs.
struct PieceSteps {
  std::int64_t from = 0, to = 1;
  std::vector<std::string> needed = {};
};

/// The newest checkpoint inside of the piece whose file has not changed since it was reported, and whose step has a
/// value of every needed metric: of itself or of a later one. nullopt: there is none
std::optional<Progress> read_progress(const std::filesystem::path& folder, const PieceSteps& piece);

}  // namespace dlrun::programs
