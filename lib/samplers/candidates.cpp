// SPDX-License-Identifier: Apache-2.0
#include "samplers/candidates.hpp"

#include <algorithm>

#include "util/json.hpp"

namespace dlrun::samplers {

Candidates::Candidate* Candidates::find(const space::Values& values) {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const Candidate& one) { return one.values == values; });
  return found == all_.end() ? nullptr : &*found;
}

void Candidates::add(const space::Values& values) {
  if (find(values) == nullptr) all_.push_back({values});
}

std::size_t Candidates::started() const {
  return std::size_t(std::count_if(all_.begin(), all_.end(), [](const Candidate& one) { return one.is_started; }));
}

std::size_t Candidates::planned() const {
  return own_ && !is_used_up_ ? std::max(all_.size(), std::size_t(own_->trials)) : all_.size();
}

std::optional<space::Values> Candidates::next() {
  const auto found = std::find_if(all_.begin(), all_.end(), [](const Candidate& one) { return !one.is_started; });
  if (found != all_.end()) return found->values;
  if (!own_ || started() >= std::size_t(own_->trials)) return std::nullopt;
  const auto settings = own_->sampler->propose(own_->first + std::int64_t(started()));
  is_used_up_ = !settings;
  return settings ? std::optional(own_->settings.put_into(own_->space, own_->cell, *settings)) : std::nullopt;
}

void Candidates::on_start(trial::TrialId trial, const space::Values& values) {
  add(values);
  find(values)->is_started = true;
  if (own_) own_->sampler->on_start(trial, own_->settings.taken_from(values));
}

void Candidates::on_result(const Observation& result) {
  if (own_) {
    Observation own = result;
    own.values = own_->settings.taken_from(result.values);
    own_->sampler->on_result(own);
  }
  if (!result.is_whole && result.objective) return;
  Candidate& one = *find(result.values);
  one.is_seen = true;
  one.cost = result.objective;
}

bool Candidates::is_over() const {
  return planned() == all_.size() &&
         std::all_of(all_.begin(), all_.end(), [](const Candidate& one) { return one.is_seen; });
}

std::optional<space::Values> Candidates::winner() const {
  const Candidate* best = nullptr;
  for (const Candidate& one : all_) {
    if (one.cost && (best == nullptr || *one.cost < *best->cost)) best = &one;
  }
  return best == nullptr ? std::nullopt : std::optional(best->values);
}

}  // namespace dlrun::samplers
