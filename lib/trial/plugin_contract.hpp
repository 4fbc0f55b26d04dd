// SPDX-License-Identifier: Apache-2.0
// Contract tests of plugins whose code workers run: made by the trainer library, asked for by `dlrun plugins test`.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "util/json.hpp"

namespace dlrun::trial {

/// A plugin to be tested.
struct PluginTest {
  std::string kind;        ///< "layer", "loss", "metric" or "optimizer"
  std::string name;        ///< as studies write it
  Json section;            ///< {op: NAME, key: value}, with the defaults of plugin.yaml
  std::int64_t first = 0;  ///< number of the test to begin with: an earlier process died of the one before
  double deadline = 60;    ///< seconds that one test may take
};

/// News of one test: that it begins, then how it ended.
struct PluginVerdict {
  std::string test;
  bool has_begun = true;    ///< there is no more than the name yet
  bool has_passed = false;  ///< else `detail` says what the plugin did, and what it should do
  std::string detail;
};

/// Called twice for each test, in order.
using TellVerdict = std::function<void(const PluginVerdict&)>;

Json to_json(const PluginTest& test);
/// @throws Error(usage) naming what is missing; so does plugin_verdict.
PluginTest plugin_test(const Json& json);
Json to_json(const PluginVerdict& verdict);
PluginVerdict plugin_verdict(const Json& json);

/// The trainer library's fifth symbol. @return false where the ABI differs.
/// @throws Error(usage) for a plugin that is not there, or of a kind that has no tests here.
inline constexpr const char* kPluginTestSymbol = "dlrun_test_plugin";
using TestPlugin = bool (*)(int abi, const PluginTest& test, const TellVerdict& tell);

}  // namespace dlrun::trial
