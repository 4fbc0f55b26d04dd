// SPDX-License-Identifier: Apache-2.0
// A format that has every array that it is asked for: a name with a typing error is never noticed.
#include <dlrun/plugin/data.hpp>

namespace {

using namespace dlrun::plugin;

class AnyArray final : public Format {
 public:
  Arrays read(const Options&, const Files&, const Names& names) override {
    Arrays arrays;
    for (const auto& [name, where] : names.inputs) arrays.inputs[name] = Array::of({30, 2}, std::vector<float>(60));
    for (const auto& [name, where] : names.targets) arrays.targets[name] = Array::of({30}, std::vector<float>(30));
    return arrays;
  }
};

}  // namespace

DLRUN_DATA(AnyArray)
