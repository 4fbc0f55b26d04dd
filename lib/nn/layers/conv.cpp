// SPDX-License-Identifier: Apache-2.0
// conv1d … conv3d and conv_transpose1d … conv_transpose3d as torch.nn's; weight [out, in / groups, …k], transposed
// [in, out / groups, …k], bias [out].
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>

#include "nn/init.hpp"
#include "nn/layers/layers.hpp"
#include "nn/optional.hpp"

namespace dlrun::nn {

namespace {

class Convolution final : public UnaryLayer {
 public:
  Convolution(const Scope& scope, bool is_transposed)
      : weight_(scope.tensor("weight")),
        count_(std::size_t(weight_.value.dim() - 2)),
        stride_(scope.sizes("stride", count_, 1)),
        pad_(scope.sizes("pad", count_, 0)),
        dilation_(scope.sizes("dilation", count_, 1)),
        output_padding_(scope.sizes("output_padding", count_, 0)),
        groups_(scope.integer("groups", 1)),
        is_transposed_(is_transposed) {
    if (const Parameter* bias = scope.find("bias")) bias_ = *bias;
    const std::vector<std::int64_t> end = scope.sizes("pad_end", count_, 0);
    for (std::size_t axis = count_; axis-- > 0;) {  // constant_pad_nd wants the last direction first
      margin_.insert(margin_.end(), {0, end[axis]});
      taken_off_.insert(taken_off_.end(), {0, -end[axis]});
      is_lopsided_ = is_lopsided_ || end[axis] != 0;
    }
  }

  /// Of a transposed weight too PyTorch takes all but the first size for the fan-in.
  void initialise(const Streams& streams) override {
    const std::int64_t fan_in = weight_.value.numel() / weight_.value.size(0);
    init_affine(weight_, bias_.value.defined() ? &bias_ : nullptr, fan_in, streams);
  }

  at::Tensor forward(const at::Tensor& x, const Pass& pass) override {
    const at::Tensor padded = is_lopsided_ ? at::constant_pad_nd(x, margin_) : x;
    if (pass.training) x_ = padded;
    return at::convolution(padded, weight_.value, bias(), stride_, pad_, dilation_, is_transposed_, output_padding_,
                           groups_);
  }

  at::Tensor backward(const at::Tensor& grad, bool wanted) override {
    auto [in, weight, bias] = at::convolution_backward(grad, x_, weight_.value, at::OptionalIntArrayRef(grad.size(1)),
                                                       stride_, pad_, dilation_, is_transposed_, output_padding_,
                                                       groups_, {wanted, true, bias_.value.defined()});
    x_.reset();
    weight_.grad.copy_(weight);
    if (bias_.grad.defined()) bias_.grad.copy_(bias);
    return wanted && is_lopsided_ ? at::constant_pad_nd(in, taken_off_) : in;
  }

 private:
  std::optional<at::Tensor> bias() const { return optional(bias_.value); }

  Parameter weight_, bias_;
  std::size_t count_;  ///< directions
  std::vector<std::int64_t> stride_, pad_, dilation_, output_padding_;
  std::int64_t groups_;
  bool is_transposed_;
  bool is_lopsided_ = false;  ///< an even kernel under `pad: same` needs one more zero at the end than at the beginning
  std::vector<std::int64_t> margin_, taken_off_;
  at::Tensor x_;
};

}  // namespace

std::unique_ptr<Layer> make_conv(const Scope& scope) { return std::make_unique<Convolution>(scope, false); }
std::unique_ptr<Layer> make_conv_transpose(const Scope& scope) { return std::make_unique<Convolution>(scope, true); }

}  // namespace dlrun::nn
