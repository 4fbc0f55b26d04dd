// SPDX-License-Identifier: Apache-2.0
#include "nn/init.hpp"

#include <cmath>

#include "util/random.hpp"

namespace dlrun::nn {

void init_uniform(const Parameter& parameter, double bound, const Streams& streams) {
  RandomStream stream(streams.seed, {"init", std::to_string(streams.replicate), parameter.name});
  float* values = parameter.value.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < parameter.value.numel(); ++i) {
    const double unit = double(stream.next_u32() >> 8) * 0x1.0p-24;
    values[i] = float((2.0 * unit - 1.0) * bound);
  }
}

void init_normal(const Parameter& parameter, double std, const Streams& streams) {
  RandomStream stream(streams.seed, {"init", std::to_string(streams.replicate), parameter.name});
  float* values = parameter.value.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < parameter.value.numel(); ++i) values[i] = float(stream.normal() * std);
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
