// SPDX-License-Identifier: Apache-2.0
#include "space/cells.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "space/constraint.hpp"
#include "space/domain.hpp"

namespace dlrun::space {

namespace {

constexpr double kOpen = 1e-9;  ///< an open end, as a part of the range

std::vector<bool> marks(const Space& space, const std::vector<Clause>& clauses, const Value& value) {
  std::vector<bool> has;
  for (const Clause& clause : clauses) has.push_back(matches(space, clause, value));
  return has;
}

std::vector<Cell> of_choices(const Space& space, std::size_t p, const std::vector<Clause>& clauses, bool apart) {
  std::vector<Cell> cells;
  std::map<std::vector<bool>, std::size_t> known;
  for (std::int64_t k = 0; k < *space.count(p); ++k) {
    auto has = marks(space, clauses, space.value_at(p, k));
    const auto [place, is_new] = known.try_emplace(has, cells.size());
    if (is_new || apart) {
      Cell cell;
      cell.has = std::move(has);
      if (apart) cell.low = cell.high = number_of(space, p, space.value_at(p, k));
      place->second = cells.size();
      cells.push_back(std::move(cell));
    }
    cells[place->second].members.push_back(k);
  }
  return cells;
}

/// Numbers at which a clause begins or ends to hold.
std::vector<double> ends_of(const Space& space, std::size_t p, const std::vector<Clause>& clauses) {
  const Parameter& parameter = space.parameters()[p];
  std::vector<double> ends = {parameter.low, parameter.high};
  for (const Clause& clause : clauses) {
    for (const Value& value : clause.any_of) ends.push_back(number_of(space, p, value));
    if (clause.range) ends.insert(ends.end(), {clause.range->first, clause.range->second});
  }
  std::erase_if(ends, [&](double x) { return !(x >= parameter.low && x <= parameter.high); });
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

/// The part between two numbers; of a grid its points there. Empty: low above high.
Cell between(const Space& space, std::size_t p, double low, double high, bool is_open) {
  Cell cell;
  cell.is_numeric = true;
  const auto count = space.count(p);
  if (!count) {
    const double inset = is_open ? kOpen * (high - low) : 0;
    cell.low = low + inset;
    cell.high = high - inset;
    return cell;
  }
  const Parameter& parameter = space.parameters()[p];
  const double step = parameter.step.value_or(1);
  const auto at = [&](std::int64_t k) {
    return number_of(space, p, space.value_at(p, std::clamp<std::int64_t>(k, 0, *count - 1)));
  };
  auto first = static_cast<std::int64_t>(std::floor((low - parameter.low) / step)) - 1;
  auto last = static_cast<std::int64_t>(std::ceil((high - parameter.low) / step)) + 1;
  first = std::max<std::int64_t>(first, 0);
  last = std::min(last, *count - 1);
  while (first <= last && (is_open ? at(first) <= low : at(first) < low)) ++first;
  while (last >= first && (is_open ? at(last) >= high : at(last) > high)) --last;
  cell.low = first <= last ? at(first) : 1;
  cell.high = first <= last ? at(last) : 0;
  return cell;
}

Value some_value(const Space& space, std::size_t p, const Cell& cell) {
  if (space.parameters()[p].type == Type::integer) return static_cast<std::int64_t>(cell.low);
  if (space.count(p)) return cell.low;
  return (cell.low + cell.high) / 2;
}

std::vector<Cell> of_numbers(const Space& space, std::size_t p, const std::vector<Clause>& clauses) {
  const std::vector<double> ends = ends_of(space, p, clauses);
  std::vector<Cell> cells;
  const auto add = [&](Cell cell) {
    if (cell.low > cell.high) return;
    cell.has = marks(space, clauses, some_value(space, p, cell));
    cells.push_back(std::move(cell));
  };
  if (clauses.empty()) {
    add(between(space, p, ends.front(), ends.back(), false));
    return cells;
  }
  for (std::size_t i = 0; i < ends.size(); ++i) {
    add(between(space, p, ends[i], ends[i], false));
    if (i + 1 < ends.size()) add(between(space, p, ends[i], ends[i + 1], true));
  }
  return cells;
}

}  // namespace

std::vector<Cell> cells_of(const Space& space, std::size_t parameter, const std::vector<Clause>& clauses, bool apart) {
  if (!has_choices(space.parameters()[parameter])) return of_numbers(space, parameter, clauses);
  return of_choices(space, parameter, clauses, apart);
}

}  // namespace dlrun::space
