// SPDX-License-Identifier: Apache-2.0
// Functions of Eigen's arrays that decisions use beyond plain arithmetic, with the same bits on every x86-64 processor.
#pragma once
#include <Eigen/Core>

#include "util/arithmetic.hpp"

namespace dlrun::samplers {

/// Eigen's own exp() asks the C library where the last numbers fill no register, and that one's bits differ.
template <class Derived>
auto exp_of(const Eigen::ArrayBase<Derived>& exponents) {
  Eigen::Array<typename Derived::Scalar, Eigen::Dynamic, 1> out = exponents;
  arithmetic::exp({out.data(), static_cast<std::size_t>(out.size())});
  return out;
}

template <class Derived>
auto log_of(const Eigen::ArrayBase<Derived>& values) {
  Eigen::Array<typename Derived::Scalar, Eigen::Dynamic, 1> out = values;
  arithmetic::log({out.data(), static_cast<std::size_t>(out.size())});
  return out;
}

template <class Derived>
auto erfc_of(const Eigen::ArrayBase<Derived>& values) {
  Eigen::Array<typename Derived::Scalar, Eigen::Dynamic, 1> out = values;
  arithmetic::erfc({out.data(), static_cast<std::size_t>(out.size())});
  return out;
}

/// Sum of the logarithms, one after the other.
template <class Derived>
double sum_of_logs(const Eigen::MatrixBase<Derived>& values) {
  double sum = 0;
  for (Eigen::Index i = 0; i < values.size(); ++i) sum += arithmetic::log(values[i]);
  return sum;
}

/// Eigen cuts the sums of large products by the size of the processor's first cache. This sets the size to 32 KB for
/// the whole program; samplers and explorers are made after it.
inline void fix_order_of_sums() {
  static const bool is_fixed = (Eigen::setCpuCacheSizes(32 << 10, 1 << 20, 16 << 20), true);
  static_cast<void>(is_fixed);
}

}  // namespace dlrun::samplers
