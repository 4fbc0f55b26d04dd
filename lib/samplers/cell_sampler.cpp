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
    : space_(space),
      options_(std::move(options)),
      replicates_(std::size_t(*space.count(options_.replicate))),
      variants_(std::size_t(*space.count(options_.variant))),
      seen_(variants_, Seen(replicates_)),
      looked_(variants_) {
  options_.rules.analysis.maximize = false;  // observations are costs
}

CellSampler::Cell CellSampler::cell_of(const space::Values& values) const {
  const auto number = [&](std::size_t axis) { return std::size_t(space_.index_of(axis, values[axis])); };
  return {number(options_.replicate), number(options_.variant)};
}

space::Values CellSampler::values_of(const Cell& cell) const {
  space::Values values;
  for (std::size_t i = 0; i < space_.size(); ++i) values.push_back(space_.value_at(i, 0));
  values[options_.replicate] = space_.value_at(options_.replicate, std::int64_t(cell.replicate));
  values[options_.variant] = space_.value_at(options_.variant, std::int64_t(cell.variant));
  return values;
}

void CellSampler::on_start(trial::TrialId, const space::Values& values) { started_.insert(cell_of(values)); }

void CellSampler::on_result(const Observation& seen) {
  if (!seen.is_whole && seen.objective) return;
  const Cell cell = cell_of(seen.values);
  seen_[cell.variant][cell.replicate] = seen.objective;
  is_stale_ = true;
}

/// Anew from all that is visible, so that the order in which it came cannot matter.
void CellSampler::look() {
  if (!std::exchange(is_stale_, false)) return;
  const auto known = [&](std::size_t variant) {
    statistics::Cells cells;
    for (std::size_t r = 0; r < replicates_; ++r) {
      const bool is_lost = options_.after_baseline && seen_[kBaseline][r] && !*seen_[kBaseline][r];
      if (!seen_[variant][r] && !is_lost) break;
      cells.push_back(is_lost ? std::nullopt : *seen_[variant][r]);
    }
    return cells;
  };
  const statistics::Cells base = known(kBaseline);
  for (std::size_t v = 1; v < variants_; ++v) looked_[v] = statistics::looked_at(base, known(v), options_.rules);
}

/// Up to how many replicates a variant may have now.
std::size_t CellSampler::allowed(std::size_t variant) const {
  if (variant == kBaseline) {
    std::size_t most = 0;
    for (std::size_t v = 1; v < variants_; ++v) most = std::max(most, allowed(v));
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
  const auto& base = seen_[kBaseline][cell.replicate];
  return base && *base;
}

std::optional<CellSampler::Cell> CellSampler::next() const {
  std::vector<std::size_t> most;
  for (std::size_t v = 0; v < variants_; ++v) most.push_back(allowed(v));
  for (Cell cell; cell.replicate < replicates_; ++cell.replicate) {
    for (cell.variant = 0; cell.variant < variants_; ++cell.variant) {
      if (cell.replicate < most[cell.variant] && is_ready(cell) && !started_.contains(cell)) return cell;
    }
  }
  return std::nullopt;
}

std::string CellSampler::why(const Cell& cell) const {
  std::string what = fmt::format("replicate {} of at most {}", cell.replicate + 1, replicates_);
  const statistics::Looked& looked = looked_[cell.variant];
  if (cell.variant == kBaseline || looked.look == 0) return what;
  return fmt::format("{}: open after the look at {}, p {:.2g} is not below {:.2g}", what, looked.look, looked.p,
                     looked.level);
}

std::string CellSampler::why_none() const {
  std::size_t settled = 0, waiting = 0;
  for (std::size_t v = 1; v < variants_; ++v) {
    const bool is_settled = looked_[v].standing != Standing::go_on;
    settled += is_settled;
    waiting += !is_settled && looked_[v].look < int(replicates_);
  }
  if (waiting > 0) return fmt::format("{} of {} variants wait for their next look", waiting, variants_ - 1);
  return fmt::format("{} of {} variants settled, {} open after {} replicates", settled, variants_ - 1,
                     variants_ - 1 - settled, replicates_);
}

std::optional<space::Values> CellSampler::propose(std::int64_t) {
  look();
  const auto cell = next();
  reason_ = cell ? why(*cell) : why_none();
  if (!cell) return std::nullopt;
  return values_of(*cell);
}

}  // namespace dlrun::samplers
