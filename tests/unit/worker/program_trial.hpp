// SPDX-License-Identifier: Apache-2.0
// A shell script as a trial.
#pragma once
#include <string>

#include "support.hpp"
#include "worker/command_runner.hpp"

namespace dlrun::worker {

/// Runs the script, which may report `acc`.
struct Program {
  TempFolder folder;
  trial::WorkSetup setup;
  FakeHost host;
  trial::PieceOrder order;

  explicit Program(const std::string& script, std::int64_t to_step = 1) {
    setup.study = "s";
    setup.metric = "acc";
    setup.needed = {"acc"};
    setup.parameters = {{"lr", ""}};
    setup.trial = {
        {"kind", "command"}, {"command", {"sh", "-c", "{lr}"}}, {"env", {{"COLOUR", "red"}}}, {"grace", 0.3}};
    setup.artifacts = (folder.path() / "artifacts").string();
    order = order_in(folder.path() / "a1", {{"lr", script}}, to_step);
  }
  trial::PieceResult run() { return make_command_runner(setup)->run(order, host); }
};

}  // namespace dlrun::worker
