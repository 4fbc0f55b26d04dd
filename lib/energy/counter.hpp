// SPDX-License-Identifier: Apache-2.0
// A counter of energy of this machine, of any part.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dlrun::energy {

/// Parts of a machine with counters: packages of the CPU, memory beside them, a graphics card with its own memory.
enum class Source { cpu, dram, gpu };
std::string_view to_string(Source source);

class Counter {
 public:
  virtual ~Counter() = default;
  virtual Source source() const = 0;
  /// The GPU it counts, by the name that a worker gets it under (executor/gpu_slots.hpp); empty: all of the machine
  /// uses what it counts.
  virtual std::string device() const { return {}; }
  /// Joules since the last call, at first since it was opened. nullopt: not known, for it cannot be read, was set back,
  /// stands still, or counted more than can be.
  /// @param seconds  since then, above 0
  virtual std::optional<double> read_joules(double seconds) = 0;
};

/// No CPU package, memory or GPU takes more; a higher value is no reading.
inline constexpr double kMostWatts = 3000;
/// Seconds in which everything that is on takes something: a counter that has not moved for longer is none.
inline constexpr double kStandsStill = 2;

/// Joules between two readings of a counter, in units of 1 / `per_joule`.
struct Span {
  std::uint64_t before = 0, now = 0;
  std::uint64_t range = 0;  ///< values before the counter begins again at 0; 0: it never does
  double per_joule = 1e6;
  double seconds = 0;  ///< between them
};

/// nullopt: it went backwards without having come to its end, may have come there more than once, or moved more than
/// kMostWatts.
std::optional<double> spent_between(const Span& span);

}  // namespace dlrun::energy
