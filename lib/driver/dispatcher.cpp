// SPDX-License-Identifier: Apache-2.0
#include "driver/dispatcher.hpp"

#include <algorithm>
#include <utility>

namespace dlrun::driver {

std::vector<Work> Dispatcher::worker_leaves(std::int64_t worker) {
  const auto found = workers_.find(worker);
  if (found == workers_.end()) return {};
  found->second.is_closed = true;
  programs_.forget(worker);
  auto& given = found->second.given;
  if (given.size() < 2) return {};
  std::vector<Work> waiting(given.begin() + 1, given.end());
  given.erase(given.begin() + 1, given.end());
  return waiting;
}

std::vector<Work> Dispatcher::worker_ended(std::int64_t worker) {
  const auto found = workers_.find(worker);
  if (found == workers_.end()) return {};
  std::vector<Work> held(found->second.given.begin(), found->second.given.end());
  if (!held.empty()) lost_[found->second.host] = ++moment_;
  workers_.erase(found);
  programs_.forget(worker);
  return held;
}

std::optional<Work> Dispatcher::finished(std::int64_t worker, const executor::AttemptKey& attempt, double seconds) {
  const auto found = workers_.find(worker);
  if (found == workers_.end()) return std::nullopt;
  auto& given = found->second.given;
  const auto item = std::find_if(given.begin(), given.end(), [&](const Work& w) { return w.attempt() == attempt; });
  if (item == given.end()) return std::nullopt;
  const Work work = std::move(*item);
  const bool was_first = item == given.begin();
  given.erase(item);
  if (was_first) (given.empty() ? found->second.ended : found->second.began) = ++moment_;
  mean_seconds_ += 0.2 * (seconds - mean_seconds_);
  return work;
}

/// The host that alone may have the work, for its program waits there; nullopt: any.
std::optional<std::string> Dispatcher::bound_to(const Work& work, const PlacementRules& rules) const {
  const auto owner = work.piece.copy_of > 0 ? std::nullopt : programs_.owner_of(work.piece.key.member);
  const auto home = owner ? workers_.find(*owner) : workers_.end();
  if (home == workers_.end()) return std::nullopt;
  const std::string& host = home->second.host;
  const bool has_one = std::any_of(workers_.begin(), workers_.end(), [&](const auto& item) {
    return item.second.host == host && !item.second.is_closed && (!rules.may_run || rules.may_run(item.first, work));
  });
  return has_one ? std::optional(host) : std::nullopt;
}

void Dispatcher::give(Queue& queue, Work work) {
  if (queue.given.empty()) queue.began = ++moment_;
  queue.given.push_back(std::move(work));
}

bool Dispatcher::had_company(std::int64_t worker) const {
  const auto own = workers_.find(worker);
  if (own == workers_.end() || own->second.given.empty()) return false;
  const Queue& mine = own->second;
  const auto lost = lost_.find(mine.host);
  if (lost != lost_.end() && lost->second > mine.began) return true;
  return std::any_of(workers_.begin(), workers_.end(), [&](const auto& item) {
    const Queue& other = item.second;
    return item.first != worker && other.host == mine.host && (!other.given.empty() || other.ended > mine.began);
  });
}

/// Work that wants this host for itself: the piece that already has it, else the first that waits for it.
const Work* Dispatcher::lonely_on(const std::string& host) const {
  const auto wants = [&](const Work& work) { return work.alone_on == host; };
  for (const auto& [worker, queue] : workers_) {
    const auto found = std::find_if(queue.given.begin(), queue.given.end(), wants);
    if (queue.host == host && found != queue.given.end()) return &*found;
  }
  const auto found = std::find_if(ready_.begin(), ready_.end(), wants);
  return found == ready_.end() ? nullptr : &*found;
}

bool Dispatcher::is_free_for(const Queue& queue, const Work& work) const {
  if (!has_lonely_) return true;
  const Work* lonely = lonely_on(queue.host);
  if (work.alone_on.empty()) return lonely == nullptr;
  return lonely == &work && std::all_of(workers_.begin(), workers_.end(), [&](const auto& item) {
           return item.second.host != queue.host || item.second.given.empty();
         });
}

/// Moves work for a host that has no worker left to another host.
void Dispatcher::move_lonely() {
  if (!has_lonely_) return;
  std::vector<std::string> hosts;
  for (const auto& [worker, queue] : workers_) {
    if (!queue.is_closed) hosts.push_back(queue.host);
  }
  for (Work& work : ready_) {
    const bool has_host = std::find(hosts.begin(), hosts.end(), work.alone_on) != hosts.end();
    if (!work.alone_on.empty() && !has_host && !hosts.empty()) work.alone_on = hosts.front();
  }
}

std::optional<Work> Dispatcher::take_waiting(const executor::AttemptKey& attempt) {
  const auto found =
      std::find_if(ready_.begin(), ready_.end(), [&](const Work& work) { return work.attempt() == attempt; });
  if (found == ready_.end()) return std::nullopt;
  Work work = std::move(*found);
  ready_.erase(found);
  return work;
}

std::optional<std::int64_t> Dispatcher::abandon(const executor::AttemptKey& attempt) {
  std::erase_if(ready_, [&](const Work& work) { return work.attempt() == attempt; });
  const auto found = holder(attempt);
  return found == workers_.end() ? std::nullopt : std::optional(found->first);
}

Dispatcher::Workers::const_iterator Dispatcher::holder(const executor::AttemptKey& attempt) const {
  return std::find_if(workers_.begin(), workers_.end(), [&](const auto& item) {
    const auto& given = item.second.given;
    return std::any_of(given.begin(), given.end(), [&](const Work& work) { return work.attempt() == attempt; });
  });
}

/// Idle worker for a copy of an attempt: the first that computes alike, on another host if there is one.
Dispatcher::Workers::const_iterator Dispatcher::elsewhere(const executor::AttemptKey& attempt) const {
  const auto home = holder(attempt);
  auto best = workers_.end();
  for (auto it = workers_.begin(); home != workers_.end() && it != workers_.end(); ++it) {
    const Queue& queue = it->second;
    if (queue.is_closed || !queue.given.empty() || queue.numerics != home->second.numerics) continue;
    if (queue.host != home->second.host) return it;
    if (best == workers_.end()) best = it;
  }
  return best;
}

bool Dispatcher::may_copy(const executor::AttemptKey& attempt) const { return elsewhere(attempt) != workers_.end(); }

std::size_t Dispatcher::depth() const {
  return static_cast<std::size_t>(std::clamp(kAhead / std::max(mean_seconds_, 1e-6), 1.0, double(kMaxAhead)));
}

/// The worker that holds the least work; among equals the one that ran the member last, else the first.
Dispatcher::Workers::iterator Dispatcher::choose(const Work& work, std::size_t depth, const PlacementRules& rules) {
  if (work.piece.copy_of > 0) {
    const auto apart = elsewhere({work.piece.key, work.piece.copy_of});
    if (apart != workers_.cend() && is_free_for(apart->second, work) &&
        (!rules.may_run || rules.may_run(apart->first, work))) {
      return workers_.find(apart->first);
    }
  }
  const auto bound = bound_to(work, rules);
  const auto known = work.piece.from_step > 0 ? last_worker_.find(work.piece.key.member) : last_worker_.end();
  const std::int64_t home = known == last_worker_.end() ? -1 : known->second;
  auto best = workers_.end();
  for (auto it = workers_.begin(); it != workers_.end(); ++it) {
    if (it->second.is_closed || it->second.given.size() >= depth || !is_free_for(it->second, work)) continue;
    if (bound && it->second.host != *bound) continue;
    if (rules.may_run && !rules.may_run(it->first, work)) continue;
    const bool is_better = best == workers_.end() || it->second.given.size() < best->second.given.size() ||
                           (it->second.given.size() == best->second.given.size() && it->first == home);
    if (is_better) best = it;
  }
  return best;
}

namespace {

/// Moves the chosen work to the front, in the order in which it was chosen.
void bring_forward(std::deque<Work>& waiting, const std::vector<std::size_t>& chosen) {
  std::deque<Work> out;
  std::vector<bool> is_chosen(waiting.size());
  for (const std::size_t index : chosen) {
    is_chosen[index] = true;
    out.push_back(std::move(waiting[index]));
  }
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (!is_chosen[i]) out.push_back(std::move(waiting[i]));
  }
  waiting = std::move(out);
}

}  // namespace

