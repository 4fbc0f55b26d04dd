// SPDX-License-Identifier: Apache-2.0
#include "train/average.hpp"

#include <algorithm>
#include <cstring>

#include <ATen/ops/sub.h>

namespace dlrun::train {

namespace {

void swap_bytes(const at::Tensor& a, const at::Tensor& b) {
  if (!a.is_cpu()) {
    const at::Tensor old = a.clone();
    a.copy_(b);
    b.copy_(old);
    return;
  }
  auto* begin = static_cast<char*>(a.mutable_data_ptr());
  std::swap_ranges(begin, begin + a.nbytes(), static_cast<char*>(b.mutable_data_ptr()));
}

}  // namespace

Average::Average(const nn::Parameters& parameters, bool with_buffers) : values_(parameters.values().clone()) {
  if (!with_buffers) return;
  for (const nn::Parameter& p : parameters.all()) buffers_.push_back(p.trainable ? at::Tensor() : p.value.clone());
}

Average Average::clone() const {
  Average copy = *this;
  copy.values_ = values_.clone();
  for (at::Tensor& buffer : copy.buffers_) buffer = buffer.defined() ? buffer.clone() : buffer;
  return copy;
}

Average Average::on(at::Device device) const {
  Average there = *this;
  if (!is_defined()) return there;
  there.values_ = values_.to(device);
  for (at::Tensor& buffer : there.buffers_) {  // counters stay on the CPU, as the model's
    if (buffer.defined() && buffer.scalar_type() == at::kFloat) buffer = buffer.to(device);
  }
  return there;
}

void Average::approach(const nn::Parameters& parameters, double rest) {
  if (!values_.is_cpu()) {
    values_.add_(at::sub(parameters.values(), values_), rest);
    return;
  }
  const float* p = parameters.values().const_data_ptr<float>();
  auto* a = values_.mutable_data_ptr<float>();
  const auto factor = float(rest);
  for (std::int64_t i = 0; i < values_.numel(); ++i) a[i] = a[i] + factor * (p[i] - a[i]);
}

void Average::add(const nn::Parameters& parameters, std::int64_t count) {
  count == 0 ? void(values_.copy_(parameters.values())) : approach(parameters, 1.0 / double(count + 1));
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i].defined()) buffers_[i].copy_(parameters.all()[i].value);
  }
}

void Average::swap(const nn::Parameters& parameters) {
  swap_bytes(parameters.values(), values_);
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i].defined()) swap_bytes(parameters.all()[i].value, buffers_[i]);
  }
}

at::Tensor Average::of(const nn::Parameters& parameters, std::size_t number) const {
  const nn::Parameter& parameter = parameters.all()[number];
  if (!parameter.trainable) return buffers_.empty() ? at::Tensor() : buffers_[number];
  return values_.narrow(0, parameter.offset, parameter.value.numel()).view(parameter.value.sizes());
}

}  // namespace dlrun::train
