// SPDX-License-Identifier: Apache-2.0
#include "pruners/halving_pruner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pruners/ladder.hpp"
#include "util/error.hpp"

namespace dlrun::pruners {

namespace {

/// ceil(a * b / c) for b < c * 2^62 / a, without a * b.
std::int64_t scaled_up(std::int64_t a, std::int64_t b, std::int64_t c) {
  return a * (b / c) + (a * (b % c) + c - 1) / c;
}

std::int64_t total_of(const std::vector<BracketPlan>& plan) {
  std::int64_t total = 0;
  for (const BracketPlan& bracket : plan) total += bracket.trials;
  return total;
}

/// 1, eta, eta^2, … <= R / r
std::vector<std::int64_t> powers_of_eta(const Ladder& ladder, const char* op) {
  std::vector<std::int64_t> powers{1};
  const std::size_t rungs = geometric_rungs(ladder, op).size();
  while (powers.size() < rungs) powers.push_back(powers.back() * ladder.eta);
  return powers;
}

}  // namespace

std::vector<BracketPlan> hyperband_brackets(const Ladder& ladder, const char* op) {
  const std::vector<std::int64_t> powers = powers_of_eta(ladder, op);
  const int s_max = static_cast<int>(powers.size()) - 1;
  std::vector<BracketPlan> plan;
  for (int s = s_max; s >= 0; --s) {
    plan.push_back({s_max - s, scaled_up(s_max + 1, powers[static_cast<std::size_t>(s)], s + 1)});
  }
  return plan;
}

std::vector<BracketPlan> halving_bracket(const SuccessiveHalving& halving) {
  const std::vector<std::int64_t> powers = powers_of_eta(halving.ladder, SuccessiveHalving::kName);
  const std::int64_t trials = halving.bracket == 0 ? powers.back() : halving.bracket;
  if (powers.size() > 1 && trials < halving.ladder.eta) {
    throw Error(ErrorKind::usage, fmt::format("successive_halving needs bracket >= eta, but they are {} and {}", trials,
                                              halving.ladder.eta));
  }
  return {{0, trials}};
}

HalvingPruner::HalvingPruner(const SuccessiveHalving& halving)
    : eta_(static_cast<std::size_t>(halving.ladder.eta)),
      budgets_(geometric_rungs(halving.ladder, SuccessiveHalving::kName)),
      plan_(halving_bracket(halving)) {}

HalvingPruner::HalvingPruner(const Ladder& ladder, const char* op)
    : eta_(static_cast<std::size_t>(ladder.eta)),
      budgets_(geometric_rungs(ladder, op)),
      plan_(hyperband_brackets(ladder, op)) {}

std::vector<double> HalvingPruner::shares() const {
  const auto all = double(total_of(plan_));
  std::vector<double> shares(budgets_.size());
  for (const BracketPlan& bracket : plan_) {
    auto left = static_cast<std::size_t>(bracket.trials);
    for (auto k = static_cast<std::size_t>(bracket.first_rung); k < shares.size(); ++k, left /= eta_) {
      shares[k] += double(left) / all;
    }
  }
  return shares;
}

std::vector<double> HalvingPruner::first_shares() const {
  std::vector<double> shares(budgets_.size());
  for (const BracketPlan& bracket : plan_)
    shares[static_cast<std::size_t>(bracket.first_rung)] += double(bracket.trials) / double(total_of(plan_));
  return shares;
}

void HalvingPruner::on_start(trial::TrialId trial) {
  const BracketPlan& plan = plan_[next_bracket_];
  const bool is_open = !brackets_.empty() && brackets_.back().rungs[0].members.size() < brackets_.back().size;
  if (!is_open) {
    brackets_.push_back({plan.first_rung, static_cast<std::size_t>(plan.trials), {}});
    brackets_.back().rungs.resize(budgets_.size() - static_cast<std::size_t>(plan.first_rung));
  }
  Bracket& bracket = brackets_.back();
  bracket.rungs[0].members.insert(trial);
  bracket_of_[trial] = brackets_.size() - 1;
  if (bracket.rungs[0].members.size() == bracket.size) next_bracket_ = (next_bracket_ + 1) % plan_.size();
}

void HalvingPruner::on_value(trial::TrialId trial, int rung, std::optional<double> value) {
  on_score(trial, rung, value ? std::optional(pareto::Score{{*value}}) : std::nullopt);
}

void HalvingPruner::on_score(trial::TrialId trial, int rung, const std::optional<pareto::Score>& score) {
  const auto found = bracket_of_.find(trial);
  if (found == bracket_of_.end()) return;
  Bracket& bracket = brackets_[found->second];
  const int index = rung - bracket.first_rung;
  if (index < 0 || static_cast<std::size_t>(index) >= bracket.rungs.size()) return;
  Rung& here = bracket.rungs[static_cast<std::size_t>(index)];
  if (!here.members.contains(trial) || here.is_closed) return;  // tried again, too late
  here.values[trial] = Rank::of(score);
  settle(bracket);
  note_ready(bracket);
}

/// Closes every rung that has all it waits for.
void HalvingPruner::settle(Bracket& bracket) const {
  bool is_settled = bracket.rungs[0].members.size() == bracket.size;  // no other trial will come to this rung
  for (std::size_t i = 0; i + 1 < bracket.rungs.size() && is_settled; ++i) {
    Rung& rung = bracket.rungs[i];
    if (!rung.is_closed && rung.values.size() == rung.members.size()) close(bracket, i, rung);
    is_settled = rung.is_closed && rung.going.empty();
  }
}

void HalvingPruner::close(const Bracket& bracket, std::size_t index, Rung& rung) const {
  rung.is_closed = true;
  rung.survivors = bracket.size;
  for (std::size_t i = 0; i <= index; ++i) rung.survivors /= eta_;
  std::vector<std::pair<Rank, trial::TrialId>> sorted;
  for (const auto& [trial, value] : rung.values) sorted.emplace_back(value, trial);
  std::sort(sorted.begin(), sorted.end());
  sorted.resize(std::min(sorted.size(), rung.survivors));
  for (const auto& [value, trial] : sorted) {
    if (!value.has_failed() && !gone_.contains(trial)) rung.going.insert(trial);
  }
}

void HalvingPruner::note_ready(const Bracket& bracket) {
  for (std::size_t i = 0; i < bracket.rungs.size(); ++i) {
    const Rung& rung = bracket.rungs[i];
    for (const trial::TrialId trial : rung.going) {
      ready_.emplace(-(bracket.first_rung + static_cast<int>(i)), rung.values.at(trial), trial);
    }
  }
}

void HalvingPruner::on_gone(trial::TrialId trial) {
  gone_.insert(trial);
  const auto found = bracket_of_.find(trial);
  if (found == bracket_of_.end()) return;
  Bracket& bracket = brackets_[found->second];
  std::erase_if(ready_, [&](const Order& order) { return std::get<2>(order) == trial; });
  for (Rung& rung : bracket.rungs) rung.going.erase(trial);
  settle(bracket);
  note_ready(bracket);
}

std::string HalvingPruner::reason(const Bracket& bracket, int rung) {
  const Rung& here = bracket.rungs[static_cast<std::size_t>(rung - bracket.first_rung)];
  return fmt::format("rung {}: among the best {} of {} in its bracket", rung, here.survivors, here.values.size());
}

std::optional<Promotion> HalvingPruner::next() const {
  if (ready_.empty()) return std::nullopt;
  const auto& [level, value, trial] = *ready_.begin();
  return Promotion{trial, -level, reason(brackets_[bracket_of_.at(trial)], -level)};
}

std::optional<HalvingPruner::Bracket> HalvingPruner::cut() const {
  if (brackets_.empty() || brackets_.back().rungs[0].members.size() == brackets_.back().size) return std::nullopt;
  Bracket bracket = brackets_.back();
  bracket.size = bracket.rungs[0].members.size();
  settle(bracket);
  return bracket;
}

std::optional<HalvingPruner::Order> HalvingPruner::first_ready(const Bracket& bracket) {
  std::optional<Order> first;
  for (const trial::TrialId trial : bracket.rungs[0].going) {
    const Order order{-bracket.first_rung, bracket.rungs[0].values.at(trial), trial};
    if (!first || order < *first) first = order;
  }
  return first;
}

std::optional<Promotion> HalvingPruner::next_at_end() const {
  if (auto promotion = next()) return promotion;
  const auto bracket = cut();
  const auto first = bracket ? first_ready(*bracket) : std::nullopt;
  if (!first) return std::nullopt;
  const int rung = bracket->first_rung;
  return Promotion{std::get<2>(*first), rung, reason(*bracket, rung)};
}

void HalvingPruner::claim(trial::TrialId trial, int rung) {
  const auto found = bracket_of_.find(trial);
  const auto index = found == bracket_of_.end() ? -1 : rung - brackets_[found->second].first_rung;
  const bool is_rung = index >= 0 && index + 1 < static_cast<int>(brackets_[found->second].rungs.size());
  if (is_rung) {
    Bracket& bracket = brackets_[found->second];
    const auto at = static_cast<std::size_t>(index);
    auto ended = bracket.rungs[at].going.contains(trial) ? std::nullopt : cut();
    if (ended && found->second + 1 == brackets_.size() && ended->rungs[at].going.contains(trial)) {
      bracket = std::move(*ended);  // the decision says that no new trial comes
      next_bracket_ = (next_bracket_ + 1) % plan_.size();
      note_ready(bracket);
    }
    if (bracket.rungs[at].going.erase(trial) > 0) {
      ready_.erase({-rung, bracket.rungs[at].values.at(trial), trial});
      bracket.rungs[at + 1].members.insert(trial);
      return settle(bracket);
    }
  }
  throw Error(ErrorKind::store, fmt::format("trial {} cannot go on from rung {}", trial.value, rung));
}

}  // namespace dlrun::pruners
