// SPDX-License-Identifier: Apache-2.0
#include "space/simplex.hpp"

#include <algorithm>
#include <utility>

namespace dlrun::space {

namespace {

class Tableau {
 public:
  Tableau(std::vector<std::vector<double>> left, std::vector<double> right, std::vector<double> cost)
      : left_(std::move(left)), right_(std::move(right)), cost_(std::move(cost)) {
    for (std::size_t j = 0; j < cost_.size(); ++j) columns_.push_back(j);
    for (std::size_t i = 0; i < right_.size(); ++i) basis_.push_back(cost_.size() + i);
  }

  std::optional<std::vector<double>> solve(Work& work) {
    while (!work.is_spent()) {
      work.spend(static_cast<std::int64_t>((right_.size() + 1) * (cost_.size() + 1)));
      const auto row = leaving();
      if (!row) return solution();
      const auto column = entering(*row);
      if (!column) return std::nullopt;
      pivot(*row, *column);
    }
    return std::nullopt;
  }

 private:
  std::optional<std::size_t> leaving() const {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < right_.size(); ++i) {
      if (right_[i] < -kZero && (!best || basis_[i] < basis_[*best])) best = i;
    }
    return best;
  }

  std::optional<std::size_t> entering(std::size_t row) const {
    std::optional<std::size_t> best;
    double least = 0;
    for (std::size_t j = 0; j < cost_.size(); ++j) {
      if (left_[row][j] >= -kZero) continue;
      const double ratio = cost_[j] / -left_[row][j];
      if (best && (ratio > least || (ratio == least && columns_[j] > columns_[*best]))) continue;
      best = j;
      least = ratio;
    }
    return best;
  }

  void pivot(std::size_t r, std::size_t s) {
    const double p = left_[r][s];
    for (std::size_t j = 0; j < cost_.size(); ++j) left_[r][j] /= p;
    left_[r][s] = 1 / p;
    right_[r] /= p;
    for (std::size_t i = 0; i < right_.size(); ++i) {
      const double factor = left_[i][s];
      if (i == r || factor == 0) continue;
      left_[i][s] = 0;
      for (std::size_t j = 0; j < cost_.size(); ++j) left_[i][j] -= factor * left_[r][j];
      right_[i] -= factor * right_[r];
    }
    const double factor = cost_[s];
    cost_[s] = 0;
    for (std::size_t j = 0; j < cost_.size(); ++j) cost_[j] -= factor * left_[r][j];
    std::swap(basis_[r], columns_[s]);
  }

  std::vector<double> solution() const {
    std::vector<double> y(cost_.size());
    for (std::size_t i = 0; i < basis_.size(); ++i) {
      if (basis_[i] < y.size()) y[basis_[i]] = std::max(right_[i], 0.0);
    }
    return y;
  }

  std::vector<std::vector<double>> left_;
  std::vector<double> right_, cost_;
  std::vector<std::size_t> basis_, columns_;
};

}  // namespace

std::optional<std::vector<double>> minimise(std::vector<std::vector<double>> left, std::vector<double> right,
                                            std::vector<double> cost, Work& work) {
  return Tableau(std::move(left), std::move(right), std::move(cost)).solve(work);
}

}  // namespace dlrun::space
