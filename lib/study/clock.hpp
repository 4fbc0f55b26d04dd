// SPDX-License-Identifier: Apache-2.0
// Logical clock: lanes, decided pieces, and when a decision may be taken (docs/logical-clock.md, rules 1, 2, 4, 5; rule
// 12 for order arrival).
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "study/types.hpp"

namespace dlrun::study {

/// A pending piece: decided and not visible yet, even if it has really ended.
struct Piece {
  std::int64_t decision = 0;
  trial::PieceKey key;
  int lane = 0;
  Tick end = 0;                                        ///< planned end
  int attempt = 1;                                     ///< the current one; 0: lost, and its copy continues
  int copy = 0;                                        ///< second attempt beside it; 0: none
  int newest = 1;                                      ///< highest number so far
  bool has_ended = false;                              ///< has it really ended?
  std::int64_t arrival = 0;                            ///< number of pieces that had ended when it did, itself included
  std::optional<double> value;                         ///< objective to become visible, as measured; nullopt: failed
  std::vector<std::pair<std::int64_t, double>> curve;  ///< (epoch, metric) of its epochs, as measured

  bool runs(int number) const { return number > 0 && (number == attempt || number == copy); }
  /// The attempts under way, one or two.
  std::vector<int> running() const;
  /// Removes an attempt whose twin continues. @return false, with nothing removed: there is no other attempt
  bool drop(int number);
  /// An attempt may be copied once, a copy never.
  bool may_be_copied(int number) const { return !has_ended && number == attempt && number == newest; }
};

/// When and where a decision is taken.
struct Moment {
  int lane = 0;
  Tick at = 0;
};

/// Lanes fall free in the order (time, lane). A decision at t sees exactly the pieces with end + L <= t, in the order
/// (end, decision), and waits until they have ended. So it cannot depend on when they really ended.
///
/// In order arrival a lane falls free when its piece really ends. Then `at` counts the pieces that had ended, and a
/// decision sees all of these.
class Clock {
 public:
  /// Lane i begins at i x stride; in order arrival at 0.
  Clock(int lanes, Tick slack, Tick stride, bool arrival);

  /// Moment of the next decision; nullopt: a result has to come first (arrival: all lanes are busy).
  std::optional<Moment> next() const;
  /// Pieces that have to end before the next decision, in the order (end, decision), so many at most; in order arrival
  /// all that run.
  std::vector<const Piece*> awaited(std::size_t most) const;
  /// Removes the pieces that a decision at `at` is the first to see, in order. REQUIRES: all of them have ended.
  std::vector<Piece> reveal(Tick at);
  /// Earliest time at which another piece becomes visible; nullopt: nothing is pending.
  std::optional<Tick> next_visible() const;

  /// After an amendment all lanes restart at `at`; the count of arrivals continues. REQUIRES: nothing is pending.
  void restart(int lanes, Tick slack, Tick stride, Tick at);

  /// One lane more, free at once. REQUIRES: order arrival.
  void add_lane() { lanes_.emplace(0, lane_count_++); }

  void start(const Piece& piece);
  void idle(int lane, Tick until);
  /// Number of lanes that fall free before a time.
  int free_before(Tick at) const;
  /// All lanes that fall free before a time idle until then, because no result becomes visible to them earlier.
  void idle_all(Tick until);
  void end(Piece& piece);

  /// The pending piece of a member, or null. It stays valid until it is revealed.
  Piece* find(const trial::Member& member);
  /// The piece that an attempt is under way for, or null.
  Piece* find(const trial::PieceKey& key, int attempt);
  /// All pending pieces, by (end, decision).
  std::vector<Piece*> pending();
  std::int64_t unfinished() const { return static_cast<std::int64_t>(pieces_.size()) - ended_pending_; }

 private:
  using Order = std::pair<Tick, std::int64_t>;  ///< (end, decision)
  std::optional<Moment> next_arrival() const;

  Tick slack_;
  bool arrival_;
  int lane_count_ = 0;
  std::set<std::pair<Tick, int>> lanes_;  ///< (time at which it falls free, lane); arrival: free lanes, all at 0
  std::map<Order, Piece> pieces_;
  std::map<trial::Member, Order> members_;
  std::int64_t ended_pending_ = 0;
  std::int64_t arrivals_ = 0;
};

}  // namespace dlrun::study
