// SPDX-License-Identifier: Apache-2.0
// The contract tests of a plugin of workers, one after the other.
#pragma once
#include "trial/plugin_contract.hpp"

namespace dlrun::train {

/// Tells the verdicts from test number `first` on. On the CPU, with one thread.
/// @throws Error(usage) for a plugin that is not there, or of a kind that has no tests here
void test_plugin(const trial::PluginTest& test, const trial::TellVerdict& tell);

}  // namespace dlrun::train
