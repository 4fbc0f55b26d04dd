// SPDX-License-Identifier: Apache-2.0
#include "driver/blame.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <numeric>

namespace dlrun::driver {

namespace {

using trial::Cause;

/// Can this cause lie in the machine? A loss that is not finite never does, and a worker that is taken away has a cause
/// of its own.
bool counts(Cause cause) {
  return cause == Cause::worker_lost || cause == Cause::signal || cause == Cause::exception || cause == Cause::oom ||
         cause == Cause::timeout || cause == Cause::machine;
}

int sum(const std::map<std::string, int>& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0, [](int all, const auto& item) { return all + item.second; });
}

/// Time for which a host is quarantined. @param number  counts its quarantines since something succeeded, from 1
std::chrono::duration<double> pause(const spec::Quarantine& rules, int number) {
  return std::chrono::duration<double>(std::min(std::ldexp(rules.first, number - 1), rules.most));
}

std::string reason(std::size_t trials) {
  if (trials == 1) return "the last trial on it was lost";
  return fmt::format("the last {} trials on it were lost", trials);
}

std::string verdict(const std::map<std::string, int>& lost) {
  std::vector<std::string> hosts;
  for (const auto& [host, count] : lost) hosts.push_back(host);
  const std::string last = hosts.back();
  hosts.pop_back();
  return fmt::format("; lost on hosts {} and {}: the trial's fault, not the machine's", fmt::join(hosts, ", "), last);
}

}  // namespace

int Blame::Loss::count() const { return sum(hosts) + sum(lacking); }

std::optional<std::string> Blame::Loss::only_host() const {
  std::set<std::string> all;
  for (const auto* some : {&hosts, &lacking}) {
    for (const auto& [host, count] : *some) all.insert(host);
  }
  return all.size() == 1 ? std::optional(*all.begin()) : std::nullopt;
}

void Blame::worker_ended(std::int64_t worker) {
  hosts_of_.erase(worker);
  leaving_.erase(worker);
}

/// Hosts that have a worker which may get work.
std::set<std::string> Blame::alive() const {
  std::set<std::string> out;
  for (const auto& [worker, host] : hosts_of_) {
    if (!leaving_.contains(worker)) out.insert(host);
  }
  return out;
}

bool Blame::is_bad(const std::string& host) const {
  const auto found = hosts_.find(host);
  return found != hosts_.end() && is_aside(*found);
}

/// Host that gets work in any case, so that the study never waits for none: a live one that is not quarantined, else
/// the one released earliest.
std::string Blame::least_bad() const {
  const std::set<std::string> all = alive();
  const auto time_of = [this](const std::string& host) { return is_bad(host) ? hosts_.at(host).until : Time::min(); };
  const auto best = std::min_element(
      all.begin(), all.end(), [&](const std::string& a, const std::string& b) { return time_of(a) < time_of(b); });
  return best == all.end() ? std::string() : *best;
}

bool Blame::is_held_back(const std::string& host, Time now) const {
  if (!is_bad(host) || host == least_bad()) return false;
  const Host& facts = hosts_.at(host);
  return facts.is_tried || now < facts.until;
}

bool Blame::may_run(std::int64_t worker, const trial::PieceKey& piece, Time now) const {
  const std::string& host = hosts_of_.at(worker);
  if (is_held_back(host, now)) return false;
  const auto loss = lost_.find(piece);
  if (loss == lost_.end() || !loss->second.was_on(host)) return true;
  const std::set<std::string> all = alive();
  return std::none_of(all.begin(), all.end(), [&](const std::string& other) {
    return !loss->second.was_on(other) && !is_held_back(other, now);
  });
}

void Blame::succeeded(std::int64_t worker, const trial::PieceKey& piece) {
  const std::string& name = hosts_of_.at(worker);
  take_back(name, "succeeded there");
  hosts_[name].in_a_row.clear();
  const auto loss = lost_.find(piece);
  if (loss == lost_.end()) return;
  const auto one = loss->second.only_host();  // several hosts: nobody knows which one
  if (one && *one != name) ++hosts_[*one].proven;
  lost_.erase(loss);
}

