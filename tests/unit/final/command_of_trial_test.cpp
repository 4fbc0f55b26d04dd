// SPDX-License-Identifier: Apache-2.0
// Arguments that a program had in one trial.
#include "final/command_of_trial.hpp"

#include "support/catch.hpp"

namespace final_test {

using namespace dlrun;
using final::settle_command;

namespace {

const Json kSpace = Json::array({{{"name", "opt"}}, {{"name", "momentum"}}, {{"name", "replicate"}}});

Json settled(const Json& command, const Json& params, bool has_cells) {
  Json trial = {{"command", command}};
  settle_command(trial, {kSpace, params, has_cells});
  return trial["command"];
}

}  // namespace

TEST_CASE("an argument that names an inactive parameter is left out", "[final][command]") {
  const Json command = {"t.py", "--opt={opt}", "--momentum={momentum}", "{{momentum}}", "${args}", "{seed}"};
  CHECK(settled(command, {{"opt", "adam"}}, false) ==
        Json({"t.py", "--opt={opt}", "{{momentum}}", "${args}", "{seed}"}));
  CHECK(settled(command, {{"opt", "sgd"}, {"momentum", 0.5}}, false) == command);
}

TEST_CASE("the number of a replicate has a name in every command", "[final][command]") {
  const Json command = {"t.py", "{replicate}"};
  CHECK(settled(command, {{"opt", "sgd"}}, true) == command);
  CHECK(settled(command, {{"opt", "sgd"}}, false) == Json::array({"t.py"}));
}

}  // namespace final_test
