// SPDX-License-Identifier: Apache-2.0
// The program of `command` and `python` trials as it is now: its files and their git work tree. No decision rests on
// them.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "spec/study_spec.hpp"
#include "storage/rows.hpp"

namespace dlrun::driver {

/// Files that a trial names and that are there, as written and sorted. Of a command: an argument, or the part behind
/// its first '='; with `shell` the words of the text; arguments with parameters name none. Of Python: the function's
/// file, and the interpreter if its name is a path.
std::vector<std::string> named_files(const Json& trial);

struct ProgramState {
  storage::Program program;
  std::string changes;  ///< text of the artifact program.changes; empty: none
};

/// An empty one for other kinds of trials.
ProgramState program_state(const spec::StudySpec& spec);

/// Looks for the script or function of a study that is resumed: without it each trial would fail by its own fault.
/// @throws Error(outside) if the program's folder is there without it
void require_script(const spec::StudySpec& spec);

/// Puts the changes into the artifacts. @throws Error(outside).
void keep_changes(const ProgramState& state, const std::filesystem::path& artifacts);

/// One fact of a program that is another than it was.
struct ProgramChange {
  std::string what;       ///< a file, "git revision", "git diff"
  std::string then, now;  ///< SHA-256 or commit; empty: none
};

/// By name; none where nothing was recorded.
std::vector<ProgramChange> changes_between(const storage::Program& then, const storage::Program& now);

/// A warning for a study with trials whose named files are not what they were; empty: they are, or none was recorded.
/// Commits alone say nothing of the program.
std::string program_warning(const storage::Program& then, const storage::Program& now);

}  // namespace dlrun::driver
