// SPDX-License-Identifier: Apache-2.0
#include "samplers/perturbation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dlrun::samplers {

using space::Value;

namespace {

double number_of(const Value& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  return whole ? double(*whole) : std::get<double>(value);
}

/// The value of a finite domain of numbers that is nearest to `wanted`.
std::int64_t nearest(const space::Space& space, std::size_t index, double wanted) {
  std::int64_t low = 0, high = *space.count(index) - 1;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    number_of(space.value_at(index, middle)) < wanted ? low = middle + 1 : high = middle;
  }
  const bool has_lower = low > 0;
  const double above = number_of(space.value_at(index, low)) - wanted;
  return has_lower && wanted - number_of(space.value_at(index, low - 1)) < above ? low - 1 : low;
}

}  // namespace

/// One perturbation up or down.
Value Perturbation::near(std::size_t index, const Value& value, bool up) const {
  const space::Parameter& p = space_.parameters()[index];
  const auto count = space_.count(index);
  const bool is_number = p.type == space::Type::real || p.type == space::Type::integer;
  const double wanted = is_number ? number_of(value) * (up ? options_.high_factor : options_.low_factor) : 0;
  if (!count) return std::clamp(wanted, p.low, p.high);
  const std::int64_t here = space_.index_of(index, value);
  std::int64_t there = here + (up ? 1 : -1);
  if (is_number) {
    const std::int64_t found = nearest(space_, index, wanted);
    if (found != here) there = found;
  }
  return space_.value_at(index, std::clamp<std::int64_t>(there, 0, *count - 1));
}

space::Values Perturbation::explore(std::int64_t number, const Donor& donor, const std::vector<space::Values>& taken) {
  RandomStream random(seed_, {"explorer", "pbt", std::to_string(number)});
  space::Values values = draw(random, donor.values);
  for (int i = 1; i < kMostDraws && std::find(taken.begin(), taken.end(), values) != taken.end(); ++i)
    values = draw(random, donor.values);
  return values;
}

space::Values Perturbation::draw(RandomStream& random, const space::Values& donor) {
  reason_.clear();
  space::Values values(space_.size());
  std::vector<bool> is_drawn(space_.size(), true);
  for (std::size_t i = 0; i < space_.size(); ++i) {
    const double chance = random.uniform(), unit = random.uniform();
    const bool up = random.uniform() < 0.5;
    if (!space_.is_active(i, values)) continue;
    const bool was_active = !std::holds_alternative<std::monostate>(donor[i]);
    is_drawn[i] = !was_active || chance < options_.resample;
    values[i] = is_drawn[i] ? space_.from_unit(i, unit) : near(i, donor[i], up);
  }
  if (!feasible_) feasible_.emplace(space_);
  if (!feasible_->allows(values)) values = *feasible_->moved(values, random);
  for (std::size_t i = 0; i < space_.size(); ++i) {
    if (space_.is_active(i, values)) note(i, donor[i], values[i], is_drawn[i]);
  }
  return values;
}

void Perturbation::note(std::size_t index, const Value& before, const Value& after, bool is_new) {
  const std::string& name = space_.parameters()[index].name;
  if (before == after) return;
  if (!reason_.empty()) reason_ += ", ";
  const std::string to = value_text(space_, index, after);
  const bool was_active = !std::holds_alternative<std::monostate>(before);
  reason_ += is_new || !was_active ? fmt::format("{} drawn anew as {}", name, to)
                                   : fmt::format("{} {} to {}", name, value_text(space_, index, before), to);
}

}  // namespace dlrun::samplers
