// SPDX-License-Identifier: Apache-2.0
#include "contracts/test_plugin.hpp"

#include <fmt/format.h>

#include "contracts/contract.hpp"
#include "contracts/data_section.hpp"
#include "contracts/worker_verdicts.hpp"
#include "output/console.hpp"
#include "plugin_section.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace {

const plugin::Found& plugin_named(const std::string& name) {
  for (const plugin::Found& found : plugin::found()) {
    if (found.fits() && found.manifest->name == name) return found;
  }
  throw Error(ErrorKind::usage, fmt::format("there is no plugin '{}'", name),
              "`dlrun plugins` says what is found and where it is looked for");
}

Json tested_section(const plugin::Manifest& manifest, const PluginWords& words) {
  if (manifest.kind == plugin::Kind::data) return data_section(manifest, words.settings, words.study);
  if (!words.study.empty())
    throw Error(ErrorKind::usage, fmt::format("--study has no effect: '{}' is no format of data", words.name),
                "key=value sets keys of its section");
  return plugin_section(manifest, words.settings, fmt::format("dlrun plugins test {} ", words.name));
}

std::vector<Check> checks_of(const Tested& tested) {
  switch (tested.plugin.manifest->kind) {
    case plugin::Kind::sampler: return sampler_checks(tested);
    case plugin::Kind::pruner: return pruner_checks(tested);
    case plugin::Kind::exporter: return exporter_checks(tested);
    case plugin::Kind::executor: return executor_checks(tested);
    case plugin::Kind::data: return data_checks(tested);
    default:
      throw Error(ErrorKind::usage, fmt::format("there are no contract tests of plugins of kind {}",
                                                plugin::name_of(tested.plugin.manifest->kind)));
  }
}

Verdict verdict_of(const Check& check) {
  try {
    return {check.name, true, check.run()};
  } catch (const Broken& broken) {
    return {check.name, false, broken.message};
  } catch (const Error& fault) {
    if (fault.kind() != ErrorKind::outside) throw;
    return {check.name, false, fault.what()};
  }
}

std::vector<Verdict> verdicts_on(const Tested& tested) {
  if (plugin::has_torch(tested.plugin.manifest->kind)) return worker_verdicts(tested);
  std::vector<Verdict> verdicts;
  for (const Check& check : checks_of(tested)) verdicts.push_back(verdict_of(check));
  return verdicts;
}

}  // namespace

int test_plugin(const PluginWords& words, Console& console) {
  const plugin::Found& found = plugin_named(words.name);
  const Tested tested{found, tested_section(*found.manifest, words)};
  report::Table table{.columns = {"test", "result", "detail"}};
  int failed = 0;
  for (const Verdict& verdict : verdicts_on(tested)) {
    table.rows.push_back({verdict.test, verdict.has_passed ? "passed" : "failed", verdict.detail});
    failed += verdict.has_passed ? 0 : 1;
  }
  console.print(table);
  if (failed > 0) console.note(fmt::format("{} of {} tests failed", failed, table.rows.size()));
  return failed > 0 ? 1 : 0;
}

}  // namespace dlrun::cli
