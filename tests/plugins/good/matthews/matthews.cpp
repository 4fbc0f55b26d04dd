// SPDX-License-Identifier: Apache-2.0
// Matthews' correlation coefficient of two classes; 0 where one class is never foretold or never occurs.
#include <cmath>
#include <dlrun/plugin/metric.hpp>

namespace {

class Matthews final : public dlrun::plugin::Metric {
 public:
  double value(const at::Tensor& predictions, const at::Tensor& targets) override {
    const at::Tensor foretold = predictions.size(1) == 1 ? predictions.squeeze(1) > 0 : predictions.argmax(1).eq(1);
    const at::Tensor real = targets.eq(1);
    const auto count = [](const at::Tensor& those) { return those.sum().item<double>(); };
    const double tp = count(foretold & real), tn = count(~foretold & ~real);
    const double fp = count(foretold & ~real), fn = count(~foretold & real);
    const double product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn);
    return product > 0 ? (tp * tn - fp * fn) / std::sqrt(product) : 0;
  }
};

}  // namespace

DLRUN_METRIC(Matthews)
