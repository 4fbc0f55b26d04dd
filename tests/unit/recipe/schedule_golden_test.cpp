// SPDX-License-Identifier: Apache-2.0
// Schedules against tests/golden/torch/schedules.json: the rates that Python's torch.optim.lr_scheduler gives.
#include "recipe/schedule.hpp"
#include "recipe/schedule_config.hpp"
#include "support/catch.hpp"
#include "util/files.hpp"

namespace schedule_golden_test {

using namespace dlrun;
using namespace dlrun::recipe;

TEST_CASE("every schedule gives PyTorch's rates, step by step", "[recipe][schedule][golden]") {
  const Json all = parse_json(read_file(DLRUN_SOURCE_DIR "/tests/golden/torch/schedules.json"), "schedules.json");
  const auto epochs = all.at("epochs").get<std::int64_t>(), per_epoch = all.at("steps_per_epoch").get<std::int64_t>();
  for (const Json& item : all.at("cases")) {
    INFO(item.at("section"));
    const ScheduleConfig config = read_schedule({{"schedule", item.at("section")}}, true);
    Schedule schedule(config, all.at("lr").get<double>(), epochs, per_epoch);
    REQUIRE(item.at("lr").size() == std::size_t(epochs * per_epoch));
    for (std::int64_t step = 0; step < epochs * per_epoch; ++step) {
      INFO(step);
      const auto at = std::size_t(step);
      CHECK(schedule.lr(step) == Approx(item["lr"][at].get<double>()).epsilon(1e-9).margin(1e-12));
      if (item.contains("momentum")) {
        CHECK(schedule.momentum(step).value() == Approx(item["momentum"][at].get<double>()).epsilon(1e-9));
      } else {
        CHECK_FALSE(schedule.momentum(step));
      }
      if (!item.contains("watched") || (step + 1) % per_epoch != 0) continue;
      const std::size_t epoch = std::size_t(step / per_epoch);
      schedule.observe({std::int64_t(epoch) + 1, {{config.metric, item["watched"][epoch].get<double>()}}});
    }
  }
}

}  // namespace schedule_golden_test
