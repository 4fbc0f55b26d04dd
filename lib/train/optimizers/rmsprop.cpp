// SPDX-License-Identifier: Apache-2.0
// RMSprop (Hinton, lecture 6e, 2012), centered as in Graves, arXiv:1308.0850, with momentum; PyTorch's form, where eps
// stands outside of the root.
#include <cmath>

#include "train/optimizers/method.hpp"
#include "util/clones.hpp"

namespace dlrun::train {

namespace {

struct RmspropSettings {
  float lr, alpha, rest, eps, momentum, weight_decay;  ///< rest = 1 - alpha
};

/// scaled[i] becomes the gradient over the root of its running mean square.
DLRUN_CLONES void scale(const float* __restrict p, const float* __restrict grads, float* __restrict square,
                        float* __restrict scaled, std::size_t n, RmspropSettings s) {
  for (std::size_t i = 0; i < n; ++i) {
    const float g = grads[i] + s.weight_decay * p[i];
    square[i] = s.alpha * square[i] + s.rest * g * g;
    scaled[i] = g / (std::sqrt(square[i]) + s.eps);
  }
}

/// The same, over the running standard deviation. Rounding may bring the variance below 0: it counts as 0 then.
DLRUN_CLONES void scale_centered(const float* __restrict p, const float* __restrict grads, float* __restrict square,
                                 float* __restrict mean, float* __restrict scaled, std::size_t n, RmspropSettings s) {
  for (std::size_t i = 0; i < n; ++i) {
    const float g = grads[i] + s.weight_decay * p[i];
    square[i] = s.alpha * square[i] + s.rest * g * g;
    mean[i] = mean[i] + s.rest * (g - mean[i]);
    const float variance = square[i] - mean[i] * mean[i];
    scaled[i] = g / (std::sqrt(variance < 0 ? 0.0f : variance) + s.eps);
  }
}

DLRUN_CLONES void move(float* __restrict p, const float* __restrict scaled, std::size_t n, RmspropSettings s) {
  for (std::size_t i = 0; i < n; ++i) p[i] -= s.lr * scaled[i];
}

DLRUN_CLONES void move_by(float* __restrict p, const float* __restrict scaled, float* __restrict v, std::size_t n,
                          RmspropSettings s) {
  for (std::size_t i = 0; i < n; ++i) {
    v[i] = s.momentum * v[i] + scaled[i];
    p[i] -= s.lr * v[i];
  }
}

class RmsProp final : public Method<recipe::RmsProp> {
 public:
  RmsProp(const recipe::RmsProp& config, const Layout& layout) : Method(config, layout), scaled_(layout.size) {
    add_slot("square_avg");
    if (config.centered) add_slot("grad_avg");
    if (config.momentum != 0) add_slot("momentum_buffer");
  }

 private:
  void update(const Part& part) override {
    const RmspropSettings settings{float(part.lr),
                                   float(config().alpha),
                                   float(1.0 - config().alpha),
                                   float(config().eps),
                                   float(part.momentum.value_or(config().momentum)),
                                   float(part.weight_decay)};
    float* scaled = scaled_.data() + part.offset;
    if (config().centered) {
      scale_centered(part.p, part.g, slot(0, part), slot(1, part), scaled, part.n, settings);
    } else {
      scale(part.p, part.g, slot(0, part), scaled, part.n, settings);
    }
    if (config().momentum == 0) return move(part.p, scaled, part.n, settings);
    move_by(part.p, scaled, slot(slots().size() - 1, part), part.n, settings);
  }

  std::vector<float> scaled_;
};

}  // namespace

template <>
struct ClassOf<recipe::RmsProp> {
  using type = RmsProp;
};
template std::unique_ptr<Optimizer> make_method(const recipe::RmsProp&, Layout);

}  // namespace dlrun::train
