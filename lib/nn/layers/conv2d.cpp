// SPDX-License-Identifier: Apache-2.0
// conv2d: cross-correlation over [C, H, W] as torch.nn.Conv2d; weight [out, in / groups, kh, kw], bias [out].
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>

#include "nn/init.hpp"
#include "nn/layers/layers.hpp"

namespace dlrun::nn {

namespace {

class Conv2d final : public UnaryLayer {
 public:
  explicit Conv2d(const Scope& scope)
      : weight_(scope.tensor("weight")),
        stride_(scope.pair("stride", 1)),
        pad_(scope.pair("pad", 0)),
        pad_end_(scope.pair("pad_end", 0)),
        dilation_(scope.pair("dilation", 1)),
        groups_(scope.integer("groups", 1)) {
    if (const Parameter* bias = scope.find("bias")) bias_ = *bias;
  }

  void initialise(const Streams& streams) override {
    const std::int64_t fan_in = weight_.value.numel() / weight_.value.size(0);
    init_affine(weight_, bias_.value.defined() ? &bias_ : nullptr, fan_in, streams);
  }

  at::Tensor forward(const at::Tensor& x, const Pass& pass) override {
    const at::Tensor padded = is_lopsided() ? at::constant_pad_nd(x, {0, pad_end_[1], 0, pad_end_[0]}) : x;
    if (pass.training) x_ = padded;
    return at::convolution(padded, weight_.value, bias(), stride_, pad_, dilation_, false, {0, 0}, groups_);
  }

  at::Tensor backward(const at::Tensor& grad, bool wanted) override {
    auto [in, weight, bias] =
        at::convolution_backward(grad, x_, weight_.value, at::OptionalIntArrayRef(weight_.value.size(0)), stride_, pad_,
                                 dilation_, false, {0, 0}, groups_, {wanted, true, bias_.value.defined()});
    x_.reset();
    weight_.grad.copy_(weight);
    if (bias_.grad.defined()) bias_.grad.copy_(bias);
    return wanted && is_lopsided() ? at::constant_pad_nd(in, {0, -pad_end_[1], 0, -pad_end_[0]}) : in;
  }

 private:
  /// An even kernel under `pad: same` needs one more zero at the end than at the beginning.
  bool is_lopsided() const { return pad_end_[0] != 0 || pad_end_[1] != 0; }
  std::optional<at::Tensor> bias() const {
    return bias_.value.defined() ? std::optional<at::Tensor>(bias_.value) : std::nullopt;
  }

  Parameter weight_, bias_;
  std::vector<std::int64_t> stride_, pad_, pad_end_, dilation_;
  std::int64_t groups_;
  at::Tensor x_;
};

}  // namespace

std::unique_ptr<Layer> make_conv2d(const Scope& scope) { return std::make_unique<Conv2d>(scope); }

}  // namespace dlrun::nn
