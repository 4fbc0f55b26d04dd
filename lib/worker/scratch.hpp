// SPDX-License-Identifier: Apache-2.0
// The folder of a worker that does not see the store: artifacts that it was brought or made, and its attempts'.
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "trial/runner.hpp"

namespace dlrun::worker {

class Scratch {
 public:
  /// Makes a new one. @throws Error(outside).
  explicit Scratch(const std::filesystem::path& parent);
  ~Scratch() { remove(); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  /// With all that is in it. Callable from any thread, at a sudden end of the process.
  void remove() const;

  const std::filesystem::path& path() const { return path_; }
  /// The driver's setup, where its store's artifacts are here.
  trial::WorkSetup setup(const trial::WorkSetup& theirs) const;
  /// An order of the driver's, likewise: no path in it leads to the store.
  trial::PieceOrder order(const trial::WorkSetup& theirs, trial::PieceOrder order) const;
  /// Deletes what earlier pieces left, but these artifacts and these folders of attempts.
  void keep_only(const std::vector<std::string>& sha256, const std::set<std::string>& folders = {}) const;

 private:
  std::filesystem::path path_;
};

}  // namespace dlrun::worker
