// SPDX-License-Identifier: Apache-2.0
// dropout: in training each element is 0 with probability p, else scaled by 1 / (1 - p). Which ones is a function of
// (seed, replicate, node name, optimiser step, place in the batch) alone: no global generator, nothing to save.
#include <cmath>

#include <ATen/ops/empty_like.h>

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

class Dropout final : public UnaryLayer {
 public:
  explicit Dropout(const Scope& scope)
      : p_(scope.number("p", 0.5)),
        key_(RandomStream(scope.streams().seed,
                          {"dropout", std::to_string(scope.streams().replicate), scope.node().name})
                 .key()) {
    if (!(p_ >= 0 && p_ < 1)) throw Error(ErrorKind::usage, "layer '" + scope.node().name + "': p must be in [0, 1)");
  }

  at::Tensor forward(const at::Tensor& input, const Pass& pass) override {
    mask_.reset();
    if (!pass.training || p_ == 0) return input;
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
    philox_fill(key_, step, words.data(), count);
    float* mask = mask_.mutable_data_ptr<float>();
    const auto threshold = std::uint32_t(std::lround(p_ * 4294967295.0));
    const auto scale = float(1.0 / (1.0 - p_));
    for (std::size_t done = 0; done < count; done += kChunk) {
      const std::size_t size = std::min(kChunk, count - done);
      apply(x + done, words.data() + done, threshold, scale, y + done, mask + done, size);
    }
  }

  double p_;
  std::array<std::uint32_t, 2> key_;
  at::Tensor mask_;
};

}  // namespace

std::unique_ptr<Layer> make_dropout(const Scope& scope) { return std::make_unique<Dropout>(scope); }

}  // namespace dlrun::nn
