// SPDX-License-Identifier: Apache-2.0
#include "energy/counters.hpp"

#include <iterator>

#include "energy/nvml.hpp"
#include "energy/rapl.hpp"

namespace dlrun::energy {

std::vector<std::unique_ptr<Counter>> open_counters(const std::vector<std::string>& gpus) {
  std::vector<std::unique_ptr<Counter>> all = open_rapl(powercap_folder(), true).counters;
  if (gpus.empty()) return all;
  Counters cards = open_nvml(nvml_library(), gpus, true);
  std::move(cards.counters.begin(), cards.counters.end(), std::back_inserter(all));
  return all;
}

}  // namespace dlrun::energy
