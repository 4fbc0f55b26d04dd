// SPDX-License-Identifier: Apache-2.0
// Energy that attempts of a run took of this machine, and energy that was spent while none ran.
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "driver/dispatcher.hpp"
#include "energy/counter.hpp"
#include "energy/shares.hpp"

namespace dlrun::driver {

/// Reads the counters when attempts end, at least every kLongest, and shares out the energy (energy::Shares): while n
/// workers are busy, each gets the n-th part. Everything the machine spent is shared out, its idle draw and other
/// programs included; a worker elsewhere gets no part. Between its first and its last call nothing is left out: parts,
/// rest and unknown energy add up to what the counters counted.
class Metering {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kShortest{20};  ///< between two readings; counters move every few ms
  static constexpr std::chrono::milliseconds kLongest{500};

  /// Energy of an attempt from one source.
  struct Taken {
    executor::AttemptKey attempt;
    std::string source;            ///< cpu | dram | gpu
    std::optional<double> joules;  ///< nullopt: not known
  };
  /// Energy of no attempt from one source.
  struct Rest {
    std::string what;  ///< idle: no attempt ran; test: the test split was measured; repair: pieces were run again
    std::string source;
    std::optional<double> joules;
  };

  Metering(std::vector<std::unique_ptr<energy::Counter>> counters, Clock::time_point now);

  bool is_on() const { return !meters_.empty(); }
  /// A worker of this machine is ready. @param gpu  the GPUs it was given, with commas between them, or empty
  void worker_ready(std::int64_t worker, const std::string& gpu);
  /// An attempt ended: its result came, or its worker died.
  /// @param seconds  that it took; several that end between two calls of pass() share the time between these in
  /// proportion
  void ended(std::int64_t worker, const Work& work, double seconds);
  /// Time has passed. @param running  pieces that run from now on, one on each worker
  void pass(Clock::time_point now, const std::vector<Placement>& running);
  /// Energy of attempts that ended before the last reading; each attempt is returned once.
  std::vector<Taken> take_ended();
  /// Ends the metering; attempts that still run count as ended.
  void end(Clock::time_point now);
  /// Energy of no attempt. REQUIRES: end() was called.
  std::vector<Rest> take_rest();

 private:
  struct Meter {
    std::unique_ptr<energy::Counter> counter;
    energy::Shares shares;
  };
  struct Ended {
    std::int64_t holder;
    double seconds;
  };

  std::int64_t holder_of(const Work& work);
  bool uses(std::int64_t worker, const Meter& meter) const;
  void share(Meter& meter, double seconds);
  void share(Meter& meter, std::int64_t worker, double seconds);
  void read(Clock::time_point now);
  void settle(std::int64_t holder, std::map<energy::Source, std::optional<double>>& sums);

  std::vector<Meter> meters_;
  std::map<std::int64_t, std::string> gpus_;              ///< GPU by worker of this machine; empty: none
  std::map<executor::AttemptKey, std::int64_t> holders_;  ///< by attempt that runs or was not told yet
  std::int64_t next_holder_ = 0;
  std::map<std::int64_t, std::int64_t> running_;      ///< worker -> holder
  std::map<std::int64_t, std::vector<Ended>> ended_;  ///< by worker, since time last passed
  std::vector<executor::AttemptKey> finished_;        ///< since the last reading
  std::vector<executor::AttemptKey> settled_;         ///< to be told
  Clock::time_point passed_, read_;
};

}  // namespace dlrun::driver
