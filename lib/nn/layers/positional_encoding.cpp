// SPDX-License-Identifier: Apache-2.0
// positional_encoding: x plus a vector for each position, learned or sinusoidal:
// pe[t, 2i] = sin(t / 10000^(2i / D)), pe[t, 2i + 1] = cos of the same (Vaswani et al., NeurIPS 2017, section 3.5).
#include <cmath>

#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/sum.h>

#include "nn/init.hpp"
#include "nn/layers/layers.hpp"

namespace dlrun::nn {

namespace {

at::Tensor sinusoids(std::int64_t length, std::int64_t width) {
  at::Tensor table = at::empty({length, width}, at::kFloat);
  float* values = table.mutable_data_ptr<float>();
  for (std::int64_t t = 0; t < length; ++t) {
    for (std::int64_t d = 0; d < width; ++d) {
      const double angle = double(t) * std::pow(10000.0, -double(d - d % 2) / double(width));
      values[t * width + d] = float(d % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}

class PositionalEncoding final : public UnaryLayer {
 public:
  explicit PositionalEncoding(const Scope& scope) : std_(scope.number("std")) {
    const model::Shape& shape = scope.node().out;
    if (const Parameter* weight = scope.find("weight")) weight_ = *weight;
    table_ = weight_.value.defined() ? weight_.value : sinusoids(shape[0], shape[1]);
  }

  void initialise(const Streams& streams) override {
    if (weight_.value.defined()) init_normal(weight_, std_, streams);
  }

  at::Tensor forward(const at::Tensor& x, const Pass&) override { return at::add(x, table_.to(x.device())); }

  at::Tensor backward(const at::Tensor& grad, bool wanted) override {
    if (weight_.grad.defined()) at::sum_out(weight_.grad, grad, {0});
    return wanted ? grad : at::Tensor();
  }

 private:
  Parameter weight_;
  double std_;
  at::Tensor table_;  ///< [L, D]
};

}  // namespace

std::unique_ptr<Layer> make_positional_encoding(const Scope& scope) {
  return std::make_unique<PositionalEncoding>(scope);
}

}  // namespace dlrun::nn
