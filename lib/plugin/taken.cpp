// SPDX-License-Identifier: Apache-2.0
#include "plugin/taken.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace dlrun::plugin {

namespace {

const std::map<Kind, std::vector<std::string>>& names() {
  static const std::map<Kind, std::vector<std::string>> all = {
      {Kind::sampler,
       {"auto", "random", "grid", "sobol", "halton", "tpe", "tpe_univariate", "cma_es", "gp", "nsga2", "evolution"}}};
  return all;
}

}  // namespace

bool is_built_in(Kind kind, const std::string& name) {
  const auto found = names().find(kind);
  return found != names().end() && std::count(found->second.begin(), found->second.end(), name) > 0;
}

}  // namespace dlrun::plugin
