// SPDX-License-Identifier: Apache-2.0
#include "pruners/pbt_pruner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pruners/ladder.hpp"
#include "util/error.hpp"
#include "util/random.hpp"

namespace dlrun::pruners {

namespace {

const Population& checked(const Population& o, const char* op) {
  if (o.population < 2)
    throw Error(ErrorKind::usage, fmt::format("{} needs population >= 2, but it is {}", op, o.population));
  if (!(o.quantile > 0 && o.quantile <= 0.5))
    throw Error(ErrorKind::usage, fmt::format("{} needs 0 < quantile <= 0.5, but it is {}", op, o.quantile));
  return o;
}

}  // namespace

PbtPruner::PbtPruner(const Population& population, const EvenLadder& ladder, std::uint64_t seed, const char* op)
    : population_(checked(population, op).population),
      quantile_(population.quantile),
      seed_(seed),
      budgets_(even_rungs(ladder, op)) {}

void PbtPruner::on_start(trial::TrialId trial) {
  alive_.insert(trial);
  if (heirs_.empty()) {
    ++started_;
  } else {
    heirs_.pop_front();
  }
}

void PbtPruner::on_value(trial::TrialId trial, int rung, std::optional<double> value) {
  on_score(trial, rung, value ? std::optional(pareto::Score{{*value}}) : std::nullopt);
}

void PbtPruner::on_score(trial::TrialId trial, int rung, const std::optional<pareto::Score>& score) {
  if (rung != rung_ || !alive_.contains(trial)) return;  // one that was tried again too late
  at_[trial] = Rank::of(score);
  close();
}

/// A cancelled trial leaves the population; one that ended early by itself does not go on, and so gives its place up.
void PbtPruner::on_gone(trial::TrialId trial) {
  going_.erase(trial);
  stopping_.erase(trial);
  if (alive_.erase(trial) == 0) return;
  at_.erase(trial);
  close();
}

void PbtPruner::close() {
  const bool is_last = std::size_t(rung_) + 1 == budgets_.size();
  const bool is_full = started_ == population_ && heirs_.empty() && !at_.empty() && at_.size() == alive_.size();
  if (is_last || !is_full) return;
  std::vector<Entry> ranked;
  for (const auto& [trial, value] : at_) ranked.push_back({value, trial});
  std::sort(ranked.begin(), ranked.end());
  const auto sound =
      std::size_t(std::count_if(ranked.begin(), ranked.end(), [](auto& e) { return !e.value.has_failed(); }));
  const std::size_t share = std::min(std::size_t(std::ceil(quantile_ * double(ranked.size()))), ranked.size() / 2);
  const std::size_t best = std::min(share, sound);
  const std::size_t losers = best == 0 ? ranked.size() - sound : std::max(share, ranked.size() - sound);
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const trial::TrialId trial = ranked[i].trial;
    const std::string place = fmt::format("rung {}: number {} of {}", rung_, i + 1, ranked.size());
    if (i + losers < ranked.size()) {
      going_[trial] = place;
      continue;
    }
    alive_.erase(trial);
    if (!ranked[i].value.has_failed()) stopping_[trial] = place + ", gives way";
    if (best > 0) {
      const trial::TrialId donor = draw_donor(ranked, best, trial);
      const std::string merit = best == 1 ? "the best" : fmt::format("one of the best {}", best);
      heirs_.push_back({donor, rung_,
                        fmt::format("rung {}: in place of trial {}, with the weights of trial {}, {}", rung_,
                                    trial.value, donor.value, merit)});
    }
  }
  at_.clear();
  ++rung_;
}

trial::TrialId PbtPruner::draw_donor(const std::vector<Entry>& ranked, std::size_t best, trial::TrialId loser) const {
  RandomStream random(seed_, {"pruner", "pbt", std::to_string(rung_), std::to_string(loser.value)});
  return ranked[random.below(best)].trial;
}

std::optional<Promotion> PbtPruner::next() const {
  if (going_.empty()) return std::nullopt;
  return Promotion{going_.begin()->first, rung_ - 1, going_.begin()->second + ", goes on"};
}

std::optional<Stop> PbtPruner::next_stop() const {
  if (stopping_.empty()) return std::nullopt;
  return Stop{stopping_.begin()->first, rung_ - 1, stopping_.begin()->second};
}

std::optional<Heir> PbtPruner::next_heir() const {
  return heirs_.empty() ? std::nullopt : std::optional(heirs_.front());
}

std::string PbtPruner::closing_reason() const { return fmt::format("a population of {}", population_); }

void PbtPruner::claim(trial::TrialId trial, int rung) {
  if (rung == rung_ - 1 && going_.erase(trial) > 0) return;
  throw Error(ErrorKind::store, fmt::format("trial {} cannot go on from rung {}", trial.value, rung));
}

}  // namespace dlrun::pruners
