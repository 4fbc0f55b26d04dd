// SPDX-License-Identifier: Apache-2.0
// The logical clock: lanes, pieces that were decided, and when a decision may be taken (docs/logical-clock.md, rules 1,
// 2, 4, 5; rule 12 for order: arrival).
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "study/types.hpp"

namespace dlrun::study {

/// A piece that was decided and is not visible yet: pending, even if it has really ended.
struct Piece {
  std::int64_t decision = 0;
  trial::PieceKey key;
  int lane = 0;
  Tick end = 0;                                        ///< planned
  int attempt = 1;                                     ///< the current one; 0: it was lost and its copy goes on
  int copy = 0;                                        ///< a second one that runs beside it; 0: none
  int newest = 1;                                      ///< number that was given last
  bool has_ended = false;                              ///< really
  std::int64_t arrival = 0;                            ///< how many had ended when it did, itself included
  std::optional<double> value;                         ///< what becomes visible, as measured; nullopt: failed
  std::vector<std::pair<std::int64_t, double>> curve;  ///< (epoch, metric) of its epochs, as measured

  bool runs(int number) const { return number > 0 && (number == attempt || number == copy); }
  /// The attempts under way, one or two.
  std::vector<int> running() const;
  /// This one is gone and the other goes on. False: there is no other.
  bool drop(int number);
  /// Of attempts that are no copies themselves, and once.
  bool may_be_copied(int number) const { return !has_ended && number == attempt && number == newest; }
};

/// When and where a decision is taken.
struct Moment {
  int lane = 0;
  Tick at = 0;
};

/// Lanes fall free in the order (time, lane). What a decision at t sees, and needs to have ended, are exactly the
/// pieces with end + L <= t, in the order (end, decision): so it cannot depend on when they really ended.
///
/// In order: arrival a lane falls free when its piece really ends, `at` counts the pieces that had ended, and a
/// decision sees all of those.
class Clock {
 public:
  /// Lane i begins at i x stride; in order: arrival at 0.
  Clock(int lanes, Tick slack, Tick stride, bool arrival);

  /// The next decision; nullopt: it has to wait for a result (arrival: all lanes are busy).
  std::optional<Moment> next() const;
  /// Takes out what a decision at `at` sees and none before it saw, in order. REQUIRES: it all has ended.
  std::vector<Piece> reveal(Tick at);
  /// When something becomes visible next, at the earliest; nullopt: nothing is pending.
  std::optional<Tick> next_visible() const;

  /// An amendment: with nothing pending, all lanes begin anew at `at`. Arrivals count on.
  void restart(int lanes, Tick slack, Tick stride, Tick at);

  void start(const Piece& piece);
  void idle(int lane, Tick until);
  /// How many lanes fall free before then.
  int free_before(Tick at) const;
  /// All of those, at once: before something becomes visible they have no more to decide by.
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
  std::set<std::pair<Tick, int>> lanes_;  ///< when each falls free; arrival: the free ones, all at 0
  std::map<Order, Piece> pieces_;
  std::map<trial::Member, Order> members_;
  std::int64_t ended_pending_ = 0;
  std::int64_t arrivals_ = 0;
};

}  // namespace dlrun::study
