// SPDX-License-Identifier: Apache-2.0
// Order in which decided runs of an ablation leave. Pure: callers pass the time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "driver/packing.hpp"
#include "trial/trial.hpp"

namespace dlrun::driver {

/// Length of a piece, as far as it is known before the piece runs.
struct Length {
  std::int64_t kind = 0;  ///< pieces of one kind and as many epochs take about as long: those of one variant
  std::int64_t epochs = 1;
  double ticks = 1;      ///< planned
  bool unlocks = false;  ///< decisions wait for its result: another run follows from it
};

/// Orders decided runs so that all workers end together. As long as many runs wait they leave as they were decided,
/// replicate by replicate, so that an interrupted study is a balanced design. The last kRounds rounds are a packing,
/// and whenever a worker falls free it is levelled by what is known now, or made anew if that ends earlier. Once no
/// more runs wait than there are workers, the longest leaves first: then nothing is left to be balanced later. Runs
/// that others wait for leave first. The order rests on how long runs took, which is no fact of the study, and so it
/// decides nothing but the order: every run that leaves was decided before, and its result is the same whenever it
/// runs.
///
/// A run is expected to take its ticks times the seconds that a tick took: the mean over the finished runs of its kind
/// and over one more that took what a tick takes in all runs, because one or two measurements say less than the plan.
class LastRounds {
 public:
  static constexpr std::size_t kRounds = 3;  ///< waiting runs for each worker, at most

  struct Waiting {
    trial::PieceKey key;
    Length length;
  };
  struct Running {
    trial::PieceKey key;
    Length length;
    double seconds = 0;  ///< since it began
  };

  /// Notes how long a run took from beginning to end.
  void learn(const Length& length, double seconds);
  /// Expected seconds; ticks as long as no run has ended.
  double expected(const Length& length) const;
  /// The packing begins when so few runs wait.
  static bool has_begun(std::size_t waiting, std::size_t workers) { return waiting <= kRounds * workers; }
  /// Runs that idle workers begin now, by their indices, one for each as far as they go.
  /// @param waiting  in the order of their decisions
  std::vector<std::size_t> choose(const std::vector<Waiting>& waiting, const std::vector<Running>& running,
                                  std::size_t idle);

 private:
  struct Mean {
    double sum = 0;
    std::size_t n = 0;
  };
  /// Runs planned behind the one that a worker runs, by that one.
  using Plan = std::map<trial::PieceKey, std::vector<trial::PieceKey>>;
  /// A worker for each; those that are idle come first.
  struct Workers {
    std::vector<double> busy;                          ///< expected seconds until it falls free
    std::vector<std::optional<trial::PieceKey>> runs;  ///< nullopt: it is idle
  };
  /// Runs of which none unlocks others, or all do.
  struct Group {
    std::vector<std::size_t> indices;
    std::vector<trial::PieceKey> keys;
    std::vector<double> lengths;
  };
  Workers workers(const std::vector<Running>& running, std::size_t idle) const;
  Group group(const std::vector<Waiting>& waiting, bool unlocks) const;
  Packing kept(const Group& group, const Workers& workers) const;
  Packing planned(const Group& group, const Workers& workers) const;

  std::map<std::pair<std::int64_t, std::int64_t>, Mean> by_kind_;  ///< seconds of a tick, by kind and epochs
  Mean all_;
  Plan plan_;
};

}  // namespace dlrun::driver
