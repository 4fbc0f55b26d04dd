// SPDX-License-Identifier: Apache-2.0
#include "population.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace lshade {

namespace {

constexpr double kSpread = 0.1;  ///< scale of both distributions around their cells

/// Weighted Lehmer mean, sum w x^2 / sum w x (equation 7 of the paper).
template <class Get>
double lehmer(const auto& successes, const Get& get) {
  double above = 0, below = 0;
  for (const auto& success : successes) {
    const double x = get(success.rates);
    above += success.gain * x * x;
    below += success.gain * x;
  }
  return below > 0 ? above / below : 0;
}

}  // namespace

Rates RateMemory::draw(dlrun::plugin::Random& random) const {
  const Cell& cell = cells_[random.below(cells_.size())];
  Rates rates;
  do {
    const double numerator = random.normal(), denominator = random.normal();
    rates.f = denominator == 0 ? 0 : cell.f + kSpread * (numerator / denominator);  // a Cauchy variable
  } while (!(rates.f > 0));
  rates.f = std::min(rates.f, 1.0);
  rates.cr = cell.cr ? std::clamp(*cell.cr + kSpread * random.normal(), 0.0, 1.0) : 0.0;
  return rates;
}

void RateMemory::end_generation() {
  if (successes_.empty()) return;
  Cell& cell = cells_[next_];
  const bool has_cr =
      std::any_of(successes_.begin(), successes_.end(), [](const Success& s) { return s.rates.cr > 0; });
  cell.f = lehmer(successes_, [](const Rates& rates) { return rates.f; });
  if (!cell.cr || !has_cr) {
    cell.cr.reset();
  } else {
    cell.cr = lehmer(successes_, [](const Rates& rates) { return rates.cr; });
  }
  next_ = (next_ + 1) % cells_.size();
  successes_.clear();
}

std::optional<std::size_t> Population::find(std::int64_t trial) const {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].trial == trial) return i;
  }
  return std::nullopt;
}

std::size_t Population::worst() const { return ranking().back(); }

std::vector<std::size_t> Population::ranking() const {
  std::vector<std::size_t> order(members_.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return members_[a].is_before(members_[b]); });
  return order;
}

void Population::replace(std::size_t index, Member member, bool keeps_parent) {
  if (keeps_parent) archive_.push_back(std::move(members_[index].units));
  members_[index] = std::move(member);
}

void Population::shrink(std::size_t members, std::size_t archived, dlrun::plugin::Random& random) {
  while (members_.size() > members) members_.erase(members_.begin() + std::ptrdiff_t(worst()));
  while (archive_.size() > archived) {
    std::swap(archive_[random.below(archive_.size())], archive_.back());
    archive_.pop_back();
  }
}

}  // namespace lshade
