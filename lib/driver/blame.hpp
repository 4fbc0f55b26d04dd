// SPDX-License-Identifier: Apache-2.0
// Whose fault is it that attempts are lost: the trial's or the machine's? Pure: no clock, no process. It says where a
// piece may run, never what a study decides.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "spec/quarantine.hpp"
#include "trial/trial.hpp"
#include "util/json.hpp"

namespace dlrun::driver {

/// A piece that was lost on two hosts is its trial's fault, and counts against neither. Otherwise a loss counts against
/// its host. A host on which attempts of several trials in a row were lost, with none that succeeded in between, is set
/// aside while there is another: after a while, each time a longer one, it is given one piece, and whether that
/// succeeds says how it goes on (a circuit breaker). Of hosts that are all aside the one whose time is over first
/// works.
///
/// A piece that is tried again goes to a host where it was not lost, where there is one. A loss by what its machine
/// lacked (Cause::machine) counts against the host, on however many it happens.
class Blame {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// An attempt that ended before this driver began.
  struct Past {
    trial::PieceKey piece;
    std::string host;
    std::set<std::string> hosts;       ///< that had workers when it ended
    std::optional<trial::Cause> loss;  ///< none: it succeeded
    Time when;
  };

  Blame() = default;
  explicit Blame(const spec::Quarantine& rules) : rules_(rules) {}

  void worker_ready(std::int64_t worker, const std::string& host) { hosts_of_[worker] = host; }
  /// It gets no more work; what it holds may still end.
  void worker_leaves(std::int64_t worker) { leaving_.insert(worker); }
  /// REQUIRES: what it ran was lost() before.
  void worker_ended(std::int64_t worker);

  const std::string& host_of(std::int64_t worker) const { return hosts_of_.at(worker); }
  /// False: another worker is better, now or later.
  bool may_run(std::int64_t worker, const trial::PieceKey& piece, Time now) const;
  /// It gets a piece.
  void given(std::int64_t worker) { here(worker).is_tried = true; }
  void succeeded(std::int64_t worker, const trial::PieceKey& piece);
  /// @return to be added to the message: "; lost on hosts a and b: the trial's fault, not the machine's", or nothing
  std::string lost(std::int64_t worker, const trial::PieceKey& piece, trial::Cause cause, Time now);
  /// How often an attempt at a piece was lost, on any host, since one succeeded.
  int losses(const trial::PieceKey& piece) const;
  /// Takes in what an earlier driver saw; in order, and before the first worker is ready.
  void remember(const Past& past);
  /// Can it tell anything that is not known? Losses do, successes where something was lost before.
  bool can_learn(const trial::PieceKey& piece, std::optional<trial::Cause> loss) const;
  /// All is remembered: people should know what still stands.
  void tell_kept(Time now);
  /// Nothing to say: may_run() is true for all.
  bool is_quiet() const { return lost_.empty() && std::none_of(hosts_.begin(), hosts_.end(), is_aside); }
  /// What people should know, since the last call.
  std::vector<std::string> take_news() { return std::exchange(news_, {}); }
  /// For `dlrun status`: every host, its workers, its losses, and for how many seconds it is set aside.
  Json to_json(Time now) const;

 private:
  struct Host {
    int losses = 0;                     ///< attempts, that are not the fault of their trials
    int proven = 0;                     ///< of these, at pieces that succeeded elsewhere
    std::set<trial::TrialId> in_a_row;  ///< trials lost since one succeeded
    int pauses = 0;                     ///< since one succeeded; 0: it is not set aside
    Time until;                         ///< set aside: gets a piece from then on
    bool is_tried = false;              ///< set aside: it has that piece
  };
  struct Loss {
    std::map<std::string, int> hosts;    ///< and how many attempts were lost there
    std::map<std::string, int> lacking;  ///< likewise by what the machine lacked
    int count() const;
    bool was_on(const std::string& host) const { return hosts.contains(host) || lacking.contains(host); }
    std::optional<std::string> only_host() const;
  };
  using Named = std::pair<const std::string, Host>;

  static bool is_aside(const Named& host) { return host.second.pauses > 0; }
  Host& here(std::int64_t worker) { return hosts_[hosts_of_.at(worker)]; }
  std::set<std::string> alive() const;
  std::string least_bad() const;
  bool is_held_back(const std::string& host, Time now) const;
  bool is_bad(const std::string& host) const;
  bool has_enough(const Host& host) const { return rules_.after > 0 && std::ssize(host.in_a_row) >= rules_.after; }
  void acquit(const Loss& loss, trial::TrialId trial);
  void set_aside(const std::string& name, Time now);
  void take_back(const std::string& name, const std::string& why);

  spec::Quarantine rules_;
  std::map<std::int64_t, std::string> hosts_of_;  ///< of workers that have not ended
  std::set<std::int64_t> leaving_;
  std::map<std::string, Host> hosts_;
  std::map<trial::PieceKey, Loss> lost_;
  std::vector<std::string> news_;
};

}  // namespace dlrun::driver
