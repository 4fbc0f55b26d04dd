// SPDX-License-Identifier: Apache-2.0
// Blames lost attempts on their trial or on their machine. Pure: no clock, no process. Blame decides where a piece may
// run and never changes what a study decides.
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

/// A piece that was lost on two hosts is its trial's fault and counts against neither host. Otherwise a loss counts
/// against its host. A host that lost attempts of several trials in a row, without a success in between, is quarantined
/// while another host works (a circuit breaker). After a pause, which is longer each time, the host gets one piece, and
/// the outcome of that piece decides whether it works again. If every host is quarantined, the one released earliest
/// gets the work.
///
/// A retried piece goes to a host where it was not lost, if there is one. A loss by what the machine lacked
/// (Cause::machine) counts against the host, however many hosts the piece is lost on.
class Blame {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// An attempt that ended before this driver began.
  struct Past {
    trial::PieceKey piece;
    std::string host;
    std::set<std::string> hosts;       ///< hosts that had workers when the attempt ended
    std::optional<trial::Cause> loss;  ///< none: the attempt succeeded
    Time when;
  };

  Blame() = default;
  explicit Blame(const spec::Quarantine& rules) : rules_(rules) {}

  void worker_ready(std::int64_t worker, const std::string& host) { hosts_of_[worker] = host; }
  /// The worker gets no more work; pieces that it holds may still end.
  void worker_leaves(std::int64_t worker) { leaving_.insert(worker); }
  /// REQUIRES: lost() was called for the piece that the worker ran, if any.
  void worker_ended(std::int64_t worker);

  const std::string& host_of(std::int64_t worker) const { return hosts_of_.at(worker); }
  /// May this worker run the piece? False: another worker is better, now or later.
  bool may_run(std::int64_t worker, const trial::PieceKey& piece, Time now) const;
  /// Notes that the worker gets a piece.
  void given(std::int64_t worker) { here(worker).is_tried = true; }
  void succeeded(std::int64_t worker, const trial::PieceKey& piece);
  /// Notes a lost attempt. @return text to append to its message, "; lost on hosts a and b: the trial's fault, not the
  /// machine's", or nothing
  std::string lost(std::int64_t worker, const trial::PieceKey& piece, trial::Cause cause, Time now);
  /// Number of attempts at the piece that were lost, on any host, since one succeeded.
  int losses(const trial::PieceKey& piece) const;
  /// Takes in an attempt of an earlier driver. REQUIRES: called in the order of the log, before the first worker is
  /// ready.
  void remember(const Past& past);
  /// Can such an attempt tell anything new? A loss does; a success does if something was lost before it.
  bool can_learn(const trial::PieceKey& piece, std::optional<trial::Cause> loss) const;
  /// Adds the hosts that are still quarantined to the news. REQUIRES: all earlier attempts are remembered.
  void tell_kept(Time now);
  /// True if no lost piece waits for a success and no host is quarantined, so that may_run() is true for all.
  bool is_quiet() const { return lost_.empty() && std::none_of(hosts_.begin(), hosts_.end(), is_aside); }
  /// News for people since the last call.
  std::vector<std::string> take_news() { return std::exchange(news_, {}); }
  /// Hosts for `dlrun status`: the workers and losses of each, and for how many seconds it is quarantined.
  Json to_json(Time now) const;

 private:
  struct Host {
    int losses = 0;                     ///< attempts that are not the fault of their trials
    int proven = 0;                     ///< pieces lost here that succeeded elsewhere
    std::set<trial::TrialId> in_a_row;  ///< trials lost since one succeeded
    int pauses = 0;                     ///< since one succeeded; 0: not quarantined
    Time until;                         ///< quarantined: it gets a piece from this time on
    bool is_tried = false;              ///< quarantined: it has that piece
  };
  struct Loss {
    std::map<std::string, int> hosts;    ///< lost attempts by host, except for those in `lacking`
    std::map<std::string, int> lacking;  ///< attempts lost by what the machine lacked, by host
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
  std::map<std::int64_t, std::string> hosts_of_;  ///< by worker that has not ended
  std::set<std::int64_t> leaving_;
  std::map<std::string, Host> hosts_;
  std::map<trial::PieceKey, Loss> lost_;
  std::vector<std::string> news_;
};

}  // namespace dlrun::driver
