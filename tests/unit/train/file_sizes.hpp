// SPDX-License-Identifier: Apache-2.0
// Sums of the numbers in a file of tensors, for golden files: few enough to read, and other ones if a number is.
#pragma once
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "train/safetensors.hpp"

namespace dlrun::train {

/// Sums of the numbers above zero and of those below it. Each has a weight, so that their order matters too.
struct Sizes {
  std::int64_t tensors = 0;
  double above = 0, below = 0;
  void add(double number, std::size_t place) {
    const double weighted = number * (1 + double(place % 7) / 7);
    (number > 0 ? above : below) += std::fabs(weighted);
  }
};

template <class T>
void add_all(const TensorView& tensor, Sizes& sizes) {
  std::vector<T> numbers(tensor.bytes.size() / sizeof(T));
  std::memcpy(numbers.data(), tensor.bytes.data(), tensor.bytes.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) sizes.add(double(numbers[i]), i);
  ++sizes.tensors;
}

/// "model", "counts", "average", "opt.SLOT" or "gang".
inline std::string group_of(const TensorView& tensor) {
  const std::string first = tensor.name.substr(0, tensor.name.find('.'));
  if (tensor.dtype == "I64") return "counts";
  return first == "opt" ? first + tensor.name.substr(tensor.name.rfind('.')) : first;
}

inline void add_numbers(const TensorView& tensor, Sizes& sizes) {
  if (tensor.dtype == "I64") return add_all<std::int64_t>(tensor, sizes);
  if (tensor.dtype == "F64") return add_all<double>(tensor, sizes);
  tensor.dtype == "I32" ? add_all<std::int32_t>(tensor, sizes) : add_all<float>(tensor, sizes);
}

inline std::map<std::string, Sizes> sizes_of(const SafeTensors& file) {
  std::map<std::string, Sizes> groups;
  for (const TensorView& tensor : file.tensors()) add_numbers(tensor, groups[group_of(tensor)]);
  return groups;
}

inline std::string text_of(const Sizes& sizes) {
  return fmt::format("{}: {:.5g} {:.5g}", sizes.tensors, sizes.above, sizes.below);
}

}  // namespace dlrun::train
