// SPDX-License-Identifier: Apache-2.0
#include "pruners/asha_pruner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pruners/ladder.hpp"
#include "util/error.hpp"

namespace dlrun::pruners {

namespace {

constexpr double kFailed = std::numeric_limits<double>::infinity();

}  // namespace

AshaPruner::AshaPruner(const Ladder& ladder, const char* op)
    : eta_(static_cast<std::size_t>(ladder.eta)), budgets_(geometric_rungs(ladder, op)), rungs_(budgets_.size() - 1) {}

std::vector<double> AshaPruner::shares() const { return geometric_shares(budgets_.size(), static_cast<int>(eta_)); }

void AshaPruner::on_value(trial::TrialId trial, int rung, std::optional<double> value) {
  if (static_cast<std::size_t>(rung) >= rungs_.size()) return;
  Rung& here = rungs_[static_cast<std::size_t>(rung)];
  if (here.failed.erase(trial) > 0) erase(here, {kFailed, trial});
  const bool is_usable = value && std::isfinite(*value);
  if (!is_usable) here.failed.insert(trial);
  insert(here, {is_usable ? *value : kFailed, trial});
}

void AshaPruner::insert(Rung& rung, const Entry& entry) {
  if (!rung.best.empty() && entry < *rung.best.rbegin()) {
    rung.best.insert(entry);
    if (may_go_on(rung, entry)) rung.ready.insert(entry);
  } else {
    rung.rest.insert(entry);
  }
  balance(rung);
}

void AshaPruner::erase(Rung& rung, const Entry& entry) {
  rung.best.erase(entry);
  rung.rest.erase(entry);
  rung.ready.erase(entry);
}

/// Moves what is too much or too little between `best` and `rest`: at most one entry after an insertion.
void AshaPruner::balance(Rung& rung) {
  const std::size_t wanted = (rung.best.size() + rung.rest.size()) / eta_;
  while (rung.best.size() > wanted) {
    const auto worst = std::prev(rung.best.end());
    rung.ready.erase(*worst);
    rung.rest.insert(rung.best.extract(worst));
  }
  while (rung.best.size() < wanted) {
    const auto best = rung.rest.begin();
    if (may_go_on(rung, *best)) rung.ready.insert(*best);
    rung.best.insert(rung.rest.extract(best));
  }
}

bool AshaPruner::may_go_on(const Rung& rung, const Entry& entry) const {
  return entry.value != kFailed && !rung.promoted.contains(entry.trial) && !gone_.contains(entry.trial);
}

void AshaPruner::on_gone(trial::TrialId trial) {
  gone_.insert(trial);
  for (Rung& rung : rungs_) std::erase_if(rung.ready, [&](const Entry& e) { return e.trial == trial; });
}

std::optional<Promotion> AshaPruner::next_below(int rung) const {
  for (std::size_t k = std::min(rungs_.size(), static_cast<std::size_t>(rung)); k-- > 0;) {
    const Rung& rung = rungs_[k];
    if (rung.ready.empty()) continue;
    return Promotion{
        rung.ready.begin()->trial, static_cast<int>(k),
        fmt::format("rung {}: among the best {} of {}", k, rung.best.size(), rung.best.size() + rung.rest.size())};
  }
  return std::nullopt;
}

void AshaPruner::claim(trial::TrialId trial, int rung) {
  const auto is_it = [&](const Entry& e) { return e.trial == trial; };
  if (rung >= 0 && static_cast<std::size_t>(rung) < rungs_.size()) {
    Rung& here = rungs_[static_cast<std::size_t>(rung)];
    const auto found = std::find_if(here.ready.begin(), here.ready.end(), is_it);  // nearly always the first
    if (found != here.ready.end()) {
      here.promoted.insert(trial);
      here.ready.erase(found);
      return;
    }
  }
  throw Error(ErrorKind::store, fmt::format("trial {} cannot go on from rung {}", trial.value, rung));
}

}  // namespace dlrun::pruners
