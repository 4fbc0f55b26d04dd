// SPDX-License-Identifier: Apache-2.0
#include "spec/ablation_try.hpp"

#include <cctype>

#include "ablation/refused.hpp"
#include "spec/ablation_options.hpp"
#include "spec/keys.hpp"
#include "spec/reader.hpp"

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

bool begins_with_code(const std::string& text) {
  constexpr std::size_t kLength = 4;  // "E202: …"
  return text.size() > kLength + 2 && text[0] == 'E' && text.substr(kLength, 2) == ": " &&
         std::isdigit(static_cast<unsigned char>(text[1])) != 0;
}

void refuse(TriedComponent& tried, const std::string& fault, const std::string& help) {
  const bool has_code = begins_with_code(fault);
  tried.code = has_code ? fault.substr(0, 4) : "E200";
  tried.message = has_code ? fault.substr(6) : fault;
  const std::string place = "'ablation.components.0'";  // of a list that nobody wrote
  if (tried.message.starts_with(place)) tried.message = "the component" + tried.message.substr(place.size());
  if (!help.empty()) tried.message += "; " + help;
  tried.variants.clear();
}

/// @return whether there was one
bool took_fault(TriedComponent& tried, const Faults& faults) {
  for (const document::Diagnostic& fault : faults.list.list()) {
    if (fault.is_warning) continue;
    refuse(tried, fault.message, fault.help);
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
    refuse(tried, fault.what(), fault.hint());
  }
  return tried;
}

}  // namespace dlrun::spec
