// SPDX-License-Identifier: Apache-2.0
// Lion (Chen et al., NeurIPS 2023, Algorithm 2): steps of equal length along the sign of an interpolated momentum, with
// decoupled decay.
#include "train/optimizers/method.hpp"
#include "util/clones.hpp"

namespace dlrun::train {

namespace {

struct LionSettings {
  float lr, shrink, beta1, rest1, beta2, rest2;  ///< rest = 1 - beta; shrink = 1 - lr * weight_decay
};

DLRUN_CLONES void run_lion(float* __restrict p, const float* __restrict g, float* __restrict m, std::size_t n,
                           LionSettings s) {
  for (std::size_t i = 0; i < n; ++i) {
    const float c = s.beta1 * m[i] + s.rest1 * g[i];
    const float sign = c > 0 ? 1.0f : c < 0 ? -1.0f : c;  // a NaN stays one
    p[i] = p[i] * s.shrink - s.lr * sign;
    m[i] = s.beta2 * m[i] + s.rest2 * g[i];
  }
}

class Lion final : public Method<recipe::Lion> {
 public:
  Lion(const recipe::Lion& config, const Layout& layout) : Method(config, layout) { add_slot("exp_avg"); }

 private:
  void update(const Part& part) override {
    const double beta1 = config().betas[0], beta2 = config().betas[1];
    run_lion(part.p, part.g, slot(0, part), part.n,
             {float(part.lr), float(1.0 - part.lr * part.weight_decay), float(beta1), float(1.0 - beta1), float(beta2),
              float(1.0 - beta2)});
  }
};

}  // namespace

template <>
struct ClassOf<recipe::Lion> {
  using type = Lion;
};
template std::unique_ptr<Optimizer> make_method(const recipe::Lion&, Layout);

}  // namespace dlrun::train
