// SPDX-License-Identifier: Apache-2.0
// Interface of a plugin that decides which values a study tries next.
//
// A study asks for a point while earlier trials still run, so several trials are pending at any time. dlrun keeps the
// promise that a study gives the same answer on any number of workers and after an interruption. It does so by showing
// the sampler starts and results in one logical order, and by replaying them after an interruption. Therefore:
//
// - A proposal may depend on the study's seed (through Random and Streams), the number, and everything that was told
//   before: lessons, starts, results. Never on a clock, a file, an address, a thread or another generator.
// - propose() must not change what later proposals depend on: after an interruption on_start() and on_result() come
//   again, but propose() does not. Facts about a proposal that its result will need must be derivable in on_start().
//
// The plugin runs in a process of its own, beside dlrun, in one thread. An exception, a crash, a proposal outside the
// space, or no answer within the deadline (60 s, or DLRUN_PLUGIN_DEADLINE) stops the run with exit code 75 and the
// plugin's name; the study is whole, and `dlrun resume` continues it. Texts on standard output and error go to dlrun's
// standard error.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dlrun/plugin/options.hpp"
#include "dlrun/plugin/random.hpp"
#include "dlrun/plugin/space.hpp"

namespace dlrun::plugin {

/// The search that a sampler is made for. The references hold as long as the sampler.
struct Search {
  const Space& space;
  const Options& options;  ///< the sampler's section in the study
  const Streams& streams;
  std::size_t objectives = 1;  ///< more than one only if plugin.yaml says `several: true`
};

/// A result of a trial. A trial whose training is cut into pieces has one after each piece.
struct Result {
  std::int64_t trial = 0;
  Point point;
  std::vector<double> objectives;  ///< the lower the better, whatever the study's direction; empty: the trial failed
  std::int64_t epochs = 0;         ///< behind the objectives
  bool is_final = true;            ///< the trial got all its epochs, or ended early by itself
  double violation = 0;            ///< distance beyond the bounds of `feasible:`; 0: the trial is feasible
};

class Sampler {
 public:
  virtual ~Sampler() = default;
  /// Results of trials of one earlier study (`learn_from:`), before the first trial. Some of their parameters may be
  /// NaN. Called only if plugin.yaml says `learns: true`.
  virtual void learn(const std::vector<Result>&) {}
  /// A trial was decided; it is pending until its final result. Its point may differ from what was proposed: a person
  /// may have asked for other values, or dlrun has moved it to where the constraints hold.
  virtual void on_start(std::int64_t trial, const Point& point) = 0;
  /// A result of a trial that started became visible.
  virtual void on_result(const Result& result) = 0;
  /// A value for every parameter. Those of parameters that are not active are ignored, NaN is welcome there. nullopt:
  /// the search ends. Asked again with the same number and an equal stream, it must give the same answer. dlrun asks
  /// once more with the same number and another stream if a point without continuous values was tried before, or if the
  /// point breaks a constraint; after some attempts it takes a new point nearby.
  virtual std::optional<Point> propose(std::int64_t number, Random& random) = 0;
  /// Reason of the last proposal, in one line for `dlrun explain`, in valid UTF-8; empty: nothing to say.
  virtual std::string reason() const { return {}; }
};

}  // namespace dlrun::plugin

/// Makes `Class`, which has a constructor that takes a `const dlrun::plugin::Search&`, the sampler of this plugin.
#define DLRUN_SAMPLER(Class)                                                                      \
  extern "C" __attribute__((visibility("default"))) dlrun::plugin::Sampler* dlrun_plugin_sampler( \
      const dlrun::plugin::Search& search) {                                                      \
    return new Class(search);                                                                     \
  }
