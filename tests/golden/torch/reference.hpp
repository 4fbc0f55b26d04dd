// SPDX-License-Identifier: Apache-2.0
// The reference vectors that tests/golden/torch/generate writes with Python torch.
#pragma once
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "train/safetensors.hpp"
#include "util/json.hpp"

namespace dlrun {

/// One file TABLE.safetensors.
class Reference {
 public:
  explicit Reference(const std::string& table);

  /// What each case is, as its table says.
  const Json& cases() const { return cases_; }
  /// Tensor `name` of case `number`. Throws where there is none.
  at::Tensor tensor(std::size_t number, const std::string& name) const;
  bool has(std::size_t number, const std::string& name) const;

 private:
  train::SafeTensors file_;
  Json cases_;
};

/// Every table there is, by name.
std::vector<std::string> reference_tables();

/// Wherever `found` lies. The greatest difference, relative to the greatest number expected: max |a - b| / max |b|.
/// Infinite where the shapes differ or only one is NaN; where all expected numbers are 0, the greatest difference.
double relative_error(const at::Tensor& found, const at::Tensor& expected);

}  // namespace dlrun
