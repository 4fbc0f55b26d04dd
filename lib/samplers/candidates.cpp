// SPDX-License-Identifier: Apache-2.0
#include "samplers/candidates.hpp"

#include <algorithm>

namespace dlrun::samplers {

Candidates::Candidate* Candidates::find(const space::Values& values) {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const Candidate& one) { return one.values == values; });
  return found == all_.end() ? nullptr : &*found;
}

void Candidates::add(const space::Values& values) {
  if (find(values) == nullptr) all_.push_back({values});
}

std::optional<space::Values> Candidates::next() const {
  const auto found = std::find_if(all_.begin(), all_.end(), [](const Candidate& one) { return !one.is_started; });
  return found == all_.end() ? std::nullopt : std::optional(found->values);
}

void Candidates::on_start(const space::Values& values) {
  add(values);
  find(values)->is_started = true;
}

void Candidates::on_result(const Observation& result) {
  if (!result.is_whole && result.objective) return;
  Candidate& one = *find(result.values);
  one.is_seen = true;
  one.cost = result.objective;
}

std::size_t Candidates::measured() const {
  return std::size_t(std::count_if(all_.begin(), all_.end(), [](const Candidate& one) { return one.is_seen; }));
}

std::optional<space::Values> Candidates::winner() const {
  const Candidate* best = nullptr;
  for (const Candidate& one : all_) {
    if (one.cost && (best == nullptr || *one.cost < *best->cost)) best = &one;
  }
  return best == nullptr ? std::nullopt : std::optional(best->values);
}

}  // namespace dlrun::samplers
