// SPDX-License-Identifier: Apache-2.0
// Adadelta (Zeiler, arXiv:1212.5701, Algorithm 1), with PyTorch's rate and order of operations.
#include <cmath>

#include "train/optimizers/method.hpp"
#include "util/clones.hpp"

namespace dlrun::train {

namespace {

struct AdadeltaSettings {
  float lr, rho, rest, eps, weight_decay;  ///< rest = 1 - rho
};

DLRUN_CLONES void run_adadelta(float* __restrict p, const float* __restrict grads, float* __restrict square,
                               float* __restrict moved, std::size_t n, AdadeltaSettings s) {
  for (std::size_t i = 0; i < n; ++i) {
    const float g = grads[i] + s.weight_decay * p[i];
    square[i] = s.rho * square[i] + s.rest * g * g;
    const float delta = std::sqrt(moved[i] + s.eps) / std::sqrt(square[i] + s.eps) * g;
    moved[i] = s.rho * moved[i] + s.rest * delta * delta;
    p[i] -= s.lr * delta;
  }
}

class Adadelta final : public Method<recipe::Adadelta> {
 public:
  Adadelta(const recipe::Adadelta& config, const Layout& layout) : Method(config, layout) {
    add_slot("square_avg");
    add_slot("acc_delta");
  }

 private:
  void update(const Part& part) override {
    const AdadeltaSettings settings{float(part.lr), float(config().rho), float(1.0 - config().rho), float(config().eps),
                                    float(part.weight_decay)};
    run_adadelta(part.p, part.g, slot(0, part), slot(1, part), part.n, settings);
  }
};

}  // namespace

template <>
struct ClassOf<recipe::Adadelta> {
  using type = Adadelta;
};
template std::unique_ptr<Optimizer> make_method(const recipe::Adadelta&, Layout);

}  // namespace dlrun::train
