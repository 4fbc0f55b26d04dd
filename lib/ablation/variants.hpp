// SPDX-License-Identifier: Apache-2.0
// A baseline and components that are off, to a variant: the edits of the trial that make it, checked as a whole study.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ablation/baseline.hpp"
#include "ablation/off_sets.hpp"
#include "ablation/units.hpp"
#include "model/graph.hpp"

namespace dlrun::ablation {

class VariantMaker {
 public:
  /// All but the guard must outlive it.
  VariantMaker(const Baseline& baseline, const std::vector<Unit>& units, double capacity_guard);

  Variant baseline() const;
  /// @throws Refused if the variant cannot be, or equals the baseline (E230, of a `set` E212); if it is to begin with
  /// weights of the baseline and none fits (E222).
  Variant make(const std::string& id, const Off& off) const;

 private:
  Json edited_study(const Off& off, Names& notes) const;
  Json checked(const Json& trial, const Unit& unit, const char* code) const;
  Json rewritten(const Json& study, const Off& off, Names& notes) const;
  void note_projections(const Unit& unit, const Off& off, model::Declared& model, Names& notes) const;
  /// One of the components that are off may change no shape.
  bool keeps_shapes(const Off& off) const;
  void check_shapes(const model::Graph& graph, const Off& off) const;
  void check_weights(const Json& study, const Unit& unit) const;
  void check_inputs(const Json& study, const Unit& unit) const;
  Variant described(const std::string& id, const Json& study) const;
  std::string hash_of(const Json& study, const std::optional<model::Graph>& graph) const;

  const Baseline& baseline_;
  const std::vector<Unit>& units_;
  double guard_;
  std::optional<model::Graph> graph_;  ///< graph of the baseline
  std::string hash_;
};

}  // namespace dlrun::ablation
