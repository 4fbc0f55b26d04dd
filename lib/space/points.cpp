// SPDX-License-Identifier: Apache-2.0
#include "space/points.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace dlrun::space {

namespace {

constexpr std::int64_t kTooMany = (std::int64_t(1) << 53) + 1;  // "infinite or above 2^53"; sums and products stay here
constexpr std::size_t kMostCounts = 100'000;

std::int64_t product(std::int64_t a, std::int64_t b) {
  const auto exact = static_cast<__int128>(a) * b;
  return exact >= kTooMany ? kTooMany : static_cast<std::int64_t>(exact);
}

std::int64_t sum(std::int64_t a, std::int64_t b) { return std::min(a + b, kTooMany); }

}  // namespace

Points::Points(Space space) : space_(std::move(space)) {
  find_groups();
  find_runs();
  for (Group& group : groups_) {
    Values values(space_.size());
    group.size = completions(group, 0, values);
  }
}

std::optional<std::int64_t> Points::size() const {
  std::int64_t all = 1;
  for (const Group& group : groups_) all = product(all, group.size);
  return all == kTooMany ? std::nullopt : std::optional(all);
}

void Points::find_groups() {
  std::vector<std::size_t> root(space_.size());  // the earliest parameter it is tied to
  std::iota(root.begin(), root.end(), 0);
  last_dependent_ = root;
  for (std::size_t i = 0; i < space_.size(); ++i) {
    for (const Condition& c : space_.parameters()[i].when) {
      last_dependent_[c.parameter] = std::max(last_dependent_[c.parameter], i);
      const std::size_t a = root[i], b = root[c.parameter];
      for (std::size_t k = 0; k <= i; ++k) {
        if (root[k] == std::max(a, b)) root[k] = std::min(a, b);
      }
    }
  }
  for (std::size_t i = 0; i < space_.size(); ++i) {
    if (root[i] == i) groups_.emplace_back();
  }
  std::map<std::size_t, std::size_t> group_of;
  for (std::size_t i = 0; i < space_.size(); ++i) {
    const auto group = group_of.try_emplace(root[i], group_of.size()).first->second;
    groups_[group].parameters.push_back(i);
  }
}

void Points::find_runs() {
  runs_.resize(space_.size());
  std::vector<std::set<std::int64_t>> named(space_.size());  // values that a condition names
  for (const Parameter& p : space_.parameters()) {
    for (const Condition& c : p.when) {
      if (!space_.count(c.parameter)) continue;
      for (const Value& v : c.any_of) named[c.parameter].insert(space_.index_of(c.parameter, v));
    }
  }
  for (std::size_t i = 0; i < space_.size(); ++i) {
    const auto values = space_.count(i);
    if (!values) continue;
    std::int64_t next = 0;
    for (const std::int64_t k : named[i]) {
      if (k > next) runs_[i].push_back({next, k - next});
      runs_[i].push_back({k, 1});
      next = k + 1;
    }
    if (*values > next) runs_[i].push_back({next, *values - next});
  }
}

/// Key of the number of completions: the position, and the run of each earlier value that a later condition asks about.
std::vector<std::int64_t> Points::key(const Group& group, std::size_t position, const Values& values) const {
  std::vector<std::int64_t> key{static_cast<std::int64_t>(position)};
  if (position == group.parameters.size()) return key;
  for (std::size_t p = 0; p < position; ++p) {
    const std::size_t i = group.parameters[p];
    if (last_dependent_[i] < group.parameters[position]) continue;
    if (std::holds_alternative<std::monostate>(values[i])) {
      key.push_back(-1);
      continue;
    }
    const std::int64_t k = space_.index_of(i, values[i]);
    const auto run = std::upper_bound(runs_[i].begin(), runs_[i].end(), k,
                                      [](std::int64_t value, const Run& r) { return value < r.first; });
    key.push_back(run - runs_[i].begin());
  }
  return key;
}

std::int64_t Points::completions(const Group& group, std::size_t position, Values& values) const {
  if (position == group.parameters.size()) return 1;
  auto place = key(group, position, values);
  if (const auto known = group.completions.find(place); known != group.completions.end()) return known->second;
  if (group.completions.size() >= kMostCounts) return kTooMany;
  const std::int64_t result = count_completions(group, position, values);
  group.completions.emplace(std::move(place), result);
  return result;
}

std::int64_t Points::count_completions(const Group& group, std::size_t position, Values& values) const {
  const std::size_t i = group.parameters[position];
  if (!space_.is_active(i, values)) return completions(group, position + 1, values);
  if (runs_[i].empty()) return kTooMany;
  std::int64_t all = 0;
  for (const Run& run : runs_[i]) {
    values[i] = space_.value_at(i, run.first);
    all = sum(all, product(run.length, completions(group, position + 1, values)));
  }
  values[i] = std::monostate();
  return all;
}

Values Points::at(std::int64_t number) const {
  Values values(space_.size());
  for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
    place(*group, number % group->size, values);
    number /= group->size;
  }
  return values;
}

void Points::place(const Group& group, std::int64_t number, Values& values) const {
  for (std::size_t position = 0; position < group.parameters.size(); ++position) {
    const std::size_t i = group.parameters[position];
    if (!space_.is_active(i, values)) continue;
    for (const Run& run : runs_[i]) {
      values[i] = space_.value_at(i, run.first);
      const std::int64_t each = completions(group, position + 1, values);
      if (number < run.length * each) {
        values[i] = space_.value_at(i, run.first + number / each);
        number %= each;
        break;
      }
      number -= run.length * each;
    }
  }
}

std::int64_t Points::number_of(const Values& values) const {
  std::int64_t number = 0;
  for (const Group& group : groups_) number = number * group.size + number_in(group, values);
  return number;
}

std::int64_t Points::number_in(const Group& group, const Values& values) const {
  std::int64_t number = 0;
  Values sofar(space_.size());
  for (std::size_t position = 0; position < group.parameters.size(); ++position) {
    const std::size_t i = group.parameters[position];
    if (!space_.is_active(i, sofar)) continue;
    const std::int64_t k = space_.index_of(i, values[i]);
    for (const Run& run : runs_[i]) {
      if (k < run.first) break;
      sofar[i] = space_.value_at(i, run.first);
      number += std::min(run.length, k - run.first) * completions(group, position + 1, sofar);
    }
    sofar[i] = values[i];
  }
  return number;
}

}  // namespace dlrun::space
