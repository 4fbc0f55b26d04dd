// SPDX-License-Identifier: Apache-2.0
// Options that lib/dataset and lib/model check by tables of their own, as keys: for the schema and --show-defaults.
#pragma once
#include "spec/keys.hpp"

namespace dlrun::spec {

/// trial.data, by its `op:`.
const Key& outside_data_key();

/// One layer of trial.model.nodes, by its `op:`.
const Key& outside_layer_key();

}  // namespace dlrun::spec
