// SPDX-License-Identifier: Apache-2.0
// RAdam (Liu et al., ICLR 2020): Adam whose adaptive rate is held back until its variance is known; the first steps are
// plain momentum. With PyTorch's order of operations, coupled or decoupled decay.
#include <cmath>

#include "train/optimizers/method.hpp"
#include "util/clones.hpp"

namespace dlrun::train {

namespace {

struct RadamSettings {
  float beta2, rest1, rest2;  ///< rest = 1 - beta
  float eps, l2, shrink;
  float step_size;  ///< lr / (1 - beta1^t)
  float adaptive;   ///< rectification times sqrt(1 - beta2^t); 0: not adaptive yet
};

DLRUN_CLONES void run_radam(float* __restrict p, const float* __restrict grads, float* __restrict m,
                            float* __restrict v, std::size_t n, RadamSettings s) {
  for (std::size_t i = 0; i < n; ++i) {
    const float shrunk = p[i] * s.shrink;
    const float g = grads[i] + s.l2 * shrunk;
    m[i] = m[i] + s.rest1 * (g - m[i]);
    v[i] = s.beta2 * v[i] + s.rest2 * g * g;
    const float rate = s.adaptive > 0 ? s.adaptive / (std::sqrt(v[i]) + s.eps) : 1.0f;
    p[i] = shrunk - s.step_size * m[i] * rate;
  }
}

/// r_t sqrt(1 - beta2^t), or 0 while the length of the approximated average is at most 5.
double rectified(double beta2, double step) {
  const double power = std::pow(beta2, step), longest = 2.0 / (1.0 - beta2) - 1.0;
  const double length = longest - 2.0 * step * power / (1.0 - power);
  if (!(length > 5.0)) return 0;
  const double rectification =
      std::sqrt((length - 4.0) * (length - 2.0) * longest / ((longest - 4.0) * (longest - 2.0) * length));
  return rectification * std::sqrt(1.0 - power);
}

class RAdam final : public Method<recipe::RAdam> {
 public:
  RAdam(const recipe::RAdam& config, const Layout& layout) : Method(config, layout) {
    add_slot("exp_avg");
    add_slot("exp_avg_sq");
  }

 private:
  void update(const Part& part) override {
    const double beta1 = config().betas[0], beta2 = config().betas[1];
    const bool decoupled = config().decoupled;
    const RadamSettings settings{float(beta2),
                                 float(1.0 - beta1),
                                 float(1.0 - beta2),
                                 float(config().eps),
                                 decoupled ? 0.0f : float(part.weight_decay),
                                 decoupled ? float(1.0 - part.lr * part.weight_decay) : 1.0f,
                                 float(part.lr / (1.0 - std::pow(beta1, double(part.step)))),
                                 float(rectified(beta2, double(part.step)))};
    run_radam(part.p, part.g, slot(0, part), slot(1, part), part.n, settings);
  }
};

}  // namespace

template <>
struct ClassOf<recipe::RAdam> {
  using type = RAdam;
};
template std::unique_ptr<Optimizer> make_method(const recipe::RAdam&, Layout);

}  // namespace dlrun::train
