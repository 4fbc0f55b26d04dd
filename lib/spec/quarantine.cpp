// SPDX-License-Identifier: Apache-2.0
#include "spec/quarantine.hpp"

namespace dlrun::spec {

Quarantine quarantine_of(const Json& normal) {
  Quarantine rules;
  const Json said = normal.at("retry").value("quarantine", Json::object());
  if (said == "off") return {.after = 0};
  return {said.value("after", rules.after), said.value("for", rules.first), said.value("max_for", rules.most)};
}

}  // namespace dlrun::spec
