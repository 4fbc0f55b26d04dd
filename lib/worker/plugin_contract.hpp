// SPDX-License-Identifier: Apache-2.0
// `dlrun-worker --test-plugin`: contract tests of a plugin, in a process that may die of them.
#pragma once
#include <filesystem>
#include <iosfwd>

namespace dlrun::worker {

/// Reads a trial::PluginTest as JSON, and writes its verdicts to standard output, a line of JSON each: one when a test
/// begins, and one when it has ended. Output of the plugin itself goes to standard error. SIGALRM ends the process at
/// the deadline of a test.
/// @throws Error(usage) for a question that is none, and what worker::test_plugin does.
void answer_plugin_test(std::istream& question, const std::filesystem::path& library = {});

}  // namespace dlrun::worker
