// SPDX-License-Identifier: Apache-2.0
#include "driver/request_intake.hpp"

#include <fmt/format.h>

#include <utility>

namespace dlrun::driver {

void RequestIntake::handle(const executor::ControlAsked& asked) {
  Commanded commanded = parts_.commands.answer(asked.request);
  if (commanded.event) parts_.incoming.push_back({std::move(*commanded.event)});
  if (commanded.remark) parts_.side_rows.add(std::move(*commanded.remark));
  if (commanded.stops) parts_.draining.stop(*commanded.stops);
  if (commanded.hands_over) parts_.draining.begin(Ending::By::successor, *commanded.hands_over);
  parts_.outbox.reply(asked.client, std::move(commanded.reply));
}

void RequestIntake::handle(const executor::StrangerRefused& refused) {
  const std::string more = refused.count > 1 ? fmt::format(" (and {} before it)", refused.count - 1) : "";
  parts_.display.line(fmt::format("refused a connection from {}{}: {}", refused.who, more, refused.reason));
}

}  // namespace dlrun::driver
