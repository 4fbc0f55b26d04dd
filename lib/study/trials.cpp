// SPDX-License-Identifier: Apache-2.0
#include "study/trials.hpp"

#include "study/interval.hpp"

namespace dlrun::study {

std::vector<int> Trials::members_before(trial::TrialId id, int piece) const {
  std::vector<int> members;
  for (int m = 0; m < plan_.count(); ++m) {
    const MemberRecord& record = (*this)[plan_.at(id, m)];
    if (!record.has_ended && record.pieces <= piece) members.push_back(m);
  }
  return members;
}

bool Trials::is_early(trial::TrialId id) const {
  for (int m = 0; m < plan_.count(); ++m) {
    if (!(*this)[plan_.at(id, m)].has_ended) return false;
  }
  return true;
}

bool Trials::has_failed(trial::TrialId id) const {
  for (int m = 0; m < plan_.count(); ++m) {
    if ((*this)[plan_.at(id, m)].has_failed) return true;
  }
  return false;
}

std::vector<double> Trials::objectives(trial::TrialId id) const {
  std::vector<double> values;
  for (int m = 0; m < plan_.count(); ++m) {
    if (const auto value = (*this)[plan_.at(id, m)].value()) values.push_back(*value);
  }
  return values;
}

/// Sums in the order of the members, so that equal numbers give equal bits.
void Trials::take_means(trial::TrialId id) {
  (*this)[id].objective = mean(objectives(id));
  (*this)[id].objective_step = (*this)[plan_.at(id, 0)].objective_step;
  for (std::size_t i = 0; i < extras(id).size(); ++i) {
    std::vector<double> values;
    for (int m = 0; m < plan_.count(); ++m) {
      const trial::Member member = plan_.at(id, m);
      if ((*this)[member].value()) values.push_back(extras(member)[i]);
    }
    extras(id)[i] = mean(values);
  }
}

}  // namespace dlrun::study
