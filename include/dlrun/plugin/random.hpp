// SPDX-License-Identifier: Apache-2.0
// Random numbers of a plugin. They come from dlrun's streams, so that a study gives the same answer on any machine,
// with any number of workers, and after an interruption. A plugin that draws from a generator of its own breaks that
// promise.
#pragma once
#include <cstdint>
#include <memory>

namespace dlrun::plugin {

/// A stream of random numbers. The numbers depend on the study's seed, the plugin's name and the purpose of the stream.
class Random {
 public:
  virtual ~Random() = default;
  /// Uniform in [0, 1).
  virtual double uniform() = 0;
  /// Standard normal. The quotient of two independent ones has the standard Cauchy distribution.
  virtual double normal() = 0;
  /// Uniform among 0, 1, … bound - 1. REQUIRES: bound > 0.
  virtual std::uint64_t below(std::uint64_t bound) = 0;
};

/// Further streams for purposes of the plugin's own.
class Streams {
 public:
  virtual ~Streams() = default;
  /// The stream under this number, from its beginning: the same numbers at each call.
  virtual std::unique_ptr<Random> stream(std::uint64_t number) const = 0;
};

}  // namespace dlrun::plugin
