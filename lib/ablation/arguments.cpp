// SPDX-License-Identifier: Apache-2.0
#include "ablation/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ablation/refused.hpp"
#include "util/edit_distance.hpp"

namespace dlrun::ablation {

namespace {

Names texts_of(const Json& value) {
  const Json list = value.is_array() ? value : Json::array({value});
  Names texts;
  for (const Json& one : list) {
    if (!one.is_string()) throw Refused("E201", to_text(one) + " is no argument", "write it as the command has it");
    texts.push_back(one.get<std::string>());
  }
  return texts;
}

/// Arguments behind the program.
Names arguments_behind(const Json& trial) {
  if (trial.value("kind", "") != "command")
    throw Refused("E201", "only a program has arguments", "write set: for this kind of trial");
  if (trial.value("shell", false))
    throw Refused("E201", "with shell: true the command is one text", "write its arguments as a list, without shell");
  const Names all = texts_of(trial.at("command"));
  return {all.begin() + 1, all.end()};
}

void require_one(const std::string& text, const Names& arguments) {
  const auto count = std::count(arguments.begin(), arguments.end(), text);
  if (count == 1) return;
  if (count > 1)
    throw Refused("E201", fmt::format("the command has the argument '{}' {} times", text, count),
                  "write the argument as one word, --name={value}, so that each is another");
  const std::string nearest = nearest_name(text, arguments);
  throw Refused("E201", fmt::format("the command has no argument '{}'", text),
                nearest.empty() ? fmt::format("it has '{}'", fmt::join(arguments, "', '"))
                                : fmt::format("did you mean '{}'?", nearest));
}

Json replacement_of(const Unit& unit) {
  if (unit.kind() == "drop_argument") return Json::array();
  return texts_of(unit.component.to);
}

}  // namespace

Names arguments_of(const Unit& unit, const Json& trial) {
  Names wanted = texts_of(unit.component.what);
  const Names arguments = arguments_behind(trial);
  if (wanted.empty()) throw Refused("E212", "no argument is named");
  for (const std::string& text : wanted) require_one(text, arguments);
  if (unit.kind() == "swap_argument" && unit.component.to.is_null())
    throw Refused("E210", "swap_argument needs 'to', what takes the place", "to: \"--model=mlp\"");
  (void)replacement_of(unit);
  return wanted;
}

/// A swap puts all of its texts in the place of the first.
Json without_arguments(const Json& command, const std::vector<const Unit*>& units) {
  Json out = Json::array({command.at(0)});
  for (std::size_t i = 1; i < command.size(); ++i) {
    const auto text = command[i].get<std::string>();
    const auto unit = std::find_if(units.begin(), units.end(), [&](const Unit* one) {
      return std::find(one->arguments.begin(), one->arguments.end(), text) != one->arguments.end();
    });
    if (unit == units.end()) out.push_back(text);
    if (unit == units.end() || text != (*unit)->arguments.front()) continue;
    for (const Json& other : replacement_of(**unit)) out.push_back(other);
  }
  return out;
}

}  // namespace dlrun::ablation
