// SPDX-License-Identifier: Apache-2.0
// A model as declared: groups, repeats, residuals and `let` unfolded, names full, wiring resolved, no shape inferred.
// What ablation edits; write() makes a `model:` section of it again.
#pragma once
#include <vector>

#include "model/expand.hpp"
#include "model/graph.hpp"

namespace dlrun::model {

struct Declared {
  Interface interface;
  Json input;    ///< the model's `input`, null where there is none
  Json outputs;  ///< the model's `outputs`, null where it names none
  Plan plan;
};

/// @throws ModelError at the first fault of names or wiring; shapes are not looked at.
Declared declare(const Json& model, const Interface& interface);

/// Infers every shape. Faults as build() of a section.
Graph build(const Declared& declared, std::vector<ModelError>* sink = nullptr);

/// A flat `model:` section: build() of it has the structural hash of `graph`. Projections, whose shape was inferred,
/// become the layers they are. REQUIRES: `graph` is build(declared), without faults.
Json write(const Declared& declared, const Graph& graph);

}  // namespace dlrun::model
