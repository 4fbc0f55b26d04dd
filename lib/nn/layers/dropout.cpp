// SPDX-License-Identifier: Apache-2.0
// dropout: in training each element (dropout2d: each channel, drop_path: each example) is 0 with probability p, else
// scaled by 1 / (1 - p). Which ones is a function of (seed, replicate, node name, optimiser step, place in the batch)
// alone: no global generator, nothing to save.
#include <algorithm>
#include <cmath>

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mul.h>

#include "nn/autograd_layer.hpp"
#include "nn/dropout_mask.hpp"
#include "nn/layers/layers.hpp"
#include "nn/philox_fill.hpp"
#include "util/error.hpp"
#include "util/random.hpp"

namespace dlrun::nn {

namespace {

constexpr std::size_t kChunk = 1024;  // words drawn at a time: stays in the first cache

/// y = x where a word is at least `threshold`, scaled; else 0. `mask` keeps the factor for backward.
void apply(const float* x, const std::uint32_t* words, std::uint32_t threshold, float scale, float* y, float* mask,
           std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    mask[i] = words[i] >= threshold ? scale : 0.0f;
    y[i] = x[i] * mask[i];
  }
}

/// The stream of the node and p. @throws Error(usage) unless p lies in [0, 1).
struct Draws {
  explicit Draws(const Scope& scope)
      : p(scope.number("p")),
        key(RandomStream(scope.streams().seed,
                         {"dropout", std::to_string(scope.streams().replicate), scope.node().name})
                .key()) {
    if (!(p >= 0 && p < 1)) throw Error(ErrorKind::usage, "layer '" + scope.node().name + "': p must be in [0, 1)");
  }

  std::uint32_t threshold() const { return std::uint32_t(std::lround(p * 4294967295.0)); }
  float scale() const { return float(1.0 / (1.0 - p)); }

  double p;
  std::array<std::uint32_t, 2> key;
};

class Dropout final : public UnaryLayer {
 public:
  explicit Dropout(const Scope& scope) : draws_(scope) {}

  at::Tensor forward(const at::Tensor& input, const Pass& pass) override {
    mask_.reset();
    if (!pass.training || draws_.p == 0) return input;
    const at::Tensor x = input.contiguous();
    at::Tensor y = at::empty_like(x);
    mask_ = at::empty_like(x);
    fill(x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), std::size_t(x.numel()), std::uint64_t(pass.step));
    return y;
  }

  at::Tensor backward(const at::Tensor& grad, bool wanted) override {
    if (!wanted) return {};
    return mask_.defined() ? mask_.mul_(grad) : grad;
  }

 private:
  void fill(const float* x, float* y, std::size_t count, std::uint64_t step) {
    std::vector<std::uint32_t> words(count);
    philox_fill(draws_.key, step, words.data(), count);
    float* mask = mask_.mutable_data_ptr<float>();
    const std::uint32_t threshold = draws_.threshold();
    const float scale = draws_.scale();
    for (std::size_t done = 0; done < count; done += kChunk) {
      const std::size_t size = std::min(kChunk, count - done);
      apply(x + done, words.data() + done, threshold, scale, y + done, mask + done, size);
    }
  }

  Draws draws_;
  at::Tensor mask_;
};

/// One draw for each of the first `dims` sizes' places, batch included; the rest shares it.
class BlockDropout final : public UnaryLayer {
 public:
  BlockDropout(const Scope& scope, std::size_t dims) : draws_(scope), dims_(dims) {}

  at::Tensor forward(const at::Tensor& x, const Pass& pass) override {
    mask_.reset();
    if (!pass.training || draws_.p == 0) return x;
    std::vector<std::int64_t> sizes(std::size_t(x.dim()), 1);
    std::copy_n(x.sizes().begin(), dims_, sizes.begin());
    const at::Tensor drawn = at::empty(sizes, at::kFloat);
    std::vector<std::uint32_t> words(std::size_t(drawn.numel()));
    philox_fill(draws_.key, std::uint64_t(pass.step), words.data(), words.size());
    float* mask = drawn.mutable_data_ptr<float>();
    for (std::size_t i = 0; i < words.size(); ++i) mask[i] = words[i] >= draws_.threshold() ? draws_.scale() : 0.0f;
    mask_ = drawn.to(x.device());
    return at::mul(x, mask_);
  }

  at::Tensor backward(const at::Tensor& grad, bool wanted) override {
    if (!wanted) return {};
    return mask_.defined() ? at::mul(grad, mask_) : grad;
  }

 private:
  Draws draws_;
  std::size_t dims_;
  at::Tensor mask_;
};

/// With the mask drawn on the CPU: the same one on every device.
class DropoutElsewhere final : public AutogradLayer {
 public:
  explicit DropoutElsewhere(const Scope& scope) : AutogradLayer(scope), mask_(scope, "", Draws(scope).p) {}

 private:
  at::Tensor compute(c10::ArrayRef<at::Tensor> inputs, const Tensors&, const Pass& pass) override {
    return mask_.apply(inputs[0], pass);
  }

  DropoutMask mask_;
};

}  // namespace

std::unique_ptr<Layer> make_dropout(const Scope& scope) {
  if (!scope.is_on_cpu()) return std::make_unique<DropoutElsewhere>(scope);
  return std::make_unique<Dropout>(scope);
}
std::unique_ptr<Layer> make_dropout2d(const Scope& scope) { return std::make_unique<BlockDropout>(scope, 2); }
std::unique_ptr<Layer> make_drop_path(const Scope& scope) { return std::make_unique<BlockDropout>(scope, 1); }

}  // namespace dlrun::nn
