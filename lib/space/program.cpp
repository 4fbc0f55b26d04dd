// SPDX-License-Identifier: Apache-2.0
#include "space/program.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace dlrun::space {

namespace {

constexpr double kPinned = 1e-12;             ///< rounding, where nothing is left to choose
constexpr double kWhole = 1e-7;               ///< so near to a point of the grid counts as on it
constexpr std::int64_t kOnceFound = 200'000;  ///< work to come nearer, once there is a solution

/// x = wanted + (up - down) / weight; up and down cost 1 and are bounded. So all is in units of the domains.
std::optional<Solution> relaxed(const std::vector<Variable>& variables, const std::vector<Row>& rows, Work& work) {
  const std::size_t n = variables.size();
  std::vector<double> start(n);
  std::vector<std::vector<double>> left;
  std::vector<double> right;
  for (std::size_t i = 0; i < n; ++i) {
    const Variable& v = variables[i];
    start[i] = std::clamp(v.wanted, v.low, v.high);
    for (const std::size_t side : {2 * i, 2 * i + 1}) {
      left.emplace_back(2 * n)[side] = 1;
      right.push_back(v.weight * (side % 2 == 0 ? v.high - start[i] : start[i] - v.low));
    }
  }
  const auto add = [&](const Row& row, double sign) {
    double scale = 1e-300, rest = row.bound;
    for (std::size_t i = 0; i < n; ++i) {
      scale = std::max(scale, std::abs(row.factors[i]) / variables[i].weight);
      rest -= row.factors[i] * start[i];
    }
    auto& line = left.emplace_back(2 * n);
    for (std::size_t i = 0; i < n; ++i) {
      line[2 * i] = sign * row.factors[i] / variables[i].weight / scale;
      line[2 * i + 1] = -line[2 * i];
    }
    right.push_back(sign * rest / scale);
  };
  for (const Row& row : rows) {
    add(row, 1);
    if (row.relation == Relation::equal) add(row, -1);
  }
  const auto y = minimise(std::move(left), std::move(right), std::vector<double>(2 * n, 1.0), work);
  if (!y) return std::nullopt;
  Solution out{start, 0};
  for (std::size_t i = 0; i < n; ++i) {
    const Variable& v = variables[i];
    out.x[i] = std::clamp(start[i] + ((*y)[2 * i] - (*y)[2 * i + 1]) / v.weight, v.low, v.high);
    out.cost += v.weight * std::abs(out.x[i] - v.wanted);
  }
  return out;
}

double place_on_grid(const Variable& v, double x) { return (x - v.origin) / v.step; }

/// Branch and bound over the grids.
class Search {
 public:
  Search(const std::vector<Row>& rows, Work& work) : rows_(rows), work_(work) {}

  /// Depth first, the nearer half first; on a stack of its own, for wide grids lead deep.
  void look(std::vector<Variable> variables) {
    std::vector<std::vector<Variable>> open;
    open.push_back(std::move(variables));
    while (!open.empty() && !work_.is_spent()) {
      const std::vector<Variable> next = std::move(open.back());
      open.pop_back();
      split(next, open);
    }
  }

  std::optional<Solution> best;

 private:
  void split(const std::vector<Variable>& variables, std::vector<std::vector<Variable>>& open) {
    auto found = relaxed(variables, rows_, work_);
    if (!found || (best && found->cost >= best->cost - 1e-12)) return;
    const auto broken = off_grid(variables, *found);
    if (!broken) {
      best = std::move(found);
      return work_.limit(kOnceFound);
    }
    const Variable& v = variables[*broken];
    const double below = std::floor(place_on_grid(v, found->x[*broken]));
    auto lower = variables, upper = variables;
    lower[*broken].high = v.origin + below * v.step;
    upper[*broken].low = v.origin + (below + 1) * v.step;
    const bool is_lower_first = place_on_grid(v, found->x[*broken]) - below < 0.5;
    if (is_lower_first) std::swap(lower, upper);
    for (auto* half : {&lower, &upper}) {
      Variable& cut = (*half)[*broken];
      if (cut.low > cut.high + kWhole * v.step) continue;
      cut.low = std::min(cut.low, cut.high);  // low and high met, but for rounding
      open.push_back(std::move(*half));
    }
  }

