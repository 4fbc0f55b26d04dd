// SPDX-License-Identifier: Apache-2.0
// Layers of plugins. plugin.yaml declares their sizes, tensors and operations as arithmetic, so that shapes are
// inferred without any code of theirs.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "model/layer.hpp"
#include "plugin/manifest.hpp"

namespace dlrun::model {

/// A tensor that the plugin declares for one layer.
struct PluginTensor {
  std::string name;  ///< local
  Shape shape;
  bool trainable = true;
  std::string init;   ///< zeros | ones | uniform | normal | fan_in | xavier | plugin
  double number = 0;  ///< bound of uniform, std of normal
};

/// One layer as its plugin declares it.
struct PluginFacts {
  std::map<std::string, double> names;  ///< values of sizes, keys and `let`
  Shape out;
  std::vector<PluginTensor> tensors;
  std::int64_t operations = 0;  ///< multiply-adds of one example
};

/// REQUIRES: a node whose inputs' shapes and attributes are known.
/// @throws ModelError where the inputs or the section do not fit
PluginFacts plugin_facts(const plugin::Manifest& manifest, const Node& node);

/// Faults of a worker's plugin.yaml that the table of its keys does not show: names of keys that dlrun has, and of
/// layers unknown names, cycles, text that is no arithmetic.
std::vector<plugin::ManifestFault> check_declaration(const plugin::Manifest& manifest);

/// The rules of all plugins of layers.
std::vector<LayerRule> plugin_rules();

}  // namespace dlrun::model
