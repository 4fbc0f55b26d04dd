// SPDX-License-Identifier: Apache-2.0
// The population of L-SHADE: members that are replaced by better ones, the archive of those, and the memory of rates.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <dlrun/plugin/random.hpp>

namespace lshade {

using Units = std::vector<double>;  ///< coordinates in [0, 1), one for each parameter

/// A point with its value. Feasible ones come before infeasible ones, those by their violation (Deb 2000).
struct Member {
  std::int64_t trial = 0;
  Units units;
  double objective = 0;
  double violation = 0;

  bool is_before(const Member& other) const {
    return violation != other.violation ? violation < other.violation : objective < other.objective;
  }
};

/// Scale of differences and rate of crossover.
struct Rates {
  double f = 0.5;
  double cr = 0.5;
};

/// Success-history adaptation: means of rates that led to better members (Tanabe and Fukunaga, CEC 2013 and 2014).
class RateMemory {
 public:
  explicit RateMemory(std::size_t cells) : cells_(cells) {}

  Rates draw(dlrun::plugin::Random& random) const;
  /// The rates made a member better by `gain`.
  void note(const Rates& rates, double gain) { successes_.push_back({rates, gain}); }
  /// A generation is over: its successes become a cell.
  void end_generation();

 private:
  struct Cell {
    double f = 0.5;
    std::optional<double> cr = 0.5;  ///< none: the terminal value, at which CR stays 0
  };
  struct Success {
    Rates rates;
    double gain;
  };
  std::vector<Cell> cells_;
  std::size_t next_ = 0;
  std::vector<Success> successes_;
};

class Population {
 public:
  std::size_t size() const { return members_.size(); }
  const Member& at(std::size_t index) const { return members_[index]; }
  const std::vector<Units>& archive() const { return archive_; }
  /// Index of the member that this trial became; nullopt: it was replaced or removed.
  std::optional<std::size_t> find(std::int64_t trial) const;
  std::size_t worst() const;
  /// Indices, the best first.
  std::vector<std::size_t> ranking() const;

  void add(Member member) { members_.push_back(std::move(member)); }
  /// The former member goes to the archive if `keeps_parent`.
  void replace(std::size_t index, Member member, bool keeps_parent);
  /// Removes the worst members beyond `members`, and random ones of the archive beyond `archived`.
  void shrink(std::size_t members, std::size_t archived, dlrun::plugin::Random& random);

 private:
  std::vector<Member> members_;
  std::vector<Units> archive_;
};

}  // namespace lshade
