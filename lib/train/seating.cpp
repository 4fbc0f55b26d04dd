// SPDX-License-Identifier: Apache-2.0
#include "train/seating.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "parallel/regroup.hpp"

namespace dlrun::train {

namespace {

bool has(const std::vector<int>& seats, int seat) { return std::find(seats.begin(), seats.end(), seat) != seats.end(); }

void copy_state(WeightSteps& from, WeightSteps& to) {
  const std::vector<Slot>& source = from.optimizer().slots();
  std::vector<Slot>& target = to.optimizer().slots();
  for (std::size_t i = 0; i < source.size(); ++i) target[i].values = source[i].values;
}

}  // namespace

std::vector<int> Seating::seats() const {
  if (!gang_.seats.empty()) return gang_.seats;
  std::vector<int> all(static_cast<std::size_t>(gang_.ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void Seating::keep(const std::vector<int>& seats) {
  const std::vector<int> before = this->seats();
  if (seats == before) return;
  gang_.founders = gang_.rank_processes();
  for (std::size_t rank = before.size(); rank > 0; --rank) {
    if (!has(seats, before[rank - 1])) leave(rank - 1, before[rank - 1]);
  }
  gang_.ranks = int(seats.size());
  gang_.seats = seats;
}

void Seating::leave(std::size_t rank, int seat) {
  parallel::leave(algorithm_, states_.members, rank);
  spare_[seat] = std::move(states_.steps[rank]);
  states_.steps.erase(states_.steps.begin() + std::ptrdiff_t(rank));
  states_.counts.erase(states_.counts.begin() + std::ptrdiff_t(rank));
}

void Seating::mend() {
  parallel::mend(algorithm_, states_.members);
  if (!algorithm_.has_equal_states()) return;
  for (int rank = 1; rank < gang_.ranks; ++rank) {
    copy_state(*states_.steps.front(), *states_.steps[std::size_t(rank)]);
    states_.counts[std::size_t(rank)] = states_.counts.front();
  }
}

void Seating::refill() {
  if (is_full()) return;
  for (int seat = 0; seat < gang_.founders; ++seat) {
    if (!has(gang_.seats, seat)) join(std::size_t(seat), seat);
  }
  gang_.ranks = gang_.founders;
  gang_.seats.clear();
}

void Seating::join(std::size_t rank, int seat) {
  parallel::join(algorithm_, states_.members, rank);
  copy_state(*states_.steps.front(), *spare_.at(seat));
  states_.steps.insert(states_.steps.begin() + std::ptrdiff_t(rank), std::move(spare_.at(seat)));
  states_.counts.insert(states_.counts.begin() + std::ptrdiff_t(rank), states_.counts.front());
  spare_.erase(seat);
}

}  // namespace dlrun::train
