// SPDX-License-Identifier: Apache-2.0
// Artifacts that are missing or damaged, and the recorded pieces that make them again. Pure: no file, no worker.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "driver/dispatcher.hpp"

namespace dlrun::driver {

/// A recorded piece that is run again: Work::is_repair is set, and its attempt is the recorded one.
struct Remake {
  Work work;
  std::vector<std::string> reads;  ///< SHA-256 of the artifacts that it reads
};

/// Holds work back until the artifacts that it reads are there. A missing one is made again by the piece that made it
/// first, which may need its own predecessor run again before, down to a piece that reads nothing. The pieces of one
/// member run one after the other, those of several members side by side.
///
/// Rival: repairing everything when a study is opened is one loop fewer, but trains checkpoints of pruned trials that
/// nobody reads, and does nothing about a file that vanishes later.
class Repairs {
 public:
  struct Facts {
    std::function<bool(const std::string& sha256)> is_there;
    /// Called once for each missing artifact. @throws Error(store) if nothing of this study made it
    std::function<Remake(const std::string& sha256)> remake;
  };

  explicit Repairs(Facts facts) : facts_(std::move(facts)) {}

  /// Holds work that reads these artifacts; take_free() returns it when all of them are there.
  /// @throws what Facts::remake throws
  void hold(Work work, const std::vector<std::string>& reads);
  /// An artifact is wanted that no work waits for.
  void want(const std::string& sha256);
  /// Work that can leave now, repairs first; each is returned once. What the rest waits for is made again.
  /// @throws what Facts::remake throws
  std::vector<Work> take_free();
  /// The piece was run again and its artifacts are there.
  void done(const executor::AttemptKey& repair);
  /// The piece has to be run once more; what it reads may have been found damaged.
  void again(const executor::AttemptKey& repair);
  /// Forgets held work, which is not wanted any more.
  void drop(const executor::AttemptKey& held);
  /// Artifacts that this repair was asked for.
  std::vector<std::string> wanted_of(const executor::AttemptKey& repair) const;
  /// How often the piece has been started.
  int tries_of(const executor::AttemptKey& repair) const;
  bool is_idle() const { return jobs_.empty() && held_.empty(); }
  /// Has anything been run again, or is it going to be?
  bool has_begun() const { return has_begun_; }

 private:
  struct Job {
    Remake remake;
    std::vector<std::string> makes;
    bool is_started = false;
    int tries = 0;
  };
  struct Held {
    Work work;
    std::vector<std::string> reads;
  };
  void want_all();
  bool are_there(const std::vector<std::string>& reads) const;
  bool is_coming(const std::string& sha256) const;

  Facts facts_;
  std::map<executor::AttemptKey, Job> jobs_;
  std::vector<Held> held_;  ///< in the order of hold()
  bool has_begun_ = false;
};

}  // namespace dlrun::driver
