// SPDX-License-Identifier: Apache-2.0
// `optimizer:` of a trial: the method with its settings, and the settings that all methods have.
#pragma once
#include "options/key.hpp"
#include "recipe/optimizer_methods.hpp"

namespace dlrun::recipe {

/// Tensors with settings of their own.
struct GroupConfig {
  std::vector<std::string> match;      ///< model::TensorPattern
  double lr = 1;                       ///< factor of the rate
  std::optional<double> weight_decay;  ///< in place of the optimiser's and of no_decay's
  bool frozen = false;                 ///< not trained at all
};

struct OptimizerConfig {
  double lr = Sgd::kRates.lr;
  double weight_decay = Sgd::kRates.weight_decay;
  Method method;
  std::vector<GroupConfig> groups;    ///< a tensor belongs to the first that names it
  std::vector<std::string> no_decay;  ///< bias | norm | embedding
};

/// The key `optimizer`, with the keys of every method.
Key optimizer_key();

/// @throws Error(usage) for an unknown method or a value out of its range, naming its place
OptimizerConfig read_optimizer(const Json& trial);

const char* name_of(const OptimizerConfig& config);

/// Numbers that the method keeps of every weight.
int slots_of(const OptimizerConfig& config);

/// Names of the methods that need whole tensors.
std::vector<std::string> methods_by_tensor();

/// For fingerprints: part of the store's format.
Json to_json(const OptimizerConfig& config);

}  // namespace dlrun::recipe
