// SPDX-License-Identifier: Apache-2.0
#include "samplers/gp/inverse.hpp"

#include <algorithm>

namespace dlrun::samplers::gp {

using Eigen::Index;
using Eigen::Lower;
using Eigen::MatrixXd;

namespace {

constexpr Index kBlock = 32;  ///< columns at a time: what stands above them is zero and is left out

}  // namespace

MatrixXd inverse_of(const Eigen::Ref<const MatrixXd>& factor) {
  const Index n = factor.rows();
  MatrixXd root = MatrixXd::Identity(n, n), out = MatrixXd::Zero(n, n);
  for (Index j = 0; j < n; j += kBlock) {
    auto below = root.block(j, j, n - j, std::min(kBlock, n - j));
    factor.bottomRightCorner(n - j, n - j).triangularView<Lower>().solveInPlace(below);
  }
  for (Index j = 0; j < n; j += kBlock) {
    const Index width = std::min(kBlock, n - j);
    const auto rest = root.bottomRightCorner(n - j, n - j);
    out.block(j, j, n - j, width).noalias() = rest.triangularView<Lower>().transpose() * root.block(j, j, n - j, width);
  }
  return out;
}

}  // namespace dlrun::samplers::gp
