// SPDX-License-Identifier: Apache-2.0
// Optimisers of plugins.
#include <dlrun/plugin/optimizer.hpp>

#include "nn/guarded.hpp"
#include "plugin/found.hpp"
#include "plugin/section.hpp"
#include "train/optimizers/method.hpp"
#include "util/error.hpp"

namespace dlrun::train {

namespace {

using MakeOptimizer = plugin::Optimizer* (*)(const plugin::Options& options);

class GuestOptimizer final : public Method<recipe::PluginMethod> {
 public:
  GuestOptimizer(const recipe::PluginMethod& config, const Layout& layout) : Method(config, layout) {
    const plugin::Found* found = plugin::find(plugin::Kind::optimizer, config.name);
    if (found == nullptr) throw Error(ErrorKind::usage, "optimizer.op: there is no '" + config.name + "'");
    const auto make = reinterpret_cast<MakeOptimizer>(plugin::open_symbol(*found));
    const plugin::Options options = plugin::options_of(config.section, found->manifest->keys);
    own_ = nn::guarded(config.name, [&] { return std::unique_ptr<plugin::Optimizer>(make(options)); });
    for (const std::string& name : config.state) add_slot(name.c_str());
  }

 private:
  void update(const Part& part) override {
    plugin::Stretch stretch{part.p, part.g, {}, part.n, part.step, part.lr, part.weight_decay};
    for (std::size_t i = 0; i < slots().size(); ++i) stretch.state.push_back(slot(i, part));
    nn::guarded(config().name, [&] { own_->step(stretch); });
  }

  std::unique_ptr<plugin::Optimizer> own_;
};

}  // namespace

template <>
struct ClassOf<recipe::PluginMethod> {
  using type = GuestOptimizer;
};
template std::unique_ptr<Optimizer> make_method(const recipe::PluginMethod&, Layout);

}  // namespace dlrun::train
