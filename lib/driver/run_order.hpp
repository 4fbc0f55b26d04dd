// SPDX-License-Identifier: Apache-2.0
// Order in which the decided runs of an ablation leave: the side of LastRounds that knows the study.
#pragma once
#include <deque>
#include <map>
#include <vector>

#include "driver/clock.hpp"
#include "driver/dispatcher.hpp"
#include "driver/last_rounds.hpp"
#include "spec/study_spec.hpp"
#include "study/study.hpp"

namespace dlrun::driver {

/// Planned length of a piece, in ticks. A trial that does not fit the amended space yet counts as the base model.
study::Tick planned_ticks(const spec::StudySpec& spec, const study::Study& study, const study::StartPiece& piece);

/// Does another run follow from the result of a cell with these values: a comparison from its tuning, a variant from
/// its baseline's weights, further replicates from a look? In rounds and races all runs do alike: false.
bool unlocks(const spec::StudySpec& spec, const space::Values& values);

/// Follows the runs of an ablation and orders those that wait. Off for every other study: a search has few pieces that
/// wait, and its next decision needs the earliest of them.
class RunOrder {
 public:
  /// Both outlive it.
  RunOrder(const spec::StudySpec& spec, const study::Study& study) : spec_(spec), study_(study) {}

  bool is_off() const { return !spec_.ablation.has_value(); }
  void begin(const Work& work, Clock::time_point now);
  /// Notes how long a piece took, also one of an earlier run of the driver.
  void learn(const study::StartPiece& piece, double seconds) { last_rounds_.learn(length_of(piece), seconds); }
  void finish(const trial::PieceResult& result);
  /// Work that leaves first, by its indices; none where the order of the decisions holds.
  /// @param running  the piece that each busy worker runs
  std::vector<std::size_t> choose(const std::deque<Work>& waiting, const std::vector<const Work*>& running,
                                  std::size_t idle, Clock::time_point now);

 private:
  struct Begun {
    Length length;
    Clock::time_point since;
  };
  Length length_of(const study::StartPiece& piece) const;
  const Length& known_length(const study::StartPiece& piece);

  const spec::StudySpec& spec_;
  const study::Study& study_;
  LastRounds last_rounds_;
  std::map<executor::AttemptKey, Begun> begun_;
  std::map<trial::PieceKey, Length> lengths_;  ///< lengths of pieces that wait; a length takes some microseconds
};

}  // namespace dlrun::driver
