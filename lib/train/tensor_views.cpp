// SPDX-License-Identifier: Apache-2.0
#include "train/tensor_views.hpp"

#include <cstring>

#include <ATen/ops/empty.h>

namespace dlrun::train {

namespace {

at::ScalarType type_of(const std::string& dtype) {
  if (dtype == "I64") return at::kLong;
  if (dtype == "F64") return at::kDouble;
  if (dtype == "F16") return at::kHalf;
  return dtype == "BF16" ? at::kBFloat16 : at::kFloat;
}

}  // namespace

std::vector<tensors::Wanted> wanted_by(const nn::Parameters& parameters) {
  std::vector<tensors::Wanted> out;
  for (const nn::Parameter& p : parameters.all())
    out.push_back({p.name, p.value.sizes().vec(), p.value.scalar_type() == at::kLong});
  return out;
}

at::Tensor tensor_of(const tensors::TensorView& view) {
  at::Tensor tensor = at::empty(view.shape, type_of(view.dtype));
  if (!view.bytes.empty()) std::memcpy(tensor.mutable_data_ptr(), view.bytes.data(), view.bytes.size());
  return tensor;
}

}  // namespace dlrun::train
