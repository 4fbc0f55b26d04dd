// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent with momentum (Sutskever et al., ICML 2013, in PyTorch's form: the rate is outside of the
// velocity), dampening, Nesterov's variant and L2 weight decay.
#include "train/optimizers/method.hpp"
#include "util/clones.hpp"

namespace dlrun::train {

namespace {

struct SgdSettings {
  float lr, momentum, weight_decay;
  float share;  ///< weight of the gradient in the velocity: 1 - dampening, but 1 in the first step
};

DLRUN_CLONES void plain(float* __restrict p, const float* __restrict g, std::size_t n, SgdSettings s) {
  for (std::size_t i = 0; i < n; ++i) p[i] -= s.lr * (g[i] + s.weight_decay * p[i]);
}

DLRUN_CLONES void heavy_ball(float* __restrict p, const float* __restrict g, float* __restrict v, std::size_t n,
                             SgdSettings s) {
  for (std::size_t i = 0; i < n; ++i) {
    v[i] = s.momentum * v[i] + s.share * (g[i] + s.weight_decay * p[i]);
    p[i] -= s.lr * v[i];
  }
}

DLRUN_CLONES void nesterov(float* __restrict p, const float* __restrict g, float* __restrict v, std::size_t n,
                           SgdSettings s) {
  for (std::size_t i = 0; i < n; ++i) {
    const float d = g[i] + s.weight_decay * p[i];
    v[i] = s.momentum * v[i] + s.share * d;
    p[i] -= s.lr * (d + s.momentum * v[i]);
  }
}

class Sgd final : public Method<recipe::Sgd> {
 public:
  Sgd(const recipe::Sgd& config, const Layout& layout) : Method(config, layout) {
    if (config.momentum != 0) add_slot("momentum");
  }

 private:
  void update(const Part& part) override {
    const SgdSettings settings{float(part.lr), float(part.momentum.value_or(config().momentum)),
                               float(part.weight_decay), part.step == 1 ? 1.0f : float(1.0 - config().dampening)};
    if (slots().empty()) return plain(part.p, part.g, part.n, settings);
    float* velocity = slot(0, part);
    if (config().nesterov) return nesterov(part.p, part.g, velocity, part.n, settings);
    heavy_ball(part.p, part.g, velocity, part.n, settings);
  }
};

}  // namespace

template <>
struct ClassOf<recipe::Sgd> {
  using type = Sgd;
};
template std::unique_ptr<Optimizer> make_method(const recipe::Sgd&, Layout);

}  // namespace dlrun::train
