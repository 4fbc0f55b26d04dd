// SPDX-License-Identifier: Apache-2.0
// Artifacts of a study that is open for writing: their files, the pieces that made them, and those that stay.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "storage/retention.hpp"
#include "storage/rows.hpp"
#include "storage/transaction.hpp"

namespace dlrun::storage {

class StoredArtifacts {
 public:
  /// @param folder  of the store    @param study  its name
  StoredArtifacts(Database& database, Transaction& transaction, std::filesystem::path folder, std::string study)
      : database_(database), transaction_(transaction), folder_(std::move(folder)), study_(std::move(study)) {}

  /// <store>/artifacts
  std::filesystem::path folder() const { return folder_ / "artifacts"; }
  std::filesystem::path attempt_folder(const trial::PieceKey& key, int attempt) const;
  /// Deletes the checkpoints that attempts of this trial left to be gone on from; logs and everything else stay. For a
  /// trial that never goes on: its results are artifacts.
  void remove_partials(trial::TrialId trial) const;
  /// Gives up the artifacts that the policy does not keep and deletes files that no study of the store refers to; while
  /// another study is being written or taken in the files stay for collect_garbage(). Call it outside of a transaction.
  Collected collect(const KeepPolicy& keep);
  /// SHA-256 of the artifacts that collect() would leave.
  std::vector<std::string> kept(const KeepPolicy& keep) const;
  /// SHA-256 of the newest checkpoint that a member's pieces ended with; empty: there is none.
  std::string last_of(const trial::Member& member) const;
  /// The piece that made this artifact, the earliest of the first trial if there are several; nullopt: none of this
  /// study.
  std::optional<Maker> maker_of(const std::string& sha256) const;
  /// Epochs behind a checkpoint of this member; nullopt: it has none of that name.
  std::optional<std::int64_t> step_of(const std::string& sha256, const trial::Member& member) const;
  /// Bytes that an artifact of this study has; nullopt: it has none of that name.
  std::optional<std::int64_t> bytes_of(const std::string& sha256) const;

 private:
  Database& database_;
  Transaction& transaction_;
  std::filesystem::path folder_;
  std::string study_;
};

}  // namespace dlrun::storage
