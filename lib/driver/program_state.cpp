// SPDX-License-Identifier: Apache-2.0
#include "driver/program_state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "driver/git.hpp"
#include "spec/script.hpp"
#include "trial/artifacts.hpp"
#include "trial/kinds.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace dlrun::driver {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargest = 64'000'000;  ///< bytes of a file that is read at each start of a driver

/// "train.py:objective": the file, and the interpreter if it is one of the folder's.
std::vector<std::string> words_of_python(const Json& trial) {
  const auto function = trial.at("function").get<std::string>();
  return {function.substr(0, function.rfind(':')), trial.value("python", std::string())};
}

std::vector<std::string> words_of(const Json& trial) {
  if (trial.value("kind", "") == "python") return words_of_python(trial);
  auto command = trial.value("command", std::vector<std::string>());
  if (!trial.value("shell", false) || command.empty()) return command;
  constexpr const char* kBetween = " \t\n'\"`;|&<>()";
  std::vector<std::string> words;
  const std::string& text = command.front();
  for (std::size_t at = text.find_first_not_of(kBetween); at != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(kBetween, end);
  }
  return words;
}

fs::path folder_of(const Json& trial) { return trial.value("folder", std::string(".")); }

bool is_program_file(const fs::path& file) {
  std::error_code fault;
  return fs::is_regular_file(file, fault) && fs::file_size(file, fault) <= kLargest && !fault;
}

/// SHA-256 of a file; empty: it cannot be read.
std::string hash_of(const fs::path& file) {
  try {
    return Sha256::hex_of(read_file(file, kLargest));
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

std::vector<std::string> named_files(const Json& trial) {
  std::set<std::string> files;
  for (const std::string& word : words_of(trial)) {
    if (word.find_first_of("{}$") != std::string::npos) continue;
    const std::size_t equals = word.find('=');
    for (const std::string& name : {word, equals == std::string::npos ? "" : word.substr(equals + 1)}) {
      if (!name.empty() && is_program_file(folder_of(trial) / name)) files.insert(name);
    }
  }
  return {files.begin(), files.end()};
}

ProgramState program_state(const spec::StudySpec& spec) {
  ProgramState state;
  if (!trial::runs_program(spec.kind)) return state;
  const Json& trial = spec.json.at("trial");
  const fs::path folder = folder_of(trial);
  const std::vector<std::string> files = named_files(trial);
  for (const std::string& file : files) {
    const std::string sha256 = hash_of(folder / file);
    if (!sha256.empty()) state.program.files.emplace(file, sha256);
  }
  const std::string revision = git_revision(folder);
  const auto changes = revision.empty() ? std::nullopt : git_changes(folder, files);
  if (!changes) return state;  // a commit alone would say that nothing was changed
  state.program.revision = revision;
  state.changes = *changes;
  if (!state.changes.empty()) state.program.changes = Sha256::hex_of(state.changes);
  return state;
}

void require_script(const spec::StudySpec& spec) {
  if (!trial::runs_program(spec.kind)) return;
  const fs::path file = spec::script_file(spec.json.at("trial"));
  std::error_code fault;
  const bool is_there = file.empty() || fs::exists(file, fault) || !fs::exists(folder_of(spec.json.at("trial")), fault);
  if (is_there) return;
  throw Error(ErrorKind::outside,
              fmt::format("the program of '{}' is gone: there is no file '{}'", spec.name, file.string()),
              "no trial has paid for it; when it is back, run the same command again");
}

void keep_changes(const ProgramState& state, const fs::path& artifacts) {
  if (state.changes.empty()) return;
  const fs::path file = trial::artifact_path(artifacts, state.program.changes);
  if (fs::exists(file)) return;
  make_folders(file.parent_path());
  write_file(file, state.changes);
}

std::vector<ProgramChange> changes_between(const storage::Program& then, const storage::Program& now) {
  std::vector<ProgramChange> changes;
  if (!then.is_recorded()) return changes;
  const auto compare = [&](const std::string& what, const std::string& before, const std::string& after) {
    if (before != after) changes.push_back({what, before, after});
  };
  const auto hash_in = [](const storage::Program& program, const std::string& file) {
    const auto found = program.files.find(file);
    return found == program.files.end() ? std::string() : found->second;
  };
  std::map<std::string, std::string> all = then.files;
  all.insert(now.files.begin(), now.files.end());
  for (const auto& [file, sha256] : all) compare(file, hash_in(then, file), hash_in(now, file));
  compare("git revision", then.revision, now.revision);
  compare("git diff", then.changes, now.changes);
  return changes;
}

std::string program_warning(const storage::Program& then, const storage::Program& now) {
  std::vector<std::string> files;
  for (const ProgramChange& change : changes_between(then, now)) {
    if (then.files.contains(change.what) || now.files.contains(change.what)) files.push_back(change.what);
  }
  if (files.empty()) return {};
  return fmt::format("warning: changed since this study was last taken up: {}; earlier trials were measured before",
                     fmt::join(files, ", "));
}

}  // namespace dlrun::driver
