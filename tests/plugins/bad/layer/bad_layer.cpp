// SPDX-License-Identifier: Apache-2.0
// A layer that breaks its contract as it is told to. Sound, it gives sin(weight * x).
#include <unistd.h>

#include <cstdlib>
#include <dlrun/plugin/layer.hpp>

namespace {

using namespace dlrun::plugin;

class Bad final : public Layer {
 public:
  explicit Bad(const LayerFacts& facts) : does_(facts.options.text("does")) {}

  at::Tensor run(const std::vector<at::Tensor>& inputs, const Tensors& tensors, const Pass& pass) override {
    end_badly();
    const at::Tensor &x = inputs[0], &weight = tensors["weight"];
    const at::Tensor right = at::sin(weight * x);
    if (does_ == "sizes" && x.size(0) == 1) return right.squeeze(0);
    if (does_ == "infinity" && x.size(0) == 1) return right / 0.0;
    if (does_ == "detached") return right + 0.2 * at::sin(x.detach());
    if (does_ == "frozen") return right + 0.2 * at::sin(weight.detach());
    if (does_ == "chance") return right + 0.01 * at::rand_like(x);
    if (does_ == "remembers") return right + 0.1 * double(passes_++);
    if (does_ == "drops" && pass.training) return right * (at::arange(x.size(-1), x.options()) > 0);
    if (does_ == "input") x.detach().add_(1);
    if (does_ == "weight") weight.detach().mul_(0.9);
    return right;
  }

  void initialise(const std::string&, at::Tensor& tensor, Random& random) override {
    static int made = 0;
    fill(tensor, [&] { return random.normal() + (does_ == "start" ? ++made : 0); });
  }

 private:
  void end_badly() const {
    if (does_ == "crash") *static_cast<volatile int*>(nullptr) = 1;
    if (does_ == "exit") std::_Exit(0);
    if (does_ == "throw") throw std::runtime_error("the wind has turned");
    while (does_ == "hang") ::pause();
  }

  std::string does_;
  int passes_ = 0;
};

}  // namespace

DLRUN_LAYER(Bad)