std::string Blame::lost(std::int64_t worker, const trial::PieceKey& piece, Cause cause, Time now) {
  const std::string& name = hosts_of_.at(worker);
  Host& host = hosts_[name];
  host.is_tried = false;
  if (!counts(cause)) return {};
  Loss& loss = lost_[piece];
  const bool may_be_trial = cause != Cause::machine;
  const bool is_acquitted = may_be_trial && loss.hosts.size() > 1;
  ++(may_be_trial ? loss.hosts : loss.lacking)[name];
  if (!is_acquitted) {
    ++host.losses;
    host.in_a_row.insert(piece.member.trial);
  }
  if (may_be_trial && loss.hosts.size() > 1) {
    if (!is_acquitted) acquit(loss, piece.member.trial);
    return verdict(loss.hosts);
  }
  if (has_enough(host)) set_aside(name, now);
  return {};
}

/// Takes the losses off the hosts, because two hosts agree that the trial is at fault.
void Blame::acquit(const Loss& loss, trial::TrialId trial) {
  for (const auto& [name, count] : loss.hosts) {
    Host& host = hosts_[name];
    host.losses -= count;
    host.in_a_row.erase(trial);
    if (!has_enough(host)) take_back(name, "what was lost there was the trials' fault");
  }
}

/// Quarantines a host if another one works. A host that failed after a quarantine is quarantined again in any case.
void Blame::set_aside(const std::string& name, Time now) {
  const std::set<std::string> all = alive();
  const bool has_other = std::any_of(all.begin(), all.end(), [&](const auto& h) { return h != name && !is_bad(h); });
  if (!is_bad(name) && !has_other) return;
  Host& host = hosts_[name];
  const auto time = pause(rules_, ++host.pauses);
  host.until = now + std::chrono::duration_cast<Time::duration>(time);
  news_.push_back(fmt::format("host {} is set aside for {:g} s: {}", name, time.count(), reason(host.in_a_row.size())));
}

void Blame::take_back(const std::string& name, const std::string& why) {
  Host& host = hosts_[name];
  host.is_tried = false;
  if (std::exchange(host.pauses, 0) > 0) news_.push_back(fmt::format("host {} gets work again: {}", name, why));
}

/// Replays an attempt with workers numbered for this call only: one on each host, then the attempt's own on its host.
void Blame::remember(const Past& past) {
  std::int64_t worker = 0;
  for (const std::string& host : past.hosts) worker_ready(worker++, host);
  worker_ready(worker, past.host);
  if (past.loss) lost(worker, past.piece, *past.loss, past.when);
  if (!past.loss) succeeded(worker, past.piece);
  hosts_of_.clear();
  news_.clear();
}

bool Blame::can_learn(const trial::PieceKey& piece, std::optional<Cause> loss) const {
  if (loss) return counts(*loss);
  const auto is_suspect = [](const Named& host) { return !host.second.in_a_row.empty() || is_aside(host); };
  return lost_.contains(piece) || std::any_of(hosts_.begin(), hosts_.end(), is_suspect);
}

void Blame::tell_kept(Time now) {
  for (const auto& [name, host] : hosts_) {
    const double left = std::chrono::duration<double>(host.until - now).count();
    if (host.pauses == 0 || left <= 0) continue;
    news_.push_back(fmt::format("host {} is still set aside for {:.0f} s: {}", name, std::ceil(left),
                                reason(host.in_a_row.size())));
  }
}

int Blame::losses(const trial::PieceKey& piece) const {
  const auto found = lost_.find(piece);
  return found == lost_.end() ? 0 : found->second.count();
}

Json Blame::to_json(Time now) const {
  std::map<std::string, int> workers;
  for (const auto& [name, host] : hosts_) workers[name] = 0;
  for (const auto& [worker, name] : hosts_of_) ++workers[name];
  Json out = Json::array();
  for (const auto& [name, count] : workers) {
    const auto found = hosts_.find(name);
    const Host host = found == hosts_.end() ? Host() : found->second;
    const double left = std::chrono::duration<double>(host.until - now).count();
    out.push_back({{"host", name},
                   {"workers", count},
                   {"lost", host.losses},
                   {"proven", host.proven},
                   {"is_aside", host.pauses > 0},
                   {"seconds", host.pauses > 0 ? std::max(left, 0.0) : 0.0}});
  }
  return out;
}

}  // namespace dlrun::driver
