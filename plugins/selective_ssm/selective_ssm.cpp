// SPDX-License-Identifier: Apache-2.0
// Selective state space block: Gu, Dao, "Mamba: Linear-Time Sequence Modeling with Selective State Spaces", 2023
// (arXiv:2312.00752), section 3.4 and algorithm 2; letters as there. Of a sequence u [B, L, D]:
//   x, z = in_proj(u)                                x = silu(causal depthwise convolution of x)
//   delta, B_t, C_t = x_proj(x)                      dt = softplus(dt_proj(delta)),  A = -exp(A_log)
//   h_t = exp(dt_t A) h_{t-1} + dt_t B_t x_t         y_t = C_t h_t + D x_t
//   output = out_proj(y * silu(z))
// The scan goes position by position: a step of it is one operation over batch, channels and state.
#include <cmath>
#include <dlrun/plugin/layer.hpp>

namespace {

using dlrun::plugin::LayerFacts;
using dlrun::plugin::Pass;
using dlrun::plugin::Random;
using dlrun::plugin::Tensors;

/// Step sizes at the start: the softplus of dt_proj's bias is log-uniform between these (section 3.6).
constexpr double kLeastStep = 0.001, kGreatestStep = 0.1;

class SelectiveSsm final : public dlrun::plugin::Layer {
 public:
  explicit SelectiveSsm(const LayerFacts& facts)
      : inner_(facts.size("inner")),
        rank_(facts.size("rank")),
        state_(facts.size("state")),
        conv_(facts.size("conv")) {}

  at::Tensor run(const std::vector<at::Tensor>& inputs, const Tensors& tensors, const Pass&) override {
    const at::Tensor both = at::linear(inputs[0], tensors["in_proj.weight"]);
    const at::Tensor x = at::silu(convolved(both.narrow(2, 0, inner_), tensors)), z = both.narrow(2, inner_, inner_);
    return at::linear(scanned(x, tensors) * at::silu(z), tensors["out_proj.weight"]);
  }

  void initialise(const std::string& name, at::Tensor& tensor, Random& random) override {
    if (name == "A_log")
      return tensor.copy_(at::arange(1, state_ + 1, tensor.options()).log().expand_as(tensor)), void();
    dlrun::plugin::fill(tensor, [&] {
      const double low = std::log(kLeastStep), high = std::log(kGreatestStep);
      const double step = std::exp(low + random.uniform() * (high - low));
      return step + std::log(-std::expm1(-step));  // the inverse of softplus
    });
  }

 private:
  /// [B, L, inner]; position t sees t - conv + 1 to t.
  at::Tensor convolved(const at::Tensor& x, const Tensors& tensors) const {
    const at::Tensor channels =
        at::conv1d(x.transpose(1, 2), tensors["conv.weight"], tensors["conv.bias"], 1, conv_ - 1, 1, inner_);
    return channels.narrow(2, 0, x.size(1)).transpose(1, 2);
  }

  /// y [B, L, inner] of x [B, L, inner], in float32 whatever the precision around it.
  at::Tensor scanned(const at::Tensor& x, const Tensors& tensors) const {
    const at::Tensor chosen = at::linear(x, tensors["x_proj.weight"]);
    const at::Tensor low = at::linear(chosen.narrow(2, 0, rank_), tensors["dt_proj.weight"], tensors["dt_proj.bias"]);
    const at::Tensor dt = at::softplus(low.to(at::kFloat)), values = x.to(at::kFloat);
    const at::Tensor b = chosen.narrow(2, rank_, state_).to(at::kFloat);
    const at::Tensor c = chosen.narrow(2, rank_ + state_, state_).to(at::kFloat);
    const at::Tensor keeps = at::exp(dt.unsqueeze(3) * -at::exp(tensors["A_log"]));  // [B, L, inner, state]
    const at::Tensor adds = (dt * values).unsqueeze(3) * b.unsqueeze(2);
    at::Tensor h = at::zeros({x.size(0), inner_, state_}, values.options());
    std::vector<at::Tensor> y;
    for (std::int64_t t = 0; t < x.size(1); ++t) {
      h = keeps.select(1, t) * h + adds.select(1, t);
      y.push_back(at::matmul(h, c.select(1, t).unsqueeze(2)).squeeze(2));
    }
    return at::stack(y, 1) + values * tensors["D"];
  }

  std::int64_t inner_, rank_, state_, conv_;
};

}  // namespace

DLRUN_LAYER(SelectiveSsm)
