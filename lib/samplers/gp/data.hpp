// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Eigen/Core>
#include <vector>

#include "samplers/gp/kernel.hpp"

namespace dlrun::samplers::gp {

/// Points and values that a process is fitted to. n trials, d axes.
struct Data {
  std::vector<Axis> axes;  ///< [d]
  Eigen::MatrixXd points;  ///< [n, d] coordinates, NaN where not active
  Eigen::VectorXd values;  ///< [n] standardised, lower is better
  /// So many of the first rows are of earlier studies: they tell of the function, but nothing has to improve on them.
  Eigen::Index earlier = 0;
};

/// Squared distances of all points from `point` by axis: [n, d].
inline Eigen::MatrixXd distances(const Data& data, const Coordinates& point) {
  Eigen::MatrixXd out(data.points.rows(), data.points.cols());
  for (Eigen::Index a = 0; a < out.cols(); ++a) {
    const auto column = data.points.col(a).array();
    const bool is_plain = !data.axes[a].is_categorical && !std::isnan(point[a]);
    if (is_plain)
      out.col(a) = column.isNaN().select(1, (column - point[a]).square());
    else
      out.col(a) = column.unaryExpr([&](double x) { return squared_distance(data.axes[a], x, point[a]); });
  }
  return out;
}

}  // namespace dlrun::samplers::gp
