// SPDX-License-Identifier: Apache-2.0
#include "warmstart/transfer_rules.hpp"

#include <algorithm>
#include <regex>

#include "model/parameter_groups.hpp"

namespace dlrun::warmstart {

namespace {

using Patterns = std::vector<model::TensorPattern>;

Patterns patterns_of(const std::vector<std::string>& texts) {
  Patterns out;
  for (const std::string& text : texts) out.emplace_back(text);
  return out;
}

bool any_names(const Patterns& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const auto& pattern) { return pattern.names(name); });
}

std::vector<std::pair<std::regex, std::string>> renames_of(const WarmStart& start) {
  std::vector<std::pair<std::regex, std::string>> out;
  for (const auto& [pattern, name] : start.renames) {
    try {
      out.emplace_back(std::regex(pattern, std::regex::ECMAScript), name);
    } catch (const std::regex_error& fault) {
      throw Error(ErrorKind::usage, "'" + pattern + "' is no regular expression: " + fault.what());
    }
  }
  return out;
}

}  // namespace

TransferRules transfer_rules(const WarmStart& start) {
  TransferRules rules;
  const Patterns include = patterns_of(start.include), exclude = patterns_of(start.exclude);
  if (!include.empty() || !exclude.empty()) {
    rules.is_taken = [include, exclude](const std::string& name) {
      return (include.empty() || any_names(include, name)) && !any_names(exclude, name);
    };
  }
  if (const auto renames = renames_of(start); !renames.empty()) {
    rules.renamed = [renames](const std::string& source) {
      for (const auto& [pattern, name] : renames) {
        if (std::regex_match(source, pattern)) return std::regex_replace(source, pattern, name);
      }
      return source;
    };
  }
  if (start.on_mismatch == "skip") rules.mismatch = Mismatch::skip;
  if (start.on_mismatch == "slice") rules.mismatch = Mismatch::slice;
  return rules;
}

}  // namespace dlrun::warmstart
