// SPDX-License-Identifier: Apache-2.0
#include "nn/sequences.hpp"

#include <ATen/ops/amax.h>
#include <ATen/ops/any.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ne.h>

namespace dlrun::nn {

std::vector<MaskedSequence> masked_sequences(c10::ArrayRef<at::Tensor> inputs) {
  std::vector<MaskedSequence> found;
  for (const at::Tensor& input : inputs) {
    if (input.dim() == 2) {
      found.back().mask = input;
    } else {
      found.push_back({input, {}, {}});
    }
  }
  return found;
}

at::Tensor real_positions(const at::Tensor& mask) {
  at::Tensor real = at::ne(mask, 0);
  real.select(1, 0).logical_or_(at::logical_not(at::any(real, 1)));
  return real;
}

at::Tensor last_positions(const at::Tensor& real) {
  return at::amax(at::mul(at::arange(real.size(1), real.options().dtype(at::kLong)), real), {1});
}

at::Tensor pick_positions(const at::Tensor& sequence, const at::Tensor& index) {
  const at::Tensor wide = index.view({-1, 1, 1}).expand({-1, 1, sequence.size(2)});
  return at::gather(sequence, 1, wide).squeeze(1);
}

}  // namespace dlrun::nn
