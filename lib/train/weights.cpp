// SPDX-License-Identifier: Apache-2.0
#include "train/weights.hpp"

namespace dlrun::train {

Weights copy_of(const nn::Parameters& parameters) {
  Weights out{parameters.values().clone(), {}};
  for (const nn::Parameter& p : parameters.all()) out.buffers.push_back(p.trainable ? at::Tensor() : p.value.clone());
  return out;
}

Weights copy_of(const Weights& weights) {
  Weights out{weights.values.clone(), {}};
  for (const at::Tensor& buffer : weights.buffers) out.buffers.push_back(buffer.defined() ? buffer.clone() : buffer);
  return out;
}

void put(const Weights& weights, const nn::Parameters& parameters) {
  at::Tensor values = parameters.values();
  values.copy_(weights.values);
  for (std::size_t i = 0; i < weights.buffers.size(); ++i) {
    if (weights.buffers[i].defined()) parameters.all()[i].value.copy_(weights.buffers[i]);
  }
}

at::Tensor tensor_of(const Weights& weights, const nn::Parameters& parameters, std::size_t number) {
  const nn::Parameter& p = parameters.all()[number];
  if (!p.trainable) return weights.buffers[number];
  return weights.values.narrow(0, p.offset, p.value.numel()).view(p.value.sizes());
}

Weights mean_of(const std::vector<const Weights*>& all) {
  Weights out = copy_of(*all.front());
  auto* mean = out.values.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < out.values.numel(); ++i) {
    double sum = 0;
    for (const Weights* one : all) sum += double(one->values.const_data_ptr<float>()[i]);
    mean[i] = float(sum / double(all.size()));
  }
  return out;
}

Weights mixed(double factor, const Weights& a, double other, const Weights& b) {
  Weights out = copy_of(b);
  auto* to = out.values.mutable_data_ptr<float>();
  const auto* from = a.values.const_data_ptr<float>();
  for (std::int64_t i = 0; i < out.values.numel(); ++i) to[i] = float(factor * double(from[i]) + other * double(to[i]));
  return out;
}

}  // namespace dlrun::train
