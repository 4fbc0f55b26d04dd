// SPDX-License-Identifier: Apache-2.0
// Trials of kind python.
#include <fmt/format.h>

#include <filesystem>
#include <regex>

#include "spec/trial_section.hpp"
#include "util/files.hpp"

namespace dlrun::spec {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFunction = "trial.function";
constexpr const char* kExample = "write function: train.py:objective";

bool is_name(const std::string& text) {
  static const std::regex name("[A-Za-z_]\\w*(\\.[A-Za-z_]\\w*)*");
  return std::regex_match(text, name);
}

/// Functions that the file's own text defines, in its order.
std::vector<std::string> functions_of(const std::string& text) {
  static const std::regex definition("(?:^|\\n)(?:async )?def (\\w+)");
  std::vector<std::string> names;
  for (std::sregex_iterator it(text.begin(), text.end(), definition), end; it != end; ++it)
    names.push_back((*it)[1].str());
  return names;
}

/// A name may also be imported or assigned there, but it stands there.
void check_name_in(const fs::path& file, const std::string& name, Faults& faults) {
  const std::string text = read_file(file), first = name.substr(0, name.find('.'));
  if (std::regex_search(text, std::regex("\\b" + first + "\\b")) || text.find("import *") != std::string::npos) return;
  const auto known = functions_of(text);
  faults.at(kFunction, fmt::format("'{}' has no {}", file.string(), document::quote(first)),
            known.empty() ? "it defines no function" : suggest(first, known, "it defines"));
}

void check_function_of(const Json& trial, const fs::path& folder, Faults& faults) {
  if (faults.is_bad(kFunction) || !trial["function"].is_string()) return;
  const auto text = trial["function"].get<std::string>();
  const std::size_t colon = text.rfind(':');
  const std::string file = text.substr(0, colon), name = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (!file.ends_with(".py") || !is_name(name))
    return faults.at(kFunction, document::quote(text) + " names no file of Python and a function in it", kExample);
  std::error_code fault;
  if (!fs::exists(folder, fault)) return;
  if (fs::is_regular_file(folder / file, fault)) return check_name_in(folder / file, name, faults);
  faults.at(kFunction, "there is no file " + document::quote((folder / file).lexically_normal().string()),
            "a path counts from `folder`, the study file's by default");
}

/// Workers of other machines may have it.
void check_interpreter(Json& trial, const fs::path& folder, Faults& faults) {
  if (faults.is_bad("trial.python") || !trial["python"].is_string()) return;
  const auto python = trial["python"].get<std::string>();
  if (python.empty()) return faults.at("trial.python", "the interpreter has no name", "write python: python3");
  if (is_found(python, folder, trial["env"])) return;
  faults.warn("trial.python", "there is no interpreter " + document::quote(python) + " on this machine",
              python.find('/') != std::string::npos ? "a path counts from `folder`, the study file's by default"
                                                    : "it is searched in PATH");
}

/// After a fork the child of a process that uses CUDA cannot.
void choose_isolation(Json& study) {
  Json& trial = study["trial"];
  const Json& resources = study["resources"];
  const bool is_on_cpu = resources.is_object() && resources.value("device", Json("cpu")) == "cpu";
  if (trial["isolate"].is_null()) trial["isolate"] = is_on_cpu ? "fork" : "none";
}

}  // namespace

void check_python(Json& study, const fs::path& folder, Faults& faults) {
  Json& trial = study["trial"];
  const fs::path path = check_surroundings(trial, folder, faults);
  check_function_of(trial, path, faults);
  check_interpreter(trial, path, faults);
  choose_isolation(study);
}

}  // namespace dlrun::spec
