// SPDX-License-Identifier: Apache-2.0
// LARS (You, Gitman, Ginsburg, arXiv:1708.03888, Algorithm 1): momentum with a rate for each tensor, lambda = eta |w| /
// (|g| + beta |w|), inside of the velocity as there. A tensor whose weights or gradients are 0 gets lambda 1.
#include "train/optimizers/method.hpp"
#include "util/clones.hpp"

namespace dlrun::train {

namespace {

struct LarsSettings {
  float rate, momentum, weight_decay;
};

DLRUN_CLONES void run_lars(float* __restrict p, const float* __restrict g, float* __restrict v, std::size_t n,
                           LarsSettings s) {
  for (std::size_t i = 0; i < n; ++i) {
    v[i] = s.momentum * v[i] + s.rate * (g[i] + s.weight_decay * p[i]);
    p[i] -= v[i];
  }
}

class Lars final : public Method<recipe::Lars> {
 public:
  Lars(const recipe::Lars& config, const Layout& layout) : Method(config, layout) { add_slot("momentum"); }

 private:
  void update(const Part& part) override {
    const double weights = norm(part.p, part.n), gradients = norm(part.g, part.n);
    const double trust = weights > 0 && gradients > 0
                             ? config().trust * weights / (gradients + part.weight_decay * weights + config().eps)
                             : 1;
    run_lars(part.p, part.g, slot(0, part), part.n,
             {float(part.lr * trust), float(part.momentum.value_or(config().momentum)), float(part.weight_decay)});
  }
};

}  // namespace

template <>
struct ClassOf<recipe::Lars> {
  using type = Lars;
};
template std::unique_ptr<Optimizer> make_method(const recipe::Lars&, Layout);

}  // namespace dlrun::train
