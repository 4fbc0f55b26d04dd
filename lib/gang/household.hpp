// SPDX-License-Identifier: Apache-2.0
// The processes of a gang on one host: the first of them starts the others.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gang/link.hpp"
#include "gang/meeting.hpp"
#include "process/child.hpp"

namespace dlrun::gang {

/// Ends with its object: the processes are killed.
class Household {
 public:
  /// Starts `PROGRAM --gang PROCESS` for all processes of `self`'s host after it.  @throws Error(outside)
  Household(const std::filesystem::path& program, const Meeting& meeting, int self);

  /// Memory that all of the host share, for SharedMemory.
  const Descriptor& memory() const { return memory_; }
  /// Connections of the process itself, by process; closed for those of other hosts. To be taken once.
  std::vector<Link> take_links() { return std::move(links_); }
  bool has(int process) const;
  /// A process that has ended.
  std::optional<int> ended();
  /// How a process ended, "ended by signal 9 (Killed)"; waits for the end a moment.
  std::string end_text(int process);

 private:
  struct Member {
    int process;
    process::Child child;
  };
  Member* find(int process);

  Descriptor memory_;
  std::vector<Link> links_;
  std::vector<Member> members_;
};

/// Connections of a process that a household has, as that passed them.
std::vector<Link> passed_links(const Meeting& meeting, int self);
/// Memory that it passed.
Descriptor passed_memory();

}  // namespace dlrun::gang
