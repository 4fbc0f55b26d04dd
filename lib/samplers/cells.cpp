// SPDX-License-Identifier: Apache-2.0
#include "samplers/cells.hpp"

namespace dlrun::samplers {

Cells::Cells(const space::Space& space, std::size_t replicate, std::size_t variant)
    : space_(space),
      replicate_(replicate),
      variant_(variant),
      seen_(std::size_t(*space.count(variant)), Seen(std::size_t(*space.count(replicate)))) {}

bool Cells::on_result(const Observation& result) {
  if (!result.is_whole && result.objective) return false;
  const Cell cell = of(result.values);
  seen_[cell.variant][cell.replicate] = result.objective;
  return true;
}

Cell Cells::of(const space::Values& values) const {
  const auto number = [&](std::size_t axis) { return std::size_t(space_.index_of(axis, values[axis])); };
  return {number(replicate_), number(variant_)};
}

space::Values Cells::values_of(const Cell& cell) const {
  space::Values values(space_.size());
  for (std::size_t i = 0; i < space_.size(); ++i) {
    const std::size_t number = i == replicate_ ? cell.replicate : i == variant_ ? cell.variant : 0;
    if (space_.is_active(i, values)) values[i] = space_.value_at(i, std::int64_t(number));
  }
  return values;
}

}  // namespace dlrun::samplers
