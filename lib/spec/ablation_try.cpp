// SPDX-License-Identifier: Apache-2.0
#include "spec/ablation_try.hpp"

#include <string_view>

#include "ablation/refused.hpp"
#include "spec/ablation_options.hpp"
#include "spec/keys.hpp"
#include "spec/reading.hpp"

namespace dlrun::spec {

using document::Node;

namespace {

/// `ablation:` of this component alone.
Node section_of(const Node& component) {
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

/// @param code  which the fault begins with; empty: it has none
void refuse(TriedComponent& tried, const std::string& code, const std::string& fault, const std::string& help) {
  tried.code = code.empty() ? "E200" : code;
  tried.message = code.empty() ? fault : fault.substr(code.size() + std::string_view(": ").size());
  const std::string place = "'ablation.components.0'";  // of a list that nobody wrote
  if (tried.message.starts_with(place)) tried.message = "the component" + tried.message.substr(place.size());
  if (!help.empty()) tried.message += "; " + help;
  tried.variants.clear();
}

/// @return whether there was one
bool took_fault(TriedComponent& tried, const Faults& faults) {
  for (const document::Diagnostic& fault : faults.list.list()) {
    if (fault.is_warning) continue;
    refuse(tried, fault.code, fault.message, fault.help);
    return true;
  }
  return false;
}

}  // namespace

TriedComponent try_component(const Node& component, const Baseline& baseline, const CheckStudy& check) {
  TriedComponent tried;
  Faults faults;
  const Node section = section_of(component);
  faults.wrote("ablation", {component.span, component.span});
  const Json written = read(&section, ablation_key(), "ablation", faults);
  if (took_fault(tried, faults)) return tried;
  const auto units =
      units_of(written.at("components"), baseline.study.at("trial"), declared_model(baseline.study), faults);
  check_loss(units, objective_metric(baseline.study), faults);
  if (took_fault(tried, faults)) return tried;
  tried.written = written.at("components").at(0);
  constexpr double kAnyChange = 1e9;
  try {
    const VariantMaker maker(baseline, units, kAnyChange, check);
    for (std::size_t i = 0; i < units.size(); ++i) tried.variants.push_back(maker.make(units[i].id, {i}));
  } catch (const ablation::Refused& fault) {
    refuse(tried, fault.code(), fault.what(), fault.hint());
  }
  return tried;
}

}  // namespace dlrun::spec
