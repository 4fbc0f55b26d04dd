// SPDX-License-Identifier: Apache-2.0
#include "study/best.hpp"

#include <algorithm>
#include <compare>
#include <functional>

namespace dlrun::study {

using trial::TrialState;

namespace {

bool is_completed(const Contender& trial) { return trial.state == TrialState::completed; }

}  // namespace

bool may_be_best(const Contender& trial) {
  const bool counts = trial.state != TrialState::failed && trial.state != TrialState::cancelled;
  return counts && trial.score.is_feasible();
}

bool ranks_before(const Contender& a, const Contender& b) {
  if (is_completed(a) != is_completed(b)) return is_completed(a);
  const std::partial_ordering order = a.score.values <=> b.score.values;
  return order == 0 ? a.id < b.id : order < 0;
}

std::vector<Contender> best_first(std::vector<Contender> measured, std::size_t most) {
  std::erase_if(measured, [](const Contender& trial) { return !may_be_best(trial); });
  if (std::any_of(measured.begin(), measured.end(), is_completed)) std::erase_if(measured, std::not_fn(is_completed));
  most = std::min(most, measured.size());
  std::partial_sort(measured.begin(), measured.begin() + std::ptrdiff_t(most), measured.end(), ranks_before);
  measured.erase(measured.begin() + std::ptrdiff_t(most), measured.end());
  return measured;
}

}  // namespace dlrun::study
