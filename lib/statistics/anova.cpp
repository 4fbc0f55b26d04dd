// SPDX-License-Identifier: Apache-2.0
#include "statistics/anova.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>

#include "statistics/precision.hpp"

namespace dlrun::statistics {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Columns of a factor of k levels: k - 1, the last level is -1 in each.
MatrixXd effect_columns(const std::vector<int>& levels) {
  const int count = *std::max_element(levels.begin(), levels.end()) + 1;
  MatrixXd out = MatrixXd::Zero(Eigen::Index(levels.size()), count - 1);
  for (std::size_t row = 0; row < levels.size(); ++row) {
    if (levels[row] == count - 1) out.row(Eigen::Index(row)).setConstant(-1);
    if (levels[row] < count - 1) out(Eigen::Index(row), levels[row]) = 1;
  }
  return out;
}

/// Every column of one times every column of the other.
MatrixXd products(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd out(a.rows(), a.cols() * b.cols());
  for (Eigen::Index i = 0; i < a.cols(); ++i) {
    for (Eigen::Index j = 0; j < b.cols(); ++j) out.col(i * b.cols() + j) = a.col(i).cwiseProduct(b.col(j));
  }
  return out;
}

struct Term {
  std::vector<int> factors;
  std::string name;
  MatrixXd columns;
};

/// Main effects first, then pairs, and so on; within an order by the factors' numbers.
void add_interactions(const std::vector<Term>& mains, int order, std::vector<Term>& terms) {
  std::size_t begin = 0, end = terms.size();
  for (int size = 2; size <= order; ++size, begin = end, end = terms.size()) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t f = std::size_t(terms[i].factors.back()) + 1; f < mains.size(); ++f) {
        Term term{terms[i].factors, terms[i].name + " x " + mains[f].name,
                  products(terms[i].columns, mains[f].columns)};
        term.factors.push_back(int(f));
        terms.push_back(std::move(term));
      }
    }
  }
}

std::vector<Term> terms_of(const std::vector<std::string>& names, const std::vector<Observation>& observations,
                           const AnovaOptions& options) {
  std::vector<Term> mains;
  std::vector<int> levels(observations.size());
  for (std::size_t f = 0; f < names.size(); ++f) {
    std::transform(observations.begin(), observations.end(), levels.begin(), [&](auto& o) { return o.levels[f]; });
    mains.push_back({{int(f)}, names[f], effect_columns(levels)});
  }
  std::vector<Term> terms = mains;
  add_interactions(mains, options.order, terms);
  std::transform(observations.begin(), observations.end(), levels.begin(), [](auto& o) { return o.block; });
  if (options.has_blocks) terms.push_back({{}, "replicate", effect_columns(levels)});
  return terms;
}

struct Fit {
  double residual = 0;  ///< sum of squares
  int rank = 0;
  VectorXd coefficients;
};

Fit fit(const MatrixXd& design, const VectorXd& values) {
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(design);
  const VectorXd coefficients = qr.solve(values);
  return {(values - design * coefficients).squaredNorm(), int(qr.rank()), coefficients};
}

/// A column of ones, then those of all terms but one (-1: of all).
MatrixXd design_without(const std::vector<Term>& terms, Eigen::Index rows, int left_out) {
  MatrixXd out = MatrixXd::Ones(rows, 1);
  for (int i = 0; i < int(terms.size()); ++i) {
    if (i == left_out) continue;
    out.conservativeResize(Eigen::NoChange, out.cols() + terms[std::size_t(i)].columns.cols());
    out.rightCols(terms[std::size_t(i)].columns.cols()) = terms[std::size_t(i)].columns;
  }
  return out;
}

/// A sum of squares, or 0 if it is within the rounding of the values.
double without_rounding(double squares, const VectorXd& values) {
  constexpr double kRounding = 1e-13;  // share of a value
  return squares <= kRounding * kRounding * values.squaredNorm() ? 0 : squares;
}

/// The coefficient of a term of two-level factors, as a difference of means: level 0 is +1 in effect coding.
void add_effect(AnovaTerm& row, const MatrixXd& design, Eigen::Index column, const VectorXd& coefficients,
                double error) {
  const auto order = int(row.factors.size());
  const double scale = std::ldexp(order % 2 == 0 ? 1.0 : -1.0, order);
  const VectorXd unit = VectorXd::Unit(design.cols(), column);
  const MatrixXd gram = design.transpose() * design;
  row.effect = scale * coefficients[column];
  row.standard_error = std::abs(scale) * std::sqrt(error * unit.dot(gram.ldlt().solve(unit)));
}

}  // namespace

std::vector<AnovaTerm> anova(const std::vector<std::string>& names, const std::vector<Observation>& observations,
                             const AnovaOptions& options) {
  const std::vector<Term> terms = terms_of(names, observations, options);
  VectorXd values(Eigen::Index(observations.size()));
  for (std::size_t i = 0; i < observations.size(); ++i) values[Eigen::Index(i)] = observations[i].value;
  const MatrixXd design = design_without(terms, values.size(), -1);
  const Fit whole = fit(design, values);
  const int degrees = int(values.size()) - whole.rank;
  const double error = degrees > 0 ? whole.residual / degrees : 0;
  std::vector<AnovaTerm> rows;
  Eigen::Index column = 1;
  for (std::size_t i = 0; i < terms.size(); column += terms[i].columns.cols(), ++i) {
    const Fit without = fit(design_without(terms, values.size(), int(i)), values);
    AnovaTerm row{terms[i].factors, terms[i].name, without_rounding(without.residual - whole.residual, values),
                  whole.rank - without.rank};
    row.share = row.sum_of_squares / std::max(row.sum_of_squares + whole.residual, 1e-300);
    if (row.degrees > 0 && error > 0) {
      row.f = row.sum_of_squares / row.degrees / error;
      row.p = boost::math::cdf(complement(boost::math::fisher_f(row.degrees, degrees), std::max(0.0, row.f)));
    }
    if (!row.factors.empty() && terms[i].columns.cols() == 1 && whole.rank == int(design.cols())) {
      add_effect(row, design, column, whole.coefficients, error);
      row.effect = at_precision(row.effect, values.cwiseAbs().maxCoeff());
    }
    rows.push_back(std::move(row));
  }
  rows.push_back({{}, "residual", without_rounding(whole.residual, values), degrees});
  return rows;
}

}  // namespace dlrun::statistics
