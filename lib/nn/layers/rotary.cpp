// SPDX-License-Identifier: Apache-2.0
#include "nn/layers/rotary.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/stack.h>

namespace dlrun::nn {

namespace {

/// [L, d / 2]; in float64, for a late position times a frequency needs more digits than float32 has.
at::Tensor angles(const at::Tensor& x, double base) {
  const auto options = x.options().dtype(at::kDouble).requires_grad(false);
  const std::int64_t half = x.size(3) / 2;
  const at::Tensor frequency = at::pow(base, at::arange(half, options) * (-1.0 / double(half)));
  return at::outer(at::arange(x.size(2), options), frequency);
}

}  // namespace

Rotation::Rotation(const at::Tensor& like, double base) {
  const at::Tensor angle = angles(like, base);
  const at::ScalarType wide = like.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  cos_ = at::cos(angle).to(wide);
  sin_ = at::sin(angle).to(wide);
}

at::Tensor Rotation::apply(const at::Tensor& x) const {
  const at::Tensor pairs = x.to(cos_.scalar_type()).unflatten(3, {x.size(3) / 2, 2});
  const at::Tensor first = pairs.select(4, 0), second = pairs.select(4, 1);
  const at::Tensor turned = at::stack({first * cos_ - second * sin_, first * sin_ + second * cos_}, 4);
  return turned.flatten(3).to(x.scalar_type());
}

}  // namespace dlrun::nn
