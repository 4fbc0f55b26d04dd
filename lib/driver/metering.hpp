// SPDX-License-Identifier: Apache-2.0
// What the attempts of a run took of this machine's energy, and what was spent while none ran.
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

/// Reads the counters when attempts end, at least every kLongest, and shares out what they counted (energy::Shares): of
/// the moments at which n workers were busy each has the n-th part. All that the machine spent is shared out, its idle
/// draw and what other programs took included; a worker elsewhere takes nothing of it. Between its first and its last
/// call nothing is left out: parts, rest and what is not known add up to what the counters counted.
class Metering {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kShortest{20};  ///< between two readings; counters move every few ms
  static constexpr std::chrono::milliseconds kLongest{500};

  /// Of an attempt, by source.
  struct Taken {
    executor::AttemptKey attempt;
    std::string source;            ///< cpu | dram | gpu
    std::optional<double> joules;  ///< nullopt: not known
  };
  /// Of no attempt.
  struct Rest {
    std::string what;  ///< idle: no attempt ran; test: the test split was measured; repair: pieces were run again
    std::string source;
    std::optional<double> joules;
  };

  Metering(std::vector<std::unique_ptr<energy::Counter>> counters, Clock::time_point now);

  bool is_on() const { return !meters_.empty(); }
  /// A worker of this machine. @param gpu  the one it was given, or empty
  void worker_ready(std::int64_t worker, const std::string& gpu);
  /// A result came, or its worker died of it. @param seconds  that it took, of several at once
  void ended(std::int64_t worker, const Work& work, double seconds);
  /// Time has passed; from now on these run, one on a worker.
  void pass(Clock::time_point now, const std::vector<Placement>& running);
  /// Attempts that ended before the last reading; each is told once.
  std::vector<Taken> take_ended();
  /// The run is over. What still ran counts as ended.
  void end(Clock::time_point now);
  /// After the end.
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
  std::map<std::int64_t, std::string> gpus_;              ///< of workers of this machine
  std::map<executor::AttemptKey, std::int64_t> holders_;  ///< of attempts that run or were not told yet
  std::int64_t next_holder_ = 0;
  std::map<std::int64_t, std::int64_t> running_;      ///< worker -> holder
  std::map<std::int64_t, std::vector<Ended>> ended_;  ///< by worker, since time last passed
  std::vector<executor::AttemptKey> finished_;        ///< since the last reading
  std::vector<executor::AttemptKey> settled_;         ///< to be told
  Clock::time_point passed_, read_;
};

}  // namespace dlrun::driver
