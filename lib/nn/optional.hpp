// SPDX-License-Identifier: Apache-2.0
// An undefined tensor as ATen's functions want an absent one.
#pragma once
#include <optional>

#include <ATen/core/Tensor.h>

namespace dlrun::nn {

inline std::optional<at::Tensor> optional(const at::Tensor& tensor) {
  return tensor.defined() ? std::optional<at::Tensor>(tensor) : std::nullopt;
}

}  // namespace dlrun::nn
