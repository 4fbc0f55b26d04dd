// SPDX-License-Identifier: Apache-2.0
// Artifacts that a store keeps, and the removal of a study from it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "util/error.hpp"

namespace dlrun::storage {

/// `keep:` of a spec. Artifacts of trials that may still go on are always kept, and so are a program's own outputs.
struct KeepPolicy {
  int best = 3;        ///< best trials whose checkpoints all stay
  int last = 1;        ///< newest resumable checkpoints of every other trial
  bool rungs = true;   ///< checkpoints of a trial at earlier rungs too
  bool all = false;    ///< all artifacts of all trials: nothing is given up
  bool epochs = true;  ///< the checkpoints of single epochs that were asked for (role `epoch`)
  int candidates = 0;  ///< trials that may be in a race for the winner (best_trials.hpp), as the best ones
  std::vector<std::int64_t> also =
      {};  ///< trials that count as best whatever `best` is: the front of several objectives
};

/// Seconds for which a file that no study names is left alone: while a study runs, for it may be about to name it.
std::int64_t collection_grace(const std::filesystem::path& folder);

/// Why files stay that nobody may need: what all studies of the store refer to is unknown, and no file was deleted.
struct Hindrance {
  std::string why;                      ///< "study 'x' is being written by process 12 on node3 since …"
  std::optional<ErrorKind> fault = {};  ///< why a study cannot be read; nullopt: it will end by itself
};

struct Collected {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::optional<Hindrance> hindrance = {};
};

/// Deletes files of artifacts/ that no study of the store refers to, and temporary ones whose writers were killed, all
/// that nobody has touched for `grace_seconds` (a worker writes a file before its result is committed). Takes the
/// lock of the store's artifacts. Deletes nothing while a study is written or where one cannot be read.
/// @throws Error(store) the lock is held for a minute; Error(outside).
Collected collect_garbage(const std::filesystem::path& folder, std::int64_t grace_seconds = 3600);

/// Something that a collection would delete.
struct Doomed {
  std::string file;  ///< below artifacts/, of a working file below the store
  std::int64_t bytes = 0;
  std::string reason;
};

/// Files that a collection would delete.
struct Forecast {
  std::vector<Doomed> files;
  std::optional<Hindrance> hindrance = {};
};

/// Files that collect_garbage() would delete; nothing is changed, no lock taken.
Forecast find_garbage(const std::filesystem::path& folder, std::int64_t grace_seconds = 3600);

/// Files of a study that StoredArtifacts::collect() of this policy would delete, by trial and epoch; nothing is
/// changed. A file that another checkpoint or study holds on to stays, and is not among them.
Forecast find_given_up(const std::filesystem::path& folder, const std::string& study, const KeepPolicy& keep);

/// Checkpoints that a study gives up: it cannot use them any more, also if their files stay for another study.
struct GivenUp {
  std::int64_t checkpoints = 0;
  std::vector<std::int64_t> trials;  ///< trials that made them, ascending
};

/// Checkpoints that StoredArtifacts::collect() of this policy would give up; nothing is changed.
GivenUp lost_by(const std::filesystem::path& folder, const std::string& study, const KeepPolicy& keep);

/// Takes a study with its attempts' folders out of the store; its artifacts stay for collect_garbage().
/// @throws Error(not_found), Error(store) where a driver holds it, Error(outside).
void remove_study(const std::filesystem::path& folder, const std::string& name);

}  // namespace dlrun::storage
