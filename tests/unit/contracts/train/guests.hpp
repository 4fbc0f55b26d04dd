// SPDX-License-Identifier: Apache-2.0
// Plugins whose classes stand in the test program, and the news that their contract tests tell.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "plugin/contract.hpp"
#include "plugin/found.hpp"
#include "util/json.hpp"

namespace dlrun::contracts_test {

using Make = void* (*)(const void* facts);

/// A plugin of this program: every object of this class registers one.
class Guest {
 public:
  /// @param yaml  its plugin.yaml without version and about
  Guest(const char* yaml, Make make);
};

template <class Base, class Class, class Facts>
void* made_of(const void* facts) {
  return static_cast<Base*>(new Class(*static_cast<const Facts*>(facts)));
}

/// The registered plugin, found as workers find theirs.
const plugin::Found& guest(plugin::Kind kind, const std::string& name);

/// A plugin with a section of a study: the defaults of its keys, and those that are given.
plugin::Tested tested(plugin::Kind kind, const std::string& name, const Json& keys = Json::object());

/// Verdicts of all contract tests: a line "  ok NAME: detail" each, or "  BROKEN NAME: detail" for each that fails and
/// a line of the names of the others.
std::string verdicts(plugin::Kind kind, const std::string& name, const Json& keys = Json::object());

/// A heading of plugin and keys, and its verdicts.
std::string chapter(plugin::Kind kind, const std::string& name, const Json& keys = Json::object());

/// Compares a text with a file of tests/golden/contracts, line by line.
void require_golden(const std::string& file, const std::string& text);

}  // namespace dlrun::contracts_test
