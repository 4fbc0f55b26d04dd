// SPDX-License-Identifier: Apache-2.0
// The processes of a gang beside the first one, which starts them.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "gang/place.hpp"
#include "process/child.hpp"

namespace dlrun::gang {

/// Ends with its object: the processes are killed.
class Crew {
 public:
  /// Starts `processes` − 1 processes: PROGRAM --gang PROCESS PROCESSES, which find their place by place_of().
  /// @throws Error(outside)
  Crew(const std::filesystem::path& program, int processes);

  int processes() const { return place_.mesh.processes(); }
  Place& place() { return place_; }
  /// How a process ended, "ended by signal 9 (Killed)"; waits for the end a moment.
  std::string end_text(int process);

 private:
  std::vector<process::Child> children_;  ///< by process, from the second one on
  Place place_;
};

}  // namespace dlrun::gang
