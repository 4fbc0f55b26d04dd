// SPDX-License-Identifier: Apache-2.0
#include "nn/dropout_mask.hpp"

#include <cmath>
#include <vector>

#include <ATen/ops/empty.h>
#include <ATen/ops/mul.h>

#include "nn/philox_fill.hpp"
#include "util/random.hpp"

namespace dlrun::nn {

namespace {

std::array<std::uint32_t, 2> key_of(const Scope& scope, const std::string& place) {
  const Streams& streams = scope.streams();
  const std::string name = place.empty() ? scope.node().name : scope.node().name + "." + place;
  return RandomStream(streams.seed, {"dropout", std::to_string(streams.replicate), name}).key();
}

}  // namespace

DropoutMask::DropoutMask(const Scope& scope, const std::string& place, double p) : p_(p), key_(key_of(scope, place)) {}

at::Tensor DropoutMask::apply(const at::Tensor& x, const Pass& pass) const {
  if (!is_on(pass)) return x;
  at::Tensor mask = at::empty(x.sizes(), at::kFloat);
  std::vector<std::uint32_t> words(static_cast<std::size_t>(x.numel()));
  philox_fill(key_, static_cast<std::uint64_t>(pass.step), words.data(), words.size());
  const auto threshold = static_cast<std::uint32_t>(std::lround(p_ * 4294967295.0));
  const auto scale = static_cast<float>(1.0 / (1.0 - p_));
  float* factors = mask.mutable_data_ptr<float>();
  for (std::size_t i = 0; i < words.size(); ++i) factors[i] = words[i] >= threshold ? scale : 0.0f;
  return at::mul(x, mask.to(x.options()));
}

}  // namespace dlrun::nn
