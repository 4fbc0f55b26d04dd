// SPDX-License-Identifier: Apache-2.0
// Tables by which lib/dataset and lib/model check, as keys: for the schema and --show-defaults.
#pragma once
#include "spec/keys.hpp"

namespace dlrun::spec {

/// trial.data, by its `op:`.
const Key& outside_data_key();

/// One layer of trial.model.nodes, by its `op:`.
const Key& outside_layer_key();

}  // namespace dlrun::spec
