// SPDX-License-Identifier: Apache-2.0
// Adamax (Kingma, Ba, ICLR 2015, section 7.1): Adam under the infinity norm, with PyTorch's order of operations.
#include <cmath>

#include "train/optimizers/method.hpp"
#include "util/clones.hpp"

namespace dlrun::train {

namespace {

struct AdamaxSettings {
  float beta2, rest1, eps, l2;
  float step_size;  ///< lr / (1 - beta1^t)
};

DLRUN_CLONES void run_adamax(float* __restrict p, const float* __restrict grads, float* __restrict m,
                             float* __restrict u, std::size_t n, AdamaxSettings s) {
  for (std::size_t i = 0; i < n; ++i) {
    const float g = grads[i] + s.l2 * p[i];
    m[i] = m[i] + s.rest1 * (g - m[i]);
    const float kept = s.beta2 * u[i], fresh = std::fabs(g) + s.eps;
    u[i] = kept > fresh ? kept : fresh;
    p[i] -= s.step_size * m[i] / u[i];
  }
}

class Adamax final : public Method<recipe::Adamax> {
 public:
  Adamax(const recipe::Adamax& config, const Layout& layout) : Method(config, layout) {
    add_slot("exp_avg");
    add_slot("exp_inf");
  }

 private:
  void update(const Part& part) override {
    const double beta1 = config().betas[0];
    const AdamaxSettings settings{float(config().betas[1]), float(1.0 - beta1), float(config().eps),
                                  float(part.weight_decay),
                                  float(part.lr / (1.0 - std::pow(beta1, double(part.step))))};
    run_adamax(part.p, part.g, slot(0, part), slot(1, part), part.n, settings);
  }
};

}  // namespace

template <>
struct ClassOf<recipe::Adamax> {
  using type = Adamax;
};
template std::unique_ptr<Optimizer> make_method(const recipe::Adamax&, Layout);

}  // namespace dlrun::train
