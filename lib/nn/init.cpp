// SPDX-License-Identifier: Apache-2.0
#include "nn/init.hpp"

#include <cmath>

#include <ATen/ops/empty.h>

#include "util/random.hpp"

namespace dlrun::nn {

namespace {

/// Sets the parameter's numbers one after the other; those of another device from the same numbers drawn here.
template <class Next>
void fill(const Parameter& parameter, Next next) {
  const bool is_here = parameter.value.is_cpu();
  const at::Tensor drawn = is_here ? parameter.value : at::empty(parameter.value.sizes(), at::kFloat);
  float* values = drawn.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < drawn.numel(); ++i) values[i] = next();
  if (!is_here) parameter.value.copy_(drawn);
}

}  // namespace

void init_uniform(const Parameter& parameter, double bound, const Streams& streams) {
  RandomStream stream(streams.seed, {"init", std::to_string(streams.replicate), parameter.name});
  fill(parameter, [&] {
    const double unit = double(stream.next_u32() >> 8) * 0x1.0p-24;
    return float((2.0 * unit - 1.0) * bound);
  });
}

void init_normal(const Parameter& parameter, double std, const Streams& streams) {
  RandomStream stream(streams.seed, {"init", std::to_string(streams.replicate), parameter.name});
  fill(parameter, [&] { return float(stream.normal() * std); });
}

void init_xavier(const Parameter& weight, const Streams& streams) {
  init_uniform(weight, std::sqrt(6.0 / double(weight.value.size(-2) + weight.value.size(-1))), streams);
}

void init_affine(const Parameter& weight, const Parameter* bias, std::int64_t fan_in, const Streams& streams) {
  const double bound = 1.0 / std::sqrt(double(fan_in));
  init_uniform(weight, bound, streams);
  if (bias) init_uniform(*bias, bound, streams);
}

}  // namespace dlrun::nn
