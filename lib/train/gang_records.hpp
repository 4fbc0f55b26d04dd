// SPDX-License-Identifier: Apache-2.0
// Records of a gang's epochs (parallel/record.hpp): those that its processes write, and those that are replayed.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "trial/trial.hpp"
#include "util/json.hpp"

namespace dlrun::train {

class GangRecords {
 public:
  /// Epochs are replayed from now on. @param files  artifacts of the role `record`, of some epochs
  void replay(std::filesystem::path artifacts, std::vector<trial::Artifact> files);
  bool replays() const { return !replayed_.empty(); }
  /// Records of an epoch, by process; they are its file's too.
  /// @throws Error(store) naming the epoch, if there is no such file or it is damaged
  const std::vector<std::string>& read(std::int64_t epoch);

  /// Sets the record of one process for the epoch under way.
  void set_record(int process, std::string bytes);
  /// The record of one process; nullopt: it was not set.
  std::optional<std::string> of(int process) const;
  /// The file of the epoch that was recorded or replayed last; nullopt: none was, or it was given out before.
  std::optional<std::string> file(std::int64_t epoch);

  /// Files so far, in the store; part of the checkpoint.
  const std::vector<trial::Artifact>& published() const { return published_; }
  void note_published(trial::Artifact artifact) { published_.push_back(std::move(artifact)); }
  Json counters() const;
  /// @throws Json::exception
  void restore(const Json& counters);

 private:
  std::filesystem::path artifacts_;
  std::vector<trial::Artifact> replayed_;
  std::vector<std::string> processes_;  ///< records of an epoch
  std::vector<trial::Artifact> published_;
};

/// Bytes as text, on their way between processes.
std::string hex_of(const std::string& bytes);
std::string bytes_of_hex(const std::string& hex);

}  // namespace dlrun::train
