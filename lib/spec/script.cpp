// SPDX-License-Identifier: Apache-2.0
#include "spec/script.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace dlrun::spec {

std::size_t script_of(const Json& command) {
  constexpr std::array kInterpreters{"python", "python3", "sh", "bash", "Rscript", "julia", "node", "perl", "ruby"};
  constexpr std::array kFlags{"-u", "-B", "-O", "-E", "-s", "-S", "-I", "-e", "-x"};
  const auto word = [&](std::size_t i) { return command[i].is_string() ? command[i].get<std::string>() : ""; };
  const std::string program = std::filesystem::path(word(0)).filename().string();
  if (std::find(kInterpreters.begin(), kInterpreters.end(), program) == kInterpreters.end()) return 0;
  std::size_t i = 1;
  const bool is_shell = program == "sh" || program == "bash";  // elsewhere -e is followed by code
  while (i < command.size() && std::find(kFlags.begin(), kFlags.end(), word(i)) != kFlags.end()) {
    if (word(i) == "-e" && !is_shell) return 0;
    ++i;
  }
  const bool is_script = i < command.size() && !word(i).empty() && word(i)[0] != '-';
  return is_script ? i : 0;
}

namespace {

std::string script_name(const Json& trial) {
  const Json function = trial.value("function", Json());
  if (function.is_string()) return function.get<std::string>().substr(0, function.get<std::string>().rfind(':'));
  const Json command = trial.value("command", Json());
  if (trial.value("shell", Json()) == true || !command.is_array() || command.empty()) return {};
  const std::size_t at = script_of(command);
  return at > 0 ? command[at].get<std::string>() : std::string();
}

}  // namespace

std::filesystem::path script_file(const Json& trial) {
  const std::string name = script_name(trial);
  if (name.empty() || name.find_first_of("{}$") != std::string::npos) return {};
  return std::filesystem::path(trial.value("folder", std::string("."))) / name;
}

}  // namespace dlrun::spec
