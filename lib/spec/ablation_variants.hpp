// SPDX-License-Identifier: Apache-2.0
// A baseline and components that are off, to a variant: the edits of the trial that make it, checked as a whole study.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ablation/plans.hpp"
#include "document/node.hpp"
#include "spec/ablation_components.hpp"
#include "spec/ablation_section.hpp"

namespace dlrun::spec {

/// The study whose parts are left out.
struct Baseline {
  const Json& study;           ///< normal form
  const document::Node& root;  ///< the document that it is of
  bool gives_weights = false;  ///< variants begin with what it has learned
};

/// The model a study's trial declares; nullopt where its kind has none.
std::optional<model::Declared> declared_model(const Json& study);

/// JSON as a document, every value of which stands at `span`.
document::Node node_at(const Json& value, const document::Span& span);

/// A document's trial replaced by the JSON of a normal form, every value of which stands at `span`.
document::Node with_trial_at(document::Node root, const Json& trial, const document::Span& span);

class VariantMaker {
 public:
  VariantMaker(const Baseline& baseline, const std::vector<Unit>& units, double capacity_guard,
               const CheckStudy& check);

  /// {id: baseline, kind: baseline, …}
  Json baseline() const;
  /// {id, kind, components, edits, parameters, operations, notes, hash}.
  /// @throws ablation::Refused where it cannot be, or equals the baseline (E230, of a `set` E212); where it is to begin
  /// with weights of the baseline and none fits (E222).
  Json make(const std::string& id, const ablation::Off& off) const;

 private:
  Json edited_study(const ablation::Off& off, Json& notes) const;
  Json checked(const Json& trial, const Unit& unit, const char* code) const;
  Json rewritten(const Json& study, const ablation::Off& off, Json& notes) const;
  void note_projections(const Unit& unit, const ablation::Off& off, model::Declared& model, Json& notes) const;
  void check_shapes(const model::Graph& graph, const ablation::Off& off) const;
  void check_weights(const Json& study, const Unit& unit) const;
  Json described(const Json& study) const;

  const Baseline& baseline_;
  const std::vector<Unit>& units_;
  double guard_;
  const CheckStudy& check_;
  std::optional<model::Graph> graph_;  ///< of the baseline
  std::string hash_;
};

}  // namespace dlrun::spec
