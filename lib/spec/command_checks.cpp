// SPDX-License-Identifier: Apache-2.0
// Trials of kind function and command.
#include <fmt/format.h>
#include <algorithm>
#include <regex>

#include "spec/keys.hpp"
#include "spec/placeholders.hpp"
#include "spec/script.hpp"
#include "spec/space_section.hpp"
#include "spec/trial_section.hpp"
#include "trial/own_variables.hpp"
#include "trial/test_functions.hpp"

namespace dlrun::spec {

namespace {

/// Names that an argument may have, and whether a shell reads it.
struct ArgumentNames {
  std::vector<std::string> known;
  bool is_script = false;
};

/// Parameters, and our own.
std::vector<std::string> argument_names(const Json& trial, const Json& space) {
  std::vector<std::string> out(trial::kOwnNames.begin(), trial::kOwnNames.end());
  for (const Json& parameter : space) out.push_back(parameter["name"].get<std::string>());
  const Json given = trial.value("params", Json::object());
  for (const auto& [name, value] : given.items()) out.push_back(name);
  return out;
}

bool is_numeric(const Json& parameter) {
  if (parameter.contains("low")) return true;
  if (parameter.contains("value")) return parameter["value"].is_number();
  return std::all_of(parameter["choices"].begin(), parameter["choices"].end(),
                     [](const Json& value) { return value.is_number(); });
}

std::string name_advice(const std::string& name, const std::vector<std::string>& known) {
  if (name.empty()) return "write {name}, or {{ for a brace";
  return name == "args" ? "${args} stands alone, as an element of the list" : suggest(name, known, "there are");
}

/// Every placeholder of an argument names a parameter.
void check_argument(const std::string& text, const ArgumentNames& names, const std::string& path, Faults& faults) {
  for (const auto& [written, name] : placeholders_in(text, names.is_script)) {
    if (std::find(names.known.begin(), names.known.end(), name) != names.known.end()) continue;
    return faults.at(path, document::quote(written) + " names no parameter", name_advice(name, names.known));
  }
}

/// Arguments alone are filled in; a program would read the braces.
void warn_of_variables(const Json& env, const std::vector<std::string>& known, Faults& faults) {
  if (!env.is_object()) return;
  for (const auto& [variable, text] : env.items()) {
    if (!text.is_string()) continue;
    for (const auto& [written, name] : placeholders_in(text.get<std::string>(), false)) {
      if (std::find(known.begin(), known.end(), name) == known.end()) continue;
      faults.warn("trial.env." + variable, fmt::format("{} stays as it is: no value is put into `env`", written),
                  "a parameter of the space with `at: env." + variable + "` sets the variable");
    }
  }
}

/// An element that names an inactive parameter is left out, and a script for the shell has no other element.
void check_script_text(const Json& command, const Json& space, Faults& faults) {
  const std::vector<Placeholder> named = placeholders_in(command[0].get<std::string>(), true);
  for (const Json& parameter : space) {
    const std::string name = parameter["name"].get<std::string>();
    const auto is_it = [&](const Placeholder& one) { return one.name == name; };
    if (!parameter["when"].is_object() || std::none_of(named.begin(), named.end(), is_it)) continue;
    return faults.at("trial.command.0",
                     fmt::format("with shell: true nothing is left of the command where '{}' is not active", name),
                     "write the command as a list, without shell, or take the value from the file DLRUN_PARAMS");
  }
}

void check_regex(const std::string& text, const std::string& path, Faults& faults) {
  constexpr std::size_t kLongest = 1000;
  try {
    const bool is_short = text.size() <= kLongest;
    const std::regex regex(is_short ? text : std::string());
    if (is_short && regex.mark_count() == 1) return;
    faults.at(path,
              is_short ? fmt::format("the expression has {} groups, it needs one around the number", regex.mark_count())
                       : "the expression is longer than 1000 characters",
              "e.g. 'accuracy: ([0-9.]+)'");
  } catch (const std::regex_error&) {
    faults.at(path, document::quote(text) + " is no regular expression", "e.g. 'accuracy: ([0-9.]+)'");
  }
}

bool is_file(const std::string& program, const std::filesystem::path& folder) {
  std::error_code fault;
  return program.find('/') != std::string::npos && std::filesystem::is_regular_file(folder / program, fault);
}

bool names_nothing(const Json& command) {
  if (!command.is_array() || command.empty()) return command.is_array();
  return command[0].is_string() && command[0].get_ref<const std::string&>().empty();
}

/// Workers of other machines may have it.
void check_program(const Json& trial, const std::filesystem::path& folder, Faults& faults) {
  const Json& command = trial["command"];
  if (faults.is_bad("trial.command") || trial["shell"] == true || !command.is_array() || command.empty()) return;
  const std::string program = command[0].is_string() ? command[0].get<std::string>() : "";
  if (program.empty() || program.find_first_of("{}") != std::string::npos) return;
  if (is_found(program, folder, trial["env"])) return;
  if (is_file(program, folder))
    return faults.warn("trial.command.0", document::quote(program) + " may not be executed", "chmod +x " + program);
  faults.warn("trial.command.0", "there is no program " + document::quote(program) + " on this machine",
              program.find('/') != std::string::npos ? "a path counts from `folder`, the study file's by default"
                                                     : "it is searched in PATH");
}

/// A script that is not there would fail every trial.
void check_script(const Json& trial, const std::filesystem::path& folder, Faults& faults) {
  const Json& command = trial["command"];
  if (faults.is_bad("trial.command") || trial["shell"] == true || !command.is_array() || command.empty()) return;
  const std::size_t at = script_of(command);
  const std::string script = at > 0 ? command[at].get<std::string>() : "";
  std::error_code fault;
  if (script.empty() || script.find_first_of("{}$") != std::string::npos || !std::filesystem::exists(folder, fault))
    return;
  if (std::filesystem::exists(folder / script, fault)) return;
  faults.at(fmt::format("trial.command.{}", at), "there is no file " + document::quote((folder / script).string()),
            "a path counts from `folder`, the study file's by default");
}

}  // namespace

void check_function(const Json& trial, const Json& space, Faults& faults) {
  if (faults.is_bad("trial.function") || !trial["function"].is_object()) return;
  const std::string op = trial["function"]["op"].get<std::string>();
  const auto known = std::find_if(trial::kTestFunctions.begin(), trial::kTestFunctions.end(),
                                  [&](const trial::TestFunction& f) { return f.name == op; });
  int count = 0;
  for (const Json& parameter : space) {
    if (parameter["at"].is_string()) continue;
    if (!faults.is_bad(path_of(parameter)) && !is_numeric(parameter)) {
      faults.at_key(
          path_of(parameter),
          fmt::format("'{}' is a coordinate of {} and must be a number", parameter["name"].get<std::string>(), op),
          "write type: float");
    }
    ++count;
  }
  const bool is_right = known->dimensions == 0 ? count >= known->least : count == known->dimensions;
  if (is_right || faults.is_bad("space")) return;
  faults.at("trial.function",
            fmt::format("{} needs {} coordinates, but {} parameters without 'at' give them", op,
                        known->dimensions != 0 ? std::to_string(known->dimensions)
                        : known->least == 1    ? "one or more"
                                               : fmt::format("{} or more", known->least),
                        count),
            "coordinates are numeric parameters such as x1, x2");
}

void check_command(Json& trial, const Json& space, const std::filesystem::path& folder, Faults& faults) {
  const ArgumentNames names{argument_names(trial, space), trial["shell"] == true};
  const Json& command = trial["command"];
  if (names_nothing(command) && !faults.is_bad("trial.command"))
    faults.at("trial.command", "the command is empty", "write command: [program, argument]");
  for (std::size_t i = 0; command.is_array() && i < command.size(); ++i) {
    const std::string path = "trial.command." + std::to_string(i);
    if (command[i].is_string()) check_argument(command[i].get<std::string>(), names, path, faults);
  }
  if (names.is_script && command.is_array() && command.size() > 1) {
    faults.at("trial.command.1", "with shell: true the command is one text", "join the arguments, or remove shell");
  }
  const bool is_script = names.is_script && command.is_array() && command.size() == 1 && command[0].is_string();
  if (is_script) check_script_text(command, space, faults);
  for (const auto& [metric, expression] : trial["metrics_regex"].items()) {
    if (expression.is_string()) check_regex(expression.get<std::string>(), "trial.metrics_regex." + metric, faults);
  }
  warn_of_variables(trial["env"], names.known, faults);
  const std::filesystem::path path = check_surroundings(trial, folder, faults);
  check_program(trial, path, faults);
  check_script(trial, path, faults);
}

}  // namespace dlrun::spec
