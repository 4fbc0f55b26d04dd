// SPDX-License-Identifier: Apache-2.0
// NAdam (Dozat, ICLR workshop 2016): Adam that looks ahead along its momentum, which rises by mu_t =
// beta1 (1 - 0.96^(t psi) / 2); with PyTorch's order of operations, coupled or decoupled decay.
#include <cmath>

#include "train/optimizers/method.hpp"
#include "util/clones.hpp"

namespace dlrun::train {

namespace {

struct NadamSettings {
  float beta2, rest1, rest2;  ///< rest = 1 - beta
  float root;                 ///< sqrt(1 - beta2^t)
  float eps, l2, shrink;
  float by_gradient, by_mean;  ///< step sizes along the gradient and along its running mean
};

DLRUN_CLONES void run_nadam(float* __restrict p, const float* __restrict grads, float* __restrict m,
                            float* __restrict v, std::size_t n, NadamSettings s) {
  for (std::size_t i = 0; i < n; ++i) {
    const float shrunk = p[i] * s.shrink;
    const float g = grads[i] + s.l2 * shrunk;
    m[i] = m[i] + s.rest1 * (g - m[i]);
    v[i] = s.beta2 * v[i] + s.rest2 * g * g;
    const float denominator = std::sqrt(v[i]) / s.root + s.eps;
    p[i] = shrunk - s.by_gradient * g / denominator - s.by_mean * m[i] / denominator;
  }
}

class NAdam final : public Method<recipe::NAdam> {
 public:
  NAdam(const recipe::NAdam& config, const Layout& layout) : Method(config, layout) {
    add_slot("exp_avg");
    add_slot("exp_avg_sq");
  }

 private:
  double mu(std::int64_t step) const {
    return config().betas[0] * (1.0 - 0.5 * std::pow(0.96, double(step) * config().momentum_decay));
  }

  /// mu_1 ... mu_t, multiplied in this order whether in one go or after a resume.
  double product_until(std::int64_t step) {
    if (product_step_ > step) product_ = 1, product_step_ = 0;
    while (product_step_ < step) product_ *= mu(++product_step_);
    return product_;
  }

  void update(const Part& part) override {
    const double product = product_until(part.step), next = mu(part.step + 1);
    const double beta1 = config().betas[0], beta2 = config().betas[1];
    const bool decoupled = config().decoupled;
    const NadamSettings settings{float(beta2),
                                 float(1.0 - beta1),
                                 float(1.0 - beta2),
                                 float(std::sqrt(1.0 - std::pow(beta2, double(part.step)))),
                                 float(config().eps),
                                 decoupled ? 0.0f : float(part.weight_decay),
                                 decoupled ? float(1.0 - part.lr * part.weight_decay) : 1.0f,
                                 float(part.lr * (1.0 - mu(part.step)) / (1.0 - product)),
                                 float(part.lr * next / (1.0 - product * next))};
    run_nadam(part.p, part.g, slot(0, part), slot(1, part), part.n, settings);
  }

  double product_ = 1;
  std::int64_t product_step_ = 0;
};

}  // namespace

template <>
struct ClassOf<recipe::NAdam> {
  using type = NAdam;
};
template std::unique_ptr<Optimizer> make_method(const recipe::NAdam&, Layout);

}  // namespace dlrun::train
