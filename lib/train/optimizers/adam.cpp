// SPDX-License-Identifier: Apache-2.0
// Adam (Kingma, Ba, ICLR 2015; decay added to the gradient), AdamW (Loshchilov, Hutter, ICLR 2019; decay of the weights
// themselves, scaled by the rate) and AMSGrad (Reddi, Kale, Kumar, ICLR 2018), with PyTorch's order of operations.
#include <algorithm>
#include <cmath>

#include "train/optimizers/adam.hpp"
#include "util/clones.hpp"

namespace dlrun::train {

namespace {

struct AdamSettings {
  float beta2, rest1, rest2;  ///< rest = 1 - beta
  float step_size;            ///< lr / (1 - beta1^t)
  float root;                 ///< sqrt(1 - beta2^t)
  float eps;
  float l2;      ///< Adam: weight_decay; AdamW: 0
  float shrink;  ///< AdamW: 1 - lr * weight_decay; Adam: 1
};

DLRUN_CLONES void plain(float* __restrict p, const float* __restrict grads, float* __restrict m, float* __restrict v,
                        std::size_t n, AdamSettings s) {
  for (std::size_t i = 0; i < n; ++i) {
    const float shrunk = p[i] * s.shrink;
    const float g = grads[i] + s.l2 * shrunk;
    m[i] = m[i] + s.rest1 * (g - m[i]);
    v[i] = s.beta2 * v[i] + s.rest2 * g * g;
    p[i] = shrunk - s.step_size * m[i] / (std::sqrt(v[i]) / s.root + s.eps);
  }
}

DLRUN_CLONES void amsgrad(float* __restrict p, const float* __restrict grads, float* __restrict m, float* __restrict v,
                          float* __restrict most, std::size_t n, AdamSettings s) {
  for (std::size_t i = 0; i < n; ++i) {
    const float shrunk = p[i] * s.shrink;
    const float g = grads[i] + s.l2 * shrunk;
    m[i] = m[i] + s.rest1 * (g - m[i]);
    v[i] = s.beta2 * v[i] + s.rest2 * g * g;
    most[i] = most[i] < v[i] ? v[i] : most[i];
    p[i] = shrunk - s.step_size * m[i] / (std::sqrt(most[i]) / s.root + s.eps);
  }
}

}  // namespace

void Adam::update(const Part& part) {
  const double beta1 = part.momentum.value_or(config().betas[0]), beta2 = config().betas[1];
  const double rest = 1.0 - std::pow(beta1, double(part.step));
  const double rest_sq = 1.0 - std::pow(beta2, double(part.step));
  const AdamSettings settings{float(beta2),
                              float(1.0 - beta1),
                              float(1.0 - beta2),
                              float(part.lr / rest),
                              float(std::sqrt(rest_sq)),
                              float(config().eps),
                              is_decoupled_ ? 0.0f : float(part.weight_decay),
                              is_decoupled_ ? float(1.0 - part.lr * part.weight_decay) : 1.0f};
  float *m = slot(0, part), *v = slot(1, part);
  if (config().amsgrad) return amsgrad(part.p, part.g, m, v, slot(2, part), part.n, settings);
  plain(part.p, part.g, m, v, part.n, settings);
}

namespace {

class AdamW final : public Adam {
 public:
  AdamW(const recipe::AdamW& config, const Layout& layout) : Adam(config, layout, true) {}
};

}  // namespace

template <>
struct ClassOf<recipe::Adam> {
  using type = Adam;
};
template std::unique_ptr<Optimizer> make_method(const recipe::Adam&, Layout);

template <>
struct ClassOf<recipe::AdamW> {
  using type = AdamW;
};
template std::unique_ptr<Optimizer> make_method(const recipe::AdamW&, Layout);

}  // namespace dlrun::train
