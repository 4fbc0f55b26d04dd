// SPDX-License-Identifier: Apache-2.0
// LAMB (You et al., ICLR 2020, Algorithm 2, phi the identity): Adam with decoupled decay whose step in each tensor is
// as long as the tensor's norm, times the rate. A tensor of norm 0, or without a step, gets the plain rate.
#include <cmath>

#include "train/optimizers/method.hpp"
#include "util/clones.hpp"

namespace dlrun::train {

namespace {

struct LambSettings {
  float beta2, rest1, rest2;  ///< rest = 1 - beta
  float unbias1, root;        ///< 1 - beta1^t, sqrt(1 - beta2^t)
  float eps, weight_decay;
};

/// r[i] becomes the step's direction: m^ / (sqrt(v^) + eps) + lambda x.
DLRUN_CLONES void direct(const float* __restrict p, const float* __restrict g, float* __restrict m, float* __restrict v,
                         float* __restrict r, std::size_t n, LambSettings s) {
  for (std::size_t i = 0; i < n; ++i) {
    m[i] = m[i] + s.rest1 * (g[i] - m[i]);
    v[i] = s.beta2 * v[i] + s.rest2 * g[i] * g[i];
    r[i] = m[i] / s.unbias1 / (std::sqrt(v[i]) / s.root + s.eps) + s.weight_decay * p[i];
  }
}

DLRUN_CLONES void move(float* __restrict p, const float* __restrict r, std::size_t n, float rate) {
  for (std::size_t i = 0; i < n; ++i) p[i] -= rate * r[i];
}

class Lamb final : public Method<recipe::Lamb> {
 public:
  Lamb(const recipe::Lamb& config, const Layout& layout) : Method(config, layout), direction_(layout.size) {
    add_slot("exp_avg");
    add_slot("exp_avg_sq");
  }

 private:
  void update(const Part& part) override {
    const double beta1 = config().betas[0], beta2 = config().betas[1], step = double(part.step);
    const LambSettings settings{float(beta2),
                                float(1.0 - beta1),
                                float(1.0 - beta2),
                                float(1.0 - std::pow(beta1, step)),
                                float(std::sqrt(1.0 - std::pow(beta2, step))),
                                float(config().eps),
                                float(part.weight_decay)};
    float* direction = direction_.data() + part.offset;
    direct(part.p, part.g, slot(0, part), slot(1, part), direction, part.n, settings);
    const double size = norm(part.p, part.n), length = norm(direction, part.n);
    const double trust = size > 0 && length > 0 ? size / length : 1;
    move(part.p, direction, part.n, float(part.lr * trust));
  }

  std::vector<float> direction_;
};

}  // namespace

template <>
struct ClassOf<recipe::Lamb> {
  using type = Lamb;
};
template std::unique_ptr<Optimizer> make_method(const recipe::Lamb&, Layout);

}  // namespace dlrun::train
