// SPDX-License-Identifier: Apache-2.0
// Requests of people, and what the executor wants people to know.
#pragma once
#include "driver/commands.hpp"
#include "driver/draining.hpp"
#include "driver/outbox.hpp"

namespace dlrun::driver {

/// Grants commands: what follows from one enters the next transaction, and its reply leaves after that.
class RequestIntake {
 public:
  /// All of these outlive it.
  struct Parts {
    const Commands& commands;
    Draining& draining;
    SideRows& side_rows;
    Outbox& outbox;
    Display& display;
    Inbox& incoming;
  };

  explicit RequestIntake(const Parts& parts) : parts_(parts) {}

  void handle(const executor::ControlAsked& asked);
  void handle(const executor::StrangerRefused& refused);
  void handle(const executor::Said& said) { parts_.display.line(said.text); }

 private:
  Parts parts_;
};

}  // namespace dlrun::driver
