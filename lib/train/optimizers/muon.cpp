// SPDX-License-Identifier: Apache-2.0
// Muon (Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks"): the step of a hidden matrix is
// its momentum, made nearly orthogonal by five Newton-Schulz steps. Formulas and defaults are torch.optim.Muon's with
// adjust_lr_fn "original", but in float32 where PyTorch takes bfloat16. All other tensors are moved by AdamW.
#include <algorithm>
#include <cmath>

#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>

#include "train/optimizers/adam.hpp"

namespace dlrun::train {

namespace {

constexpr double kA = 3.4445, kB = -4.7750, kC = 2.0315;  ///< x becomes a x + b x^3 + c x^5 of singular values
constexpr int kNewtonSchulzSteps = 5;
constexpr double kLeastNorm = 1e-7;

/// As torch.lerp rounds it.
float interpolated(float from, float to, float weight) {
  return weight < 0.5f ? from + weight * (to - from) : to - (to - from) * (1 - weight);
}

/// The matrix with its singular values brought near 1. @param x  [rows, columns] float32
at::Tensor orthogonal(at::Tensor x) {
  const bool is_tall = x.size(0) > x.size(1);
  if (is_tall) x = x.t();
  for (int step = 0; step < kNewtonSchulzSteps; ++step) {
    const at::Tensor gram = at::mm(x, x.t());
    x = at::addmm(x, at::addmm(gram, gram, gram, kB, kC), x, kA);
  }
  return (is_tall ? x.t() : x).contiguous();
}

/// The tensors of AdamW have its two slots; a hidden matrix has its momentum in the first one.
class Muon final : public Adam {
 public:
  Muon(const recipe::Muon& config, const Layout& layout)
      : Adam({.betas = config.betas, .eps = config.eps}, layout, true), config_(config) {}

 private:
  void update(const Part& part) override {
    if (part.rows > 0) return update_hidden(part);
    Part rest = part;
    rest.lr *= config_.adamw_lr;
    Adam::update(rest);
  }

  void update_hidden(const Part& part) {
    const auto rows = std::int64_t(part.rows), columns = std::int64_t(part.n / part.rows);
    const at::Tensor step = orthogonal(direction(part).view({rows, columns}));
    const auto* u = step.const_data_ptr<float>();
    const auto shrink = float(1.0 - part.lr * part.weight_decay);
    const auto length = float(part.lr * std::sqrt(std::max(1.0, double(rows) / double(columns))));
    for (std::size_t i = 0; i < part.n; ++i) part.p[i] = part.p[i] * shrink - length * u[i];
  }

  /// Moves the momentum. @return [n] of norm 1: the direction of the momentum, or of its look ahead
  at::Tensor direction(const Part& part) {
    const auto momentum = float(part.momentum.value_or(config_.momentum));
    const at::Tensor ahead = at::empty({std::int64_t(part.n)}, at::kFloat);
    auto* out = ahead.mutable_data_ptr<float>();
    float* m = slot(0, part);
    for (std::size_t i = 0; i < part.n; ++i) {
      m[i] = interpolated(m[i], part.g[i], 1 - momentum);
      out[i] = config_.nesterov ? interpolated(part.g[i], m[i], momentum) : m[i];
    }
    const auto size = float(std::max(norm(out, part.n), kLeastNorm));
    for (std::size_t i = 0; i < part.n; ++i) out[i] /= size;
    return ahead;
  }

  recipe::Muon config_;
};

}  // namespace

template <>
struct ClassOf<recipe::Muon> {
  using type = Muon;
};
template std::unique_ptr<Optimizer> make_method(const recipe::Muon&, Layout);

}  // namespace dlrun::train
