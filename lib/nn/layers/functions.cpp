// SPDX-License-Identifier: Apache-2.0
// The rarer activations, whose backward is autograd's.
#include <ATen/ops/abs.h>
#include <ATen/ops/add.h>
#include <ATen/ops/div.h>
#include <ATen/ops/glu.h>
#include <ATen/ops/hardtanh.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/threshold.h>

#include "nn/function_layer.hpp"
#include "nn/layers/layers.hpp"

namespace dlrun::nn {

using T = at::Tensor;

std::unique_ptr<Layer> make_logsigmoid(const Scope& scope) {
  return make_function(scope, [](const T& x) { return at::log_sigmoid(x); });
}

std::unique_ptr<Layer> make_softsign(const Scope& scope) {
  return make_function(scope, [](const T& x) { return at::div(x, at::add(at::abs(x), 1)); });
}

std::unique_ptr<Layer> make_tanhshrink(const Scope& scope) {
  return make_function(scope, [](const T& x) { return at::sub(x, at::tanh(x)); });
}

std::unique_ptr<Layer> make_hardtanh(const Scope& scope) {
  const double low = scope.number("min"), high = scope.number("max");
  return make_function(scope, [=](const T& x) { return at::hardtanh(x, low, high); });
}

std::unique_ptr<Layer> make_threshold(const Scope& scope) {
  const double threshold = scope.number("threshold"), value = scope.number("value");
  return make_function(scope, [=](const T& x) { return at::threshold(x, threshold, value); });
}

std::unique_ptr<Layer> make_glu(const Scope& scope) {
  const std::int64_t dim = scope.integer("dim") + 1;
  return make_function(scope, [=](const T& x) { return at::glu(x, dim); });
}

}  // namespace dlrun::nn
