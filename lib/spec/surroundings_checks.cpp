// SPDX-License-Identifier: Apache-2.0
// Folder, environment and program of trials that are the user's own code.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "spec/trial_section.hpp"
#include "trial/own_variables.hpp"

namespace dlrun::spec {

namespace {

/// Names of variables, none of which a trial is told what it is by.
void check_environment(const Json& env, Faults& faults) {
  if (!env.is_object()) return;
  for (const auto& [name, value] : env.items()) {
    const std::string path = "trial.env." + name;
    if (name.empty() || name.find('=') != std::string::npos)
      faults.at_key(path, document::quote(name) + " is no name of an environment variable",
                    "a name is not empty and has no '='");
    if (std::find(trial::kOwnVariables.begin(), trial::kOwnVariables.end(), name) != trial::kOwnVariables.end())
      faults.at_key(path, fmt::format("'{}' is set by dlrun for every trial", name), "take another name");
  }
}

bool is_program(const std::filesystem::path& file) {
  std::error_code fault;
  return std::filesystem::is_regular_file(file, fault) && ::access(file.c_str(), X_OK) == 0;
}

}  // namespace

bool is_found(const std::string& program, const std::filesystem::path& folder, const Json& env) {
  if (program.find('/') != std::string::npos) return is_program((folder / program).lexically_normal());
  const char* const ours = std::getenv("PATH");
  std::string rest = env.is_object() && env.contains("PATH") ? "" : ours != nullptr ? ours : "/bin:/usr/bin";
  if (rest.empty()) return true;  // searched where the program runs
  for (std::size_t end = 0; end != std::string::npos;) {
    end = rest.find(':');
    if (is_program(folder / rest.substr(0, end) / program)) return true;
    if (end != std::string::npos) rest.erase(0, end + 1);
  }
  return false;
}

std::filesystem::path check_surroundings(Json& trial, const std::filesystem::path& folder, Faults& faults) {
  const bool says_most = trial["artifacts"].is_object() && !trial["artifacts"]["max_mb"].is_null();
  if (!says_most) trial.erase("artifacts");  // no part of the identity of studies that do not say it
  const std::string written = trial["folder"].is_string() ? trial["folder"].get<std::string>() : ".";
  std::filesystem::path path = (folder / written).lexically_normal();
  std::error_code fault;
  if (!std::filesystem::is_directory(path, fault)) {
    faults.at("trial.folder", "there is no folder " + document::quote(path.string()));
  }
  check_environment(trial["env"], faults);
  trial["folder"] = path.has_filename() || path == "/" ? path.string() : path.parent_path().string();
  return path;
}

}  // namespace dlrun::spec
