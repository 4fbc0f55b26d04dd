// SPDX-License-Identifier: Apache-2.0
// A rank's speed over virtual time: pauses, and slow-downs that come and go. A function of the study's seed and of time
// alone, so that a trial that is resumed finds the same ones.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "parallel/cluster.hpp"
#include "util/random.hpp"

namespace dlrun::parallel {

/// Origin of the random streams that outlast an epoch, and of time.
struct Era {
  std::uint64_t seed = 0;
  std::string name = {};  ///< part of the streams' names
  double began = 0;       ///< virtual seconds before the epoch
};

/// Slow-downs of one kind: a Markov chain of two states in continuous time, whose stays are exponential (Gilbert 1960).
/// The first state is the healthy one.
class SlowPhases {
 public:
  SlowPhases(const Slowdown& slowdown, RandomStream random, double began);

  struct Phase {
    bool is_slow = false;
    double until = 0;
  };
  Phase at(double time);
  double factor() const { return slowdown_.factor; }

 private:
  void extend(bool is_slow);

  Slowdown slowdown_;
  RandomStream random_;
  double began_, last_ = 0;      ///< `last_` counts from the begin of the training
  bool begins_slow_ = false;     ///< the epoch begins in a slow phase
  std::vector<double> changes_;  ///< ends of phases, in seconds of the epoch
};

/// Times are in seconds of the epoch.
class Speed {
 public:
  Speed() = default;
  Speed(const ClusterConfig& config, int rank, const Era& era);

  /// Time at which a gradient is made that takes `work` seconds of a healthy rank.
  double computed(double from, double work);
  /// The same of other work, which pauses delay and slow-downs do not.
  double worked(double from, double work);
  /// The first time from `time` on that is in no pause.
  double awake(double time) const;

 private:
  /// Time that goes on alike for a while.
  struct Stretch {
    double factor = 1;  ///< factor of the time that work takes
    double until = 0;
  };
  Stretch stretch(double time, bool is_gradient);
  double done(double from, double work, bool is_gradient);

  std::vector<Pause> pauses_;  ///< by time
  std::vector<SlowPhases> slow_;
};

}  // namespace dlrun::parallel
