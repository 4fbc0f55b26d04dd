// SPDX-License-Identifier: Apache-2.0
// Base of the optimisers here, each with the settings of its method (recipe/optimizer_methods.hpp).
#pragma once
#include "train/optimizer.hpp"

namespace dlrun::train {

template <class Settings>
class Method : public Optimizer {
 public:
  Method(const Settings& settings, Layout layout) : Optimizer(std::move(layout)), config_(settings) {}

 protected:
  const Settings& config() const { return config_; }

 private:
  Settings config_;
};

/// Names the class of a method as `type`; each file specialises it for its own.
template <class Settings>
struct ClassOf;

template <class Settings>
std::unique_ptr<Optimizer> make_method(const Settings& settings, Layout layout) {
  using Class = typename ClassOf<Settings>::type;
  if (!recipe::kStepsByTensor<Settings> && !layout.has_own_rates) layout.ranges = joined(layout.ranges);
  return std::make_unique<Class>(settings, std::move(layout));
}

}  // namespace dlrun::train
