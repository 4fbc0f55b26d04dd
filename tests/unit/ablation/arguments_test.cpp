// SPDX-License-Identifier: Apache-2.0
// Arguments left out of a program's command: exactly which remain, and where.
#include "ablation/arguments.hpp"

#include "ablation/refused.hpp"
#include "support/catch.hpp"

namespace arguments_test {

using namespace dlrun;
using ablation::arguments_of;
using ablation::Unit;

namespace {

const Json kTrial{{"kind", "command"}, {"command", {"train", "--a", "--b={p}", "{q}", "--b={p}x", "same", "same"}}};

Unit unit_of(const char* kind, Json what, Json to = nullptr) {
  return {"unit", "ablation.components.0", {.kind = kind, .what = std::move(what), .to = std::move(to)}};
}

Json without(std::vector<Unit> units) {
  std::vector<const Unit*> off;
  for (Unit& unit : units) {
    unit.arguments = arguments_of(unit, kTrial);
    off.push_back(&unit);
  }
  return ablation::without_arguments(kTrial["command"], off);
}

}  // namespace

TEST_CASE("an argument is dropped as the command has it", "[ablation][arguments]") {
  CHECK(without({unit_of("drop_argument", "--b={p}")}) == Json{"train", "--a", "{q}", "--b={p}x", "same", "same"});
  CHECK(without({unit_of("drop_argument", {"--a", "{q}"})}) == Json{"train", "--b={p}", "--b={p}x", "same", "same"});
}

TEST_CASE("what takes an argument's place stands there", "[ablation][arguments]") {
  CHECK(without({unit_of("swap_argument", "{q}", "7")}) ==
        Json{"train", "--a", "--b={p}", "7", "--b={p}x", "same", "same"});
  CHECK(without({unit_of("swap_argument", {"--a", "{q}"}, {"--new", "1", "2"}),
                 unit_of("drop_argument", "--b={p}x")}) == Json{"train", "--new", "1", "2", "--b={p}", "same", "same"});
}

TEST_CASE("an argument that cannot be left out is refused", "[ablation][arguments]") {
  const auto refusal = [](const Unit& unit, const Json& trial = kTrial) -> std::string {
    try {
      (void)arguments_of(unit, trial);
    } catch (const ablation::Refused& fault) {
      return std::string(fault.what()) + " / " + fault.hint();
    }
    return "none";
  };
  CHECK(refusal(unit_of("drop_argument", "--b")) == "E201: the command has no argument '--b' / did you mean '--a'?");
  CHECK(refusal(unit_of("drop_argument", "train")).starts_with("E201: the command has no argument 'train'"));
  CHECK(refusal(unit_of("drop_argument", "same")).starts_with("E201: the command has the argument 'same' 2 times"));
  CHECK(refusal(unit_of("drop_argument", Json::array())) == "E212: no argument is named / ");
  CHECK(refusal(unit_of("swap_argument", "--a")).starts_with("E210: swap_argument needs 'to'"));
  CHECK(refusal(unit_of("swap_argument", "--a", 7)) == "E201: 7 is no argument / write it as the command has it");
  Json shell = kTrial;
  shell["shell"] = true;
  CHECK(refusal(unit_of("drop_argument", "--a"), shell).starts_with("E201: with shell: true"));
  for (const char* kind : {"function", "asked"}) {
    Json other = kTrial;
    other["kind"] = kind;
    CHECK(refusal(unit_of("drop_argument", "--a"), other).starts_with("E201: only a program has arguments"));
  }
}

}  // namespace arguments_test
