// SPDX-License-Identifier: Apache-2.0
// Adagrad (Duchi, Hazan, Singer, JMLR 2011), with PyTorch's decaying rate and order of operations.
#include <cmath>

#include "train/optimizers/method.hpp"
#include "util/clones.hpp"

namespace dlrun::train {

namespace {

struct AdagradSettings {
  float lr, eps, weight_decay;
};

DLRUN_CLONES void run_adagrad(float* __restrict p, const float* __restrict grads, float* __restrict sum, std::size_t n,
                              AdagradSettings s) {
  for (std::size_t i = 0; i < n; ++i) {
    const float g = grads[i] + s.weight_decay * p[i];
    sum[i] = sum[i] + g * g;
    p[i] -= s.lr * g / (std::sqrt(sum[i]) + s.eps);
  }
}

class Adagrad final : public Method<recipe::Adagrad> {
 public:
  Adagrad(const recipe::Adagrad& config, const Layout& layout) : Method(config, layout) {
    add_slot("sum", float(config.initial_accumulator_value));
  }

 private:
  void update(const Part& part) override {
    const double lr = part.lr / (1.0 + double(part.step - 1) * config().lr_decay);
    run_adagrad(part.p, part.g, slot(0, part), part.n, {float(lr), float(config().eps), float(part.weight_decay)});
  }
};

}  // namespace

template <>
struct ClassOf<recipe::Adagrad> {
  using type = Adagrad;
};
template std::unique_ptr<Optimizer> make_method(const recipe::Adagrad&, Layout);

}  // namespace dlrun::train
