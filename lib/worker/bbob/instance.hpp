// SPDX-License-Identifier: Apache-2.0
// Facts of one instance of a BBOB function: where its optimum lies, its rotations, its offset. All of them follow from
// (function, instance) by the published generator, so that an instance is the same everywhere.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dlrun::worker::bbob {

using Vector = std::vector<double>;

/// A square matrix, row by row.
struct Matrix {
  std::size_t size = 0;
  Vector at;
  double operator()(std::size_t row, std::size_t column) const { return at[row * size + column]; }
};
Vector operator*(const Matrix& matrix, const Vector& x);

/// Uniform numbers in (0, 1): Park and Miller's generator with the shuffle of Bays and Durham.
Vector uniform(std::size_t count, std::int64_t seed);
/// Standard normal numbers, by Box and Muller out of twice as many uniform ones.
Vector normal(std::size_t count, std::int64_t seed);
/// Orthonormal: normal numbers by Gram and Schmidt.
Matrix rotation(std::size_t size, std::int64_t seed);
/// The optimum's place, in [-4, 4) with four digits.
Vector optimum(std::size_t size, std::int64_t seed);

struct Instance {
  /// @param count  of dimensions
  Instance(int id, int instance, std::size_t count);

  std::size_t dimensions;
  std::int64_t seed;
  Vector optimum;
  Matrix r, q;    ///< the two rotations
  double offset;  ///< value at the optimum
};

}  // namespace dlrun::worker::bbob
