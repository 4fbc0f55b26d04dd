// SPDX-License-Identifier: Apache-2.0
#include "contracts/test_plugin.hpp"

#include <fmt/format.h>

#include "contracts/contract.hpp"
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

std::vector<Check> checks_of(const Tested& tested) {
  const plugin::Kind kind = tested.plugin.manifest->kind;
  if (kind == plugin::Kind::sampler) return sampler_checks(tested);
  if (kind == plugin::Kind::pruner) return pruner_checks(tested);
  if (kind == plugin::Kind::exporter) return exporter_checks(tested);
  if (kind == plugin::Kind::executor) return executor_checks(tested);
  throw Error(ErrorKind::usage,
              fmt::format("there are no contract tests of plugins of kind {}", plugin::name_of(kind)));
}

struct Verdict {
  bool has_passed = true;
  std::string detail;
};

Verdict run(const Check& check) {
  try {
    return {true, check.run()};
  } catch (const Broken& broken) {
    return {false, broken.message};
  } catch (const Error& fault) {
    if (fault.kind() != ErrorKind::outside) throw;
    return {false, fault.what()};
  }
}

}  // namespace

int test_plugin(const std::string& name, const std::vector<std::string>& settings, Console& console) {
  const plugin::Found& found = plugin_named(name);
  const Tested tested{found, plugin_section(*found.manifest, settings, fmt::format("dlrun plugins test {} ", name))};
  report::Table table{.columns = {"test", "result", "detail"}};
  int failed = 0;
  for (const Check& check : checks_of(tested)) {
    const Verdict verdict = run(check);
    table.rows.push_back({check.name, verdict.has_passed ? "passed" : "failed", verdict.detail});
    failed += verdict.has_passed ? 0 : 1;
  }
  console.print(table);
  if (failed > 0) console.note(fmt::format("{} of {} tests failed", failed, table.rows.size()));
  return failed > 0 ? 1 : 0;
}

}  // namespace dlrun::cli