  static std::optional<std::size_t> off_grid(const std::vector<Variable>& variables, Solution& found) {
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const Variable& v = variables[i];
      if (v.step == 0 || v.low == v.high) continue;
      const double place = place_on_grid(v, found.x[i]);
      if (std::abs(place - std::round(place)) > kWhole) return i;
      found.x[i] = std::clamp(v.origin + std::round(place) * v.step, v.low, v.high);
    }
    return std::nullopt;
  }

  const std::vector<Row>& rows_;
  Work& work_;
};

bool is_integral(double x) { return std::abs(x) < 0x1p52 && x == std::floor(x); }

/// State of a row before any program is solved.
enum class Kind {
  open,   ///< row with continuous variables too: its bound is met but for rounding
  exact,  ///< row of grids alone, rounded to a value of the sum
  true_,  ///< row that holds: its variables have one value each
  false_  ///< row that never holds
};

bool holds(Relation relation, double rest, double rounding) {
  switch (relation) {
    case Relation::less: return rest > rounding;
    case Relation::at_most: return rest >= -rounding;
    case Relation::equal: return std::abs(rest) <= rounding;
  }
  return false;
}

/// A row over grids alone with whole factors is rounded to multiples of their greatest common divisor.
Kind rounded_kind(const std::vector<Variable>& variables, Row& row) {
  std::int64_t divisor = 0;
  bool is_grid = true, is_pinned = true;
  double rest = row.bound, scale = std::abs(row.bound);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (row.factors[i] == 0) continue;
    const Variable& v = variables[i];
    const double factor = row.factors[i] * v.step;
    rest -= row.factors[i] * (v.low == v.high ? v.low : v.origin);
    scale = std::max(scale, std::abs(row.factors[i] * v.low));
    if (v.low == v.high) continue;
    is_pinned = false;
    is_grid &= v.step != 0 && is_integral(factor) && factor != 0;
    if (is_grid) divisor = std::gcd(divisor, static_cast<std::int64_t>(factor));
  }
  if (is_pinned) return holds(row.relation, rest, kPinned * scale) ? Kind::true_ : Kind::false_;
  if (!is_grid) return Kind::open;
  const auto by = static_cast<double>(divisor);
  const double most = rest / by, near = std::round(most);
  const bool is_near = std::abs(most - near) < 1e-9;
  if (row.relation == Relation::equal) return is_near ? Kind::exact : Kind::false_;
  const double whole = is_near ? (row.relation == Relation::less ? near - 1 : near) : std::floor(most);
  row.bound += (whole + 1e-9 - most) * by;  // grids keep clear of the bound, rounding does not matter
  row.relation = Relation::at_most;
  return Kind::exact;
}

/// Width of the sum's range.
double span_of(const std::vector<Variable>& variables, const Row& row) {
  double span = 0;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    span += std::abs(row.factors[i]) * (variables[i].high - variables[i].low);
  }
  return span;
}

/// An inequality keeps a distance from its bound: a strict one `strict` of what the sum spans.
Row inset(const std::vector<Variable>& variables, Row row, double strict, double other) {
  if (row.relation == Relation::equal) return row;
  const bool is_strict = row.relation == Relation::less;
  const double least = is_strict ? 1e-11 * std::max(std::abs(row.bound), 1e-300) : 0;
  row.bound -= std::max((is_strict ? strict : other) * span_of(variables, row), least);
  return row;
}

}  // namespace

std::optional<Solution> nearest(const std::vector<Variable>& variables, const std::vector<Row>& rows, Work& work) {
  std::vector<Row> exact, open;
  for (Row row : rows) {
    const Kind kind = rounded_kind(variables, row);
    if (kind == Kind::false_) return std::nullopt;
    if (kind != Kind::true_) (kind == Kind::exact ? exact : open).push_back(std::move(row));
  }
  for (const auto& [strict, other] : {std::pair(1e-6, 4 * kZero), std::pair(1e-9, 4 * kZero), std::pair(1e-9, 0.0)}) {
    std::vector<Row> kept = exact;
    for (const Row& row : open) kept.push_back(inset(variables, row, strict, other));
    Search search(kept, work);
    search.look(variables);
    if (search.best || work.is_spent() || open.empty()) return search.best;
  }
  return std::nullopt;
}

}  // namespace dlrun::space
