// SPDX-License-Identifier: Apache-2.0
// Functions of single elements (softmax: of the last size) without parameters.
#include <ATen/ops/_log_softmax.h>
#include <ATen/ops/_log_softmax_backward_data.h>
#include <ATen/ops/_softmax.h>
#include <ATen/ops/_softmax_backward_data.h>
#include <ATen/ops/elu.h>
#include <ATen/ops/elu_backward.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/hardshrink.h>
#include <ATen/ops/hardshrink_backward.h>
#include <ATen/ops/hardsigmoid.h>
#include <ATen/ops/hardsigmoid_backward.h>
#include <ATen/ops/hardswish.h>
#include <ATen/ops/hardswish_backward.h>
#include <ATen/ops/hardtanh.h>
#include <ATen/ops/hardtanh_backward.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/leaky_relu_backward.h>
#include <ATen/ops/mish.h>
#include <ATen/ops/mish_backward.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sigmoid_backward.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/softplus_backward.h>
#include <ATen/ops/softshrink.h>
#include <ATen/ops/softshrink_backward.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/tanh_backward.h>
#include <ATen/ops/threshold_backward.h>

#include "nn/layers/layers.hpp"
#include "util/error.hpp"

namespace dlrun::nn {

namespace {

/// One element-wise function: its value, and its gradient from what is kept, which is the input x or the output y.
struct Function {
  enum class Keeps { nothing, x, y };
  Keeps keeps;
  at::Tensor (*value)(const at::Tensor& x, double a);
  at::Tensor (*gradient)(const at::Tensor& grad, const at::Tensor& kept, double a);
};

using Keeps = Function::Keeps;
using T = at::Tensor;

constexpr double kSeluAlpha = 1.6732632423543772848170429916717;  // Klambauer et al., NeurIPS 2017
constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kSoftplusLinear = 20;  // PyTorch's: above it softplus is x itself

const char* gelu_form(double tanh_form) { return tanh_form != 0 ? "tanh" : "none"; }

const Function kIdentity{Keeps::nothing, [](const T& x, double) { return x; },
                         [](const T& g, const T&, double) { return g; }};
const Function kRelu{Keeps::y, [](const T& x, double) { return at::relu(x); },
                     [](const T& g, const T& y, double) { return at::threshold_backward(g, y, 0); }};
const Function kLeakyRelu{
    Keeps::x, [](const T& x, double slope) { return at::leaky_relu(x, slope); },
    [](const T& g, const T& x, double slope) { return at::leaky_relu_backward(g, x, slope, false); }};
const Function kElu{Keeps::x, [](const T& x, double alpha) { return at::elu(x, alpha); },
                    [](const T& g, const T& x, double alpha) { return at::elu_backward(g, alpha, 1, 1, false, x); }};
const Function kGelu{Keeps::x, [](const T& x, double form) { return at::gelu(x, gelu_form(form)); },
                     [](const T& g, const T& x, double form) { return at::gelu_backward(g, x, gelu_form(form)); }};
const Function kSilu{Keeps::x, [](const T& x, double) { return at::silu(x); },
                     [](const T& g, const T& x, double) { return at::silu_backward(g, x); }};
const Function kSigmoid{Keeps::y, [](const T& x, double) { return at::sigmoid(x); },
                        [](const T& g, const T& y, double) { return at::sigmoid_backward(g, y); }};
const Function kTanh{Keeps::y, [](const T& x, double) { return at::tanh(x); },
                     [](const T& g, const T& y, double) { return at::tanh_backward(g, y); }};
const Function kSoftplus{
    Keeps::x, [](const T& x, double beta) { return at::softplus(x, beta, kSoftplusLinear); },
    [](const T& g, const T& x, double beta) { return at::softplus_backward(g, x, beta, kSoftplusLinear); }};
const Function kSoftmax{
    Keeps::y, [](const T& x, double) { return at::_softmax(x, -1, false); },
    [](const T& g, const T& y, double) { return at::_softmax_backward_data(g, y, -1, at::kFloat); }};

const Function kLogSoftmax{
    Keeps::y, [](const T& x, double) { return at::_log_softmax(x, -1, false); },
    [](const T& g, const T& y, double) { return at::_log_softmax_backward_data(g, y, -1, at::kFloat); }};
const Function kRelu6{Keeps::x, [](const T& x, double) { return at::hardtanh(x, 0, 6); },
                      [](const T& g, const T& x, double) { return at::hardtanh_backward(g, x, 0, 6); }};
const Function kHardswish{Keeps::x, [](const T& x, double) { return at::hardswish(x); },
                          [](const T& g, const T& x, double) { return at::hardswish_backward(g, x); }};
const Function kHardsigmoid{Keeps::x, [](const T& x, double) { return at::hardsigmoid(x); },
                            [](const T& g, const T& x, double) { return at::hardsigmoid_backward(g, x); }};
const Function kMish{Keeps::x, [](const T& x, double) { return at::mish(x); },
                     [](const T& g, const T& x, double) { return at::mish_backward(g, x); }};
const Function kSelu{
    Keeps::x, [](const T& x, double) { return at::elu(x, kSeluAlpha, kSeluScale); },
    [](const T& g, const T& x, double) { return at::elu_backward(g, kSeluAlpha, kSeluScale, 1, false, x); }};
const Function kCelu{
    Keeps::x, [](const T& x, double alpha) { return at::elu(x, alpha, 1, 1 / alpha); },
    [](const T& g, const T& x, double alpha) { return at::elu_backward(g, alpha, 1, 1 / alpha, false, x); }};
const Function kSoftshrink{Keeps::x, [](const T& x, double band) { return at::softshrink(x, band); },
                           [](const T& g, const T& x, double band) { return at::softshrink_backward(g, x, band); }};
const Function kHardshrink{Keeps::x, [](const T& x, double band) { return at::hardshrink(x, band); },
                           [](const T& g, const T& x, double band) { return at::hardshrink_backward(g, x, band); }};

const Function& function_of(const std::string& op) {
  static const std::pair<const char*, const Function*> kTable[] = {
      {"identity", &kIdentity},
      {"relu", &kRelu},
      {"leaky_relu", &kLeakyRelu},
      {"elu", &kElu},
      {"gelu", &kGelu},
      {"silu", &kSilu},
      {"sigmoid", &kSigmoid},
      {"tanh", &kTanh},
      {"softplus", &kSoftplus},
      {"softmax", &kSoftmax},
      {"log_softmax", &kLogSoftmax},
      {"relu6", &kRelu6},
      {"hardswish", &kHardswish},
      {"hardsigmoid", &kHardsigmoid},
      {"mish", &kMish},
      {"selu", &kSelu},
      {"celu", &kCelu},
      {"softshrink", &kSoftshrink},
      {"hardshrink", &kHardshrink},
  };
  for (const auto& [name, function] : kTable) {
    if (op == name) return *function;
  }
  throw Error(ErrorKind::internal, "there is no activation '" + op + "'");
}

/// The one number a kind may have.
double setting_of(const Scope& scope) {
  const std::string& op = scope.node().op;
  if (op == "leaky_relu") return scope.number("slope");
  if (op == "elu" || op == "celu") return scope.number("alpha");
  if (op == "softshrink" || op == "hardshrink") return scope.number("lambd");
  if (op == "softplus") return scope.number("beta");
  if (op == "gelu") return scope.text("approximate") == "tanh" ? 1 : 0;
  return 0;
}

class Activation final : public UnaryLayer {
 public:
  explicit Activation(const Scope& scope) : function_(function_of(scope.node().op)), setting_(setting_of(scope)) {}

  at::Tensor forward(const at::Tensor& x, const Pass& pass) override {
    at::Tensor y = function_.value(x, setting_);
    if (pass.training && function_.keeps != Keeps::nothing) kept_ = function_.keeps == Keeps::x ? x : y;
    return y;
  }

  at::Tensor backward(const at::Tensor& grad, bool wanted) override {
    if (!wanted) return {};
    at::Tensor in = function_.gradient(grad, kept_, setting_);
    kept_.reset();
    return in;
  }

 private:
  const Function& function_;
  double setting_;
  at::Tensor kept_;
};

}  // namespace

std::unique_ptr<Layer> make_activation(const Scope& scope) { return std::make_unique<Activation>(scope); }

}  // namespace dlrun::nn
