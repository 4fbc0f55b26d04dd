// SPDX-License-Identifier: Apache-2.0
#include "spec/quarantine.hpp"

#include "spec/study_fields.hpp"

namespace dlrun::spec {

Quarantine quarantine_of(const Json& normal) {
  Quarantine rules;
  const Json said = normal.at("retry").value("quarantine", Json::object());
  if (said == "off") return {.after = 0};
  options::read_fields(said, quarantine_fields(), "retry.quarantine", rules);
  return rules;
}

}  // namespace dlrun::spec
