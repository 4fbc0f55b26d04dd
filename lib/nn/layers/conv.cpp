// SPDX-License-Identifier: Apache-2.0
// conv1d … conv3d and conv_transpose1d … conv_transpose3d as torch.nn's; weight [out, in / groups, …k], transposed
// [in, out / groups, …k], bias [out].
#include <ATen/autocast_mode.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>

#include "nn/autograd_layer.hpp"
#include "nn/init.hpp"
#include "nn/layers/layers.hpp"
#include "nn/optional.hpp"

namespace dlrun::nn {

namespace {

/// Only one of the two directions has output_padding, and only the other pad_end.
std::vector<std::int64_t> sizes_or_zeros(const Scope& scope, const char* key, std::size_t count) {
  return scope.has(key) ? scope.sizes(key, count) : std::vector<std::int64_t>(count, 0);
}

/// Stride, padding and dilation of the weight over its input.
struct Slide {
  Slide(const Scope& scope, bool transposed)
      : count(std::size_t(scope.tensor("weight").value.dim() - 2)),
        stride(scope.sizes("stride", count)),
        pad(scope.sizes("pad", count)),
        dilation(scope.sizes("dilation", count)),
        output_padding(sizes_or_zeros(scope, "output_padding", count)),
        groups(scope.integer("groups")),
        is_transposed(transposed) {
    const std::vector<std::int64_t> end = sizes_or_zeros(scope, "pad_end", count);
    for (std::size_t axis = count; axis-- > 0;) {  // constant_pad_nd wants the last direction first
      margin.insert(margin.end(), {0, end[axis]});
      taken_off.insert(taken_off.end(), {0, -end[axis]});
      is_lopsided = is_lopsided || end[axis] != 0;
    }
  }

  at::Tensor padded(const at::Tensor& x) const { return is_lopsided ? at::constant_pad_nd(x, margin) : x; }
  at::Tensor over(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias) const {
    return at::convolution(x, weight, bias, stride, pad, dilation, is_transposed, output_padding, groups);
  }

  std::size_t count;  ///< directions
  std::vector<std::int64_t> stride, pad, dilation, output_padding;
  std::int64_t groups;
  bool is_transposed;
  bool is_lopsided = false;  ///< an even kernel under `pad: same` needs one more zero at the end than at the beginning
  std::vector<std::int64_t> margin, taken_off;
};

/// Fan-in as PyTorch has it: all but the first size, for a transposed weight too.
void init_weight(const Parameter& weight, const Parameter* bias, const Streams& streams) {
  init_affine(weight, bias, weight.value.numel() / weight.value.size(0), streams);
}

class Convolution final : public UnaryLayer {
 public:
  Convolution(const Scope& scope, bool is_transposed) : weight_(scope.tensor("weight")), slide_(scope, is_transposed) {
    if (const Parameter* bias = scope.find("bias")) bias_ = *bias;
  }

  void initialise(const Streams& streams) override {
    init_weight(weight_, bias_.value.defined() ? &bias_ : nullptr, streams);
  }

  at::Tensor forward(const at::Tensor& x, const Pass& pass) override {
    const at::Tensor padded = slide_.padded(x);
    if (pass.training) x_ = padded;
    return slide_.over(padded, weight_.value, optional(bias_.value));
  }

  at::Tensor backward(const at::Tensor& grad, bool wanted) override {
    auto [in, weight, bias] = at::convolution_backward(
        grad, x_, weight_.value, at::OptionalIntArrayRef(grad.size(1)), slide_.stride, slide_.pad, slide_.dilation,
        slide_.is_transposed, slide_.output_padding, slide_.groups, {wanted, true, bias_.value.defined()});
    x_.reset();
    weight_.grad.copy_(weight);
    if (bias_.grad.defined()) bias_.grad.copy_(bias);
    return wanted && slide_.is_lopsided ? at::constant_pad_nd(in, slide_.taken_off) : in;
  }

 private:
  Parameter weight_, bias_;
  Slide slide_;
  at::Tensor x_;
};

/// Convolution in autocast's type: autocast's own list has conv2d and its like, not the general convolution.
class MixedConvolution final : public AutogradLayer {
 public:
  MixedConvolution(const Scope& scope, bool is_transposed) : AutogradLayer(scope), slide_(scope, is_transposed) {}

  void initialise(const Streams& streams) override { init_weight(parameter("weight"), find("bias"), streams); }

 private:
  at::Tensor compute(c10::ArrayRef<at::Tensor> inputs, const Tensors& tensors, const Pass&) override {
    const at::DeviceType device = inputs[0].device().type();
    const auto cast = [&](const auto& x) {
      return at::autocast::cached_cast(at::autocast::get_autocast_dtype(device), x, device);
    };
    return slide_.over(slide_.padded(cast(inputs[0])), cast(tensors["weight"]), cast(tensors.optional("bias")));
  }

  Slide slide_;
};

}  // namespace

std::unique_ptr<Layer> make_conv(const Scope& scope) { return std::make_unique<Convolution>(scope, false); }
std::unique_ptr<Layer> make_conv_transpose(const Scope& scope) { return std::make_unique<Convolution>(scope, true); }
std::unique_ptr<Layer> make_mixed_conv(const Scope& scope) { return std::make_unique<MixedConvolution>(scope, false); }
std::unique_ptr<Layer> make_mixed_conv_transpose(const Scope& scope) {
  return std::make_unique<MixedConvolution>(scope, true);
}

}  // namespace dlrun::nn
