// SPDX-License-Identifier: Apache-2.0
// A loss that breaks its contract as it is told to. Sound, it is cross entropy.
#include <dlrun/plugin/loss.hpp>

namespace {

using namespace dlrun::plugin;

class Bad final : public Loss {
 public:
  explicit Bad(const Options& options) : does_(options.text("does")), power_(options.real("power")) {}

  at::Tensor each(const at::Tensor& outputs, const at::Tensor& targets) override {
    const at::Tensor row = targets.unsqueeze(1), right = -at::log_softmax(outputs, 1).gather(1, row).squeeze(1);
    if (does_ == "infinity") return -at::log(at::exp(outputs.gather(1, row) * 4).squeeze(1));
    if (does_ == "refuses" && outputs.size(1) == 10) throw std::runtime_error("it knows nine classes");
    if (does_ == "detached") return right * (1 + 0.1 * right.detach());
    if (does_ == "place") return right * at::linspace(1, 2, right.numel());
    if (does_ == "slope") return at::pow(1 - at::exp(-right), power_) * right;
    if (does_ == "mixes") return right + 0.1 * right.mean();
    if (does_ == "remembers") return right + 0.1 * double(calls_++);
    if (does_ == "outputs") outputs.detach().add_(1);
    return right;
  }

  at::Tensor prediction(const at::Tensor& outputs) override {
    return does_ == "prediction" ? outputs.narrow(1, 0, 1) : outputs;
  }

 private:
  std::string does_;
  double power_;
  int calls_ = 0;
};

}  // namespace

DLRUN_LOSS(Bad)
