// SPDX-License-Identifier: Apache-2.0
#include "train/contracts/run.hpp"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include "train/contracts/contract.hpp"
#include "util/error.hpp"

namespace dlrun::train {

namespace {

using contracts::Check;
using contracts::Tested;

std::vector<Check> contract_checks(const Tested& tested) {
  switch (tested.plugin.manifest->kind) {
    case plugin::Kind::layer: return contracts::layer_checks(tested);
    case plugin::Kind::loss: return contracts::loss_checks(tested);
    case plugin::Kind::metric: return contracts::metric_checks(tested);
    case plugin::Kind::optimizer: return contracts::optimizer_checks(tested);
    default:
      throw Error(ErrorKind::usage, fmt::format("workers have no contract tests of plugins of kind {}",
                                                plugin::name_of(tested.plugin.manifest->kind)));
  }
}

trial::PluginVerdict verdict_of(const Check& check) {
  const auto failed = [&](const std::string& why) { return trial::PluginVerdict{check.name, false, false, why}; };
  try {
    return {check.name, false, true, check.run()};
  } catch (const contracts::Broken& broken) {
    return failed(broken.message);
  } catch (const c10::Error& fault) {
    return failed(fault.what_without_backtrace());
  } catch (const std::exception& fault) {
    return failed(fault.what());
  }
}

}  // namespace

void test_plugin(const trial::PluginTest& test, const trial::TellVerdict& tell) {
  at::set_num_threads(1);
  const Tested tested{plugin::named(plugin::kind_named(test.kind), test.name), test.section};
  const std::vector<Check> checks = contract_checks(tested);
  for (std::size_t i = std::size_t(test.first); i < checks.size(); ++i) {
    tell({.test = checks[i].name});
    tell(verdict_of(checks[i]));
  }
}

}  // namespace dlrun::train
