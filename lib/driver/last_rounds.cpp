// SPDX-License-Identifier: Apache-2.0
#include "driver/last_rounds.hpp"

#include <algorithm>

namespace dlrun::driver {

namespace {

/// Takes the first piece of each idle worker that has one, then the longest of the others, until all idle ones have
/// one. Idle workers are alike, so those that begin with longer pieces come first.
/// @param first  number of the first idle worker; those behind it up to `end` are idle, too
std::vector<std::size_t> take_first(Packing& packing, const std::vector<double>& lengths, std::size_t first,
                                    std::size_t end) {
  using Pieces = std::vector<std::size_t>;
  const auto begins_shorter = [&](const Pieces& a, const Pieces& b) {
    return (a.empty() ? 0 : lengths[a.front()]) < (b.empty() ? 0 : lengths[b.front()]);
  };
  std::vector<Pieces>& all = packing.pieces;
  std::stable_sort(all.begin() + std::ptrdiff_t(first), all.begin() + std::ptrdiff_t(end),
                   [&](const Pieces& a, const Pieces& b) { return begins_shorter(b, a); });
  Pieces taken;
  for (std::size_t worker = first; worker < end; ++worker) {
    Pieces& pieces = all[worker].empty() ? *std::max_element(all.begin(), all.end(), begins_shorter) : all[worker];
    if (pieces.empty()) break;
    taken.push_back(pieces.front());
    pieces.erase(pieces.begin());
  }
  return taken;
}

}  // namespace

void LastRounds::learn(const Length& length, double seconds) {
  for (Mean* mean : {&by_kind_[{length.kind, length.epochs}], &all_}) {
    mean->sum += seconds / length.ticks;
    ++mean->n;
  }
}

double LastRounds::expected(const Length& length) const {
  if (all_.n == 0) return length.ticks;
  const double of_all = all_.sum / double(all_.n);
  const auto found = by_kind_.find({length.kind, length.epochs});
  const Mean own = found == by_kind_.end() ? Mean() : found->second;
  return length.ticks * (own.sum + of_all) / double(own.n + 1);
}

LastRounds::Workers LastRounds::workers(const std::vector<Running>& running, std::size_t idle) const {
  Workers out{std::vector<double>(idle, 0.0), std::vector<std::optional<trial::PieceKey>>(idle)};
  for (const auto& [key, length, seconds] : running) {
    const double whole = expected(length);
    out.busy.push_back(all_.n == 0 ? whole : std::max(whole - seconds, 0.0));
    out.runs.emplace_back(key);
  }
  return out;
}

LastRounds::Group LastRounds::group(const std::vector<Waiting>& waiting, bool unlocks) const {
  Group out;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (waiting[i].length.unlocks != unlocks) continue;
    out.indices.push_back(i);
    out.keys.push_back(waiting[i].key);
    out.lengths.push_back(expected(waiting[i].length));
  }
  return out;
}

/// The packing of the last time. Idle workers get the runs of workers that ended, the emptiest ones those that are new.
Packing LastRounds::kept(const Group& group, const Workers& workers) const {
  std::map<trial::PieceKey, std::size_t> left;
  for (std::size_t i = 0; i < group.keys.size(); ++i) left[group.keys[i]] = i;
  Packing out{std::vector<std::vector<std::size_t>>(workers.busy.size())};
  std::vector<double> ends = workers.busy;
  const auto give = [&](std::size_t worker, std::size_t piece) {
    out.pieces[worker].push_back(piece);
    ends[worker] += group.lengths[piece];
  };
  std::map<trial::PieceKey, std::size_t> worker_of;
  std::vector<std::size_t> idle;
  for (std::size_t worker = workers.runs.size(); worker-- > 0;) {
    if (workers.runs[worker]) worker_of[*workers.runs[worker]] = worker;
    if (!workers.runs[worker]) idle.push_back(worker);
  }
  for (const auto& [run, next] : plan_) {
    auto found = worker_of.find(run);
    if (found == worker_of.end() && idle.empty()) continue;
    const std::size_t worker = found == worker_of.end() ? idle.back() : found->second;
    if (found == worker_of.end()) idle.pop_back();
    for (const trial::PieceKey& key : next) {
      if (const auto piece = left.extract(key)) give(worker, piece.mapped());
    }
  }
  for (const auto& [key, piece] : left)
    give(std::size_t(std::min_element(ends.begin(), ends.end()) - ends.begin()), piece);
  return out;
}

Packing LastRounds::planned(const Group& group, const Workers& workers) const {
  if (group.lengths.size() <= workers.busy.size()) return spread(group.lengths, workers.busy);
  Packing anew = pack(group.lengths, workers.busy);
  if (plan_.empty()) return anew;
  Packing kept = levelled(this->kept(group, workers), group.lengths, workers.busy);
  return kept.end <= anew.end ? kept : anew;
}

std::vector<std::size_t> LastRounds::choose(const std::vector<Waiting>& waiting, const std::vector<Running>& running,
                                            std::size_t idle) {
  Workers workers = this->workers(running, idle);
  std::vector<std::size_t> out;
  Plan plan;
  for (const bool unlocks : {true, false}) {
    const Group group = this->group(waiting, unlocks);
    if (group.keys.empty() || out.size() == idle) continue;
    Packing packing = planned(group, workers);
    for (const std::size_t piece : take_first(packing, group.lengths, out.size(), idle)) {
      workers.busy[out.size()] = group.lengths[piece];
      workers.runs[out.size()] = group.keys[piece];
      out.push_back(group.indices[piece]);
    }
    for (std::size_t worker = 0; worker < workers.runs.size(); ++worker) {
      if (!workers.runs[worker]) continue;
      for (const std::size_t piece : packing.pieces[worker]) plan[*workers.runs[worker]].push_back(group.keys[piece]);
    }
  }
  plan_ = std::move(plan);
  return out;
}

}  // namespace dlrun::driver
