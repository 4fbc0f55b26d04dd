// SPDX-License-Identifier: Apache-2.0
// Interface of a plugin that decides which trials stop early: `search: {pruner: {op: NAME, key: value}}`.
//
// A study's section has the plugin's keys and those of its rungs: min_budget, max_budget and interval, in epochs. A
// trial pauses at each rung; the plugin judges it once there, when its value has become visible, and the trial goes on
// or stops for good. At the last rung, the whole budget, a trial is complete and nothing is judged. dlrun decides when
// and in which order trials go on.
//
// dlrun keeps the promise that a study gives the same answer on any number of workers and after an interruption. It
// does so by telling the plugin everything in one logical order, and by telling and asking it all again after an
// interruption. So a verdict may depend on the study's seed (through Streams), on the options, and on everything that
// was told before. Never on a clock, a file, an address, a thread or another generator.
//
// All values are the lower the better, whatever the study's direction. Judging::shown() gives them as measured, for
// reasons. The plugin runs in a process of its own, beside dlrun, in one thread. An exception, a crash, or no answer
// within the deadline (60 s, or DLRUN_PLUGIN_DEADLINE) stops the run with exit code 75 and the plugin's name; the study
// is whole, and `dlrun resume` continues it. Texts on standard output and error go to dlrun's standard error.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "dlrun/plugin/options.hpp"
#include "dlrun/plugin/random.hpp"

namespace dlrun::plugin {

/// The study that a pruner is made for. The references hold as long as the pruner.
struct Judging {
  const Options& options;  ///< the pruner's section in the study; the keys of rungs are in `rungs`
  const Streams& streams;
  std::vector<std::int64_t> rungs;  ///< epochs at which a trial pauses, ascending; the last is its whole budget
  bool maximize = false;
  int members = 1;  ///< replicates × folds of a trial; its values are means over them

  double shown(double value) const { return maximize ? -value : value; }
};

/// The objective's metric at the end of an epoch. May be NaN or infinite.
struct CurvePoint {
  std::int64_t epoch = 0;
  double value = 0;
};

/// The objective of a trial at a rung; finite.
struct RungValue {
  std::int64_t trial = 0;
  int rung = 0;  ///< index in Judging::rungs
  double value = 0;
  /// Distance beyond the bounds of `feasible:`; never above 0 unless plugin.yaml says `bounds: true`.
  double violation = 0;
};

struct Verdict {
  bool stops = false;
  std::string reason;  ///< a line for `dlrun explain`, in valid UTF-8; may be empty
};

class Pruner {
 public:
  virtual ~Pruner() = default;
  /// The epochs of a trial since its last rung, before judge() or on_whole() tells its value at the next one. Epochs
  /// that reported nothing are missing.
  virtual void on_curve(std::int64_t /*trial*/, const std::vector<CurvePoint>& /*points*/) {}
  /// A trial is at a rung below the last. A trial that failed and was tried again may be judged again there.
  virtual Verdict judge(const RungValue& at) = 0;
  /// A trial got its whole budget. on_end() follows.
  virtual void on_whole(const RungValue& /*at*/) {}
  /// A trial failed, or its objective is not finite, on the way to this rung below the last.
  virtual void on_failed(std::int64_t /*trial*/, int /*rung*/) {}
  /// A trial will never go on. `is_complete`: it got all that it needed; else it was stopped or cancelled. A value of
  /// such a trial may still come, and this may come twice.
  virtual void on_end(std::int64_t /*trial*/, bool /*is_complete*/) {}
};

}  // namespace dlrun::plugin

/// Makes `Class`, which has a constructor that takes a `const dlrun::plugin::Judging&`, the pruner of this plugin.
#define DLRUN_PRUNER(Class)                                                                     \
  extern "C" __attribute__((visibility("default"))) dlrun::plugin::Pruner* dlrun_plugin_pruner( \
      const dlrun::plugin::Judging& judging) {                                                  \
    return new Class(judging);                                                                  \
  }
