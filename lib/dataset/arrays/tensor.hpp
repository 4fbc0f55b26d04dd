// SPDX-License-Identifier: Apache-2.0
// Numbers of a file in any type and order, and the Array they become.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dataset/array.hpp"

namespace dlrun::dataset {

/// A tensor as it lies in its file.
struct RawTensor {
  enum class Kind { boolean, integer, natural, real, brain };  ///< brain: bfloat16

  Kind kind = Kind::real;
  std::size_t size = 4;  ///< bytes of a number
  bool is_big_endian = false;
  bool is_fortran = false;  ///< the first index runs fastest
  std::vector<std::int64_t> shape;
  std::shared_ptr<const std::byte> bytes;                   ///< the first number, and the owner of the memory
  std::string name;                                         ///< for messages: "'x' in 'data.npz'"
  std::shared_ptr<const std::vector<std::string>> texts{};  ///< the numbers are places of these; null: they are numbers
  std::int64_t rows_there = 0;  ///< is_fortran: the first size of the whole that this is a part of; 0: all of it

  bool is_whole() const { return kind != Kind::real && kind != Kind::brain; }
};

/// Examples begin … begin + count - 1.
RawTensor rows_of(const RawTensor& raw, std::int64_t begin, std::int64_t count);
/// @throws DataError at `key`: no first size, or no numbers at all.
void require_examples(const RawTensor& raw, const std::string& key);

/// A tensor of examples: [shape[0], …].
struct Tensor {
  std::vector<std::int64_t> shape;
  Array array;            ///< [shape[0], product of the rest]
  bool is_whole = false;  ///< whole numbers, not reals
  std::string name;
  std::shared_ptr<const std::vector<std::string>> texts{};  ///< as of RawTensor
};

/// @throws DataError at `key` where the numbers stand for texts.
void require_numbers(const std::shared_ptr<const std::vector<std::string>>& texts, const std::string& name,
                     const std::string& key);

/// Numbers in a shape. @return false where they are more than 2^62, or a size is below 0.
bool count_of(const std::vector<std::int64_t>& shape, std::int64_t& count);

/// All numbers, row-major. REQUIRES: count_of(raw.shape), and as many bytes.
std::vector<double> to_doubles(const RawTensor& raw);

/// Shares the memory where type and order allow (float32, bytes, int32, int64, aligned, little-endian, row-major), else
/// copies: to float32, int32 or int64, as holds the type's numbers.
/// @throws DataError: no examples, a natural number above 2^63 - 1.  REQUIRES: as many bytes as the shape says.
Tensor to_tensor(const RawTensor& raw, const std::string& key);

}  // namespace dlrun::dataset