std::vector<Placement> Dispatcher::place(const PlacementRules& rules) {
  std::vector<Placement> out;
  const std::size_t most = depth();
  move_lonely();
  const std::size_t idle = workers_.size() - busy_workers();
  if (rules.first && most == 1 && idle > 0) bring_forward(ready_, rules.first(ready_, idle));
  for (auto next = ready_.begin(); next != ready_.end();) {
    const auto worker = choose(*next, most, rules);
    if (worker == workers_.end() && !rules.may_run && !has_lonely_ && programs_.is_empty()) break;
    if (worker == workers_.end() || (rules.may_leave && !rules.may_leave(worker->first, *next))) {
      ++next;
      continue;
    }
    Work work = std::move(*next);
    next = ready_.erase(next);
    if (work.piece.from_step > 0 || most < kMaxAhead) last_worker_[work.piece.key.member] = worker->first;
    if (const auto program = work.piece.copy_of > 0 ? std::nullopt : programs_.take_program(work.piece.key.member)) {
      const auto owner = workers_.find(program->owner);
      if (owner != workers_.end() && owner->second.host == worker->second.host) work.program = program->socket;
    }
    give(worker->second, work);
    out.push_back({worker->first, std::move(work)});
  }
  return out;
}

std::vector<Placement> Dispatcher::running() const {
  std::vector<Placement> out;
  for (const auto& [worker, queue] : workers_) {
    if (!queue.given.empty()) out.push_back({worker, queue.given.front()});
  }
  return out;
}

std::vector<const Work*> Dispatcher::under_way() const {
  std::vector<const Work*> out;
  for (const auto& [worker, queue] : workers_) {
    if (!queue.given.empty()) out.push_back(&queue.given.front());
  }
  return out;
}

bool Dispatcher::is_idle() const { return ready_.empty() && busy_workers() == 0; }

std::size_t Dispatcher::busy_workers() const {
  return static_cast<std::size_t>(
      std::count_if(workers_.begin(), workers_.end(), [](const auto& item) { return !item.second.given.empty(); }));
}

}  // namespace dlrun::driver
