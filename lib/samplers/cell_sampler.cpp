// SPDX-License-Identifier: Apache-2.0
#include "samplers/cell_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dlrun::samplers {

namespace {

using statistics::Standing;

constexpr std::size_t kBaseline = 0;

}  // namespace

CellSampler::CellSampler(const space::Space& space, CellOptions options)
    : options_(std::move(options)), cells_(space, options_.replicate, options_.variant), looked_(cells_.variants()) {
  options_.rules.analysis.maximize = false;  // observations are costs
}

/// Anew from all that is visible, so that the order in which it came cannot matter.
void CellSampler::look() {
  if (!std::exchange(is_stale_, false)) return;
  const auto known = [&](std::size_t variant) {
    statistics::Cells cells;
    for (std::size_t r = 0; r < cells_.replicates(); ++r) {
      const bool is_lost = options_.after_baseline && cells_.seen()[kBaseline][r] && !*cells_.seen()[kBaseline][r];
      if (!cells_.seen()[variant][r] && !is_lost) break;
      cells.push_back(is_lost ? std::nullopt : *cells_.seen()[variant][r]);
    }
    return cells;
  };
  const statistics::Cells base = known(kBaseline);
  for (std::size_t v = 1; v < cells_.variants(); ++v)
    looked_[v] = statistics::looked_at(base, known(v), options_.rules);
}

/// Up to how many replicates a variant may have now.
std::size_t CellSampler::allowed(std::size_t variant) const {
  if (variant == kBaseline) {
    std::size_t most = 0;
    for (std::size_t v = 1; v < cells_.variants(); ++v) most = std::max(most, allowed(v));
    return most;
  }
  const statistics::Looked& looked = looked_[variant];
  if (looked.standing != Standing::go_on) return std::size_t(looked.look);
  const std::vector<int>& looks = options_.rules.analysis.looks.at;
  const auto following = std::upper_bound(looks.begin(), looks.end(), looked.look);
  return std::size_t(following == looks.end() ? looks.back() : *following);
}

/// Has the baseline measured what it is to begin with?
bool CellSampler::is_ready(const Cell& cell) const {
  if (cell.variant == kBaseline || !options_.after_baseline) return true;
  const auto& base = cells_.seen()[kBaseline][cell.replicate];
  return base && *base;
}

std::optional<Cell> CellSampler::find(const std::function<bool(const Cell&)>& accepts) const {
  std::vector<std::size_t> most;
  for (std::size_t v = 0; v < cells_.variants(); ++v) most.push_back(allowed(v));
  for (Cell cell; cell.replicate < cells_.replicates(); ++cell.replicate) {
    for (cell.variant = 0; cell.variant < cells_.variants(); ++cell.variant) {
      const bool is_next = cell.replicate < most[cell.variant] && is_ready(cell) && !cells_.is_started(cell);
      if (is_next && accepts(cell)) return cell;
    }
  }
  return std::nullopt;
}

std::string CellSampler::why(const Cell& cell) const {
  std::string what = fmt::format("replicate {} of at most {}", cell.replicate + 1, cells_.replicates());
  const statistics::Looked& looked = looked_[cell.variant];
  if (cell.variant == kBaseline || looked.look == 0) return what;
  return fmt::format("{}: open after the look at {}, p {:.2g} is not below {:.2g}", what, looked.look, looked.p,
                     looked.level);
}

std::string CellSampler::why_none() const {
  std::size_t settled = 0, waiting = 0;
  for (std::size_t v = 1; v < cells_.variants(); ++v) {
    const bool is_settled = looked_[v].standing != Standing::go_on;
    settled += is_settled;
    waiting += !is_settled && looked_[v].look < int(cells_.replicates());
  }
  if (waiting > 0) return fmt::format("{} of {} variants wait for their next look", waiting, cells_.variants() - 1);
  return fmt::format("{} of {} variants settled, {} open after {} replicates", settled, cells_.variants() - 1,
                     cells_.variants() - 1 - settled, cells_.replicates());
}

std::optional<Cell> CellSampler::next(const std::function<bool(const Cell&)>& accepts) {
  look();
  const auto cell = find(accepts);
  reason_ = cell ? why(*cell) : why_none();
  return cell;
}

std::optional<space::Values> CellSampler::propose(std::int64_t) {
  const auto cell = next([](const Cell&) { return true; });
  return cell ? std::optional(values_of(*cell)) : std::nullopt;
}

}  // namespace dlrun::samplers
