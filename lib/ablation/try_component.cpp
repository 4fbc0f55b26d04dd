// SPDX-License-Identifier: Apache-2.0
#include "ablation/try_component.hpp"

#include <string_view>

#include "ablation/component_checks.hpp"
#include "ablation/plan_json.hpp"
#include "ablation/refused.hpp"
#include "document/reader.hpp"

namespace dlrun::ablation {

namespace {

/// `ablation:` with this component alone.
Node alone(const Node& component) {
  Node list;
  list.kind = Node::Kind::list;
  list.span = component.span;
  list.items = {component};
  Node section;
  section.kind = Node::Kind::map;
  section.span = component.span;
  section.entries = {{"components", component.span, list}};
  return section;
}

/// @param code  with which the fault begins; empty: it has none
void refuse(TriedComponent& tried, const std::string& code, const std::string& fault, const std::string& help) {
  tried.code = code.empty() ? "E200" : code;
  tried.message = code.empty() ? fault : fault.substr(code.size() + std::string_view(": ").size());
  const std::string place = "'ablation.components.0'";  // in a list that no person wrote
  if (tried.message.starts_with(place)) tried.message = "the component" + tried.message.substr(place.size());
  if (!help.empty()) tried.message += "; " + help;
  tried.variants.clear();
}

/// @return whether there was a fault
bool took_fault(TriedComponent& tried, const Faults& faults) {
  const document::Diagnostic* fault = first_fault(faults);
  if (fault != nullptr) refuse(tried, fault->code, fault->message, fault->help);
  return fault != nullptr;
}

}  // namespace

TriedComponent try_component(const Node& component, const Baseline& baseline) {
  TriedComponent tried;
  Faults faults;
  const Node section = alone(component);
  faults.wrote("ablation", {component.span, component.span});
  const Json components = document::read(&section, ablation_key(), "ablation", faults).at("components");
  if (took_fault(tried, faults)) return tried;
  const auto units =
      units_of(components, baseline.study.at("trial"), declared_model(baseline.study), baseline.checker, faults);
  check_loss(units, objective_metric(baseline.study), baseline.study.at("trial"), faults);
  if (took_fault(tried, faults)) return tried;
  tried.component = component_of(components.at(0));
  constexpr double kAnyChange = 1e9;
  try {
    const VariantMaker maker(baseline, units, kAnyChange);
    for (std::size_t i = 0; i < units.size(); ++i) tried.variants.push_back(maker.make(units[i].id, {i}));
  } catch (const Refused& fault) {
    refuse(tried, fault.code(), fault.what(), fault.hint());
  }
  return tried;
}

}  // namespace dlrun::ablation
