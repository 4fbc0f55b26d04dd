// SPDX-License-Identifier: Apache-2.0
// A metric that breaks its contract as BAD_METRIC says, for a metric has no keys. Sound, it is the accuracy.
#include <cstdlib>
#include <dlrun/plugin/metric.hpp>

namespace {

double calls = 0;

class Bad final : public dlrun::plugin::Metric {
 public:
  double value(const at::Tensor& predictions, const at::Tensor& targets) override {
    const char* chosen = std::getenv("BAD_METRIC");
    const std::string does = chosen == nullptr ? "" : chosen;
    const at::Tensor guess = predictions.size(1) == 1 ? (predictions.squeeze(1) > 0) : predictions.argmax(1);
    const at::Tensor hits = guess.to(at::kLong).eq(targets).to(at::kDouble);
    if (does == "infinity" && predictions.size(1) == 1) return hits.mean().item<double>() / 0.0;
    if (does == "place") return (hits * at::linspace(0, 1, hits.numel())).mean().item<double>();
    if (does == "reversed") return 1 - hits.mean().item<double>();
    if (does == "constant") return 0.5;
    if (does == "remembers") return hits.mean().item<double>() + 0.01 * ++calls;
    return hits.mean().item<double>();
  }
};

}  // namespace

DLRUN_METRIC(Bad)
