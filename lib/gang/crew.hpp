// SPDX-License-Identifier: Apache-2.0
// The processes of a gang beside the first one, which starts them: those of its host, and one on each other host of its
// Slurm job, which starts those of that host.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gang/household.hpp"
#include "gang/place.hpp"
#include "process/child.hpp"

namespace dlrun::gang {

/// Ends with its object: the processes of this host are killed, the others end as their connections do.
class Crew {
 public:
  /// Starts them as `PROGRAM --gang`. Waits until all have found each other.
  /// @param meeting  hosts, and for several hosts key and cipher    @throws Error(outside), NotGathered
  Crew(std::filesystem::path program, Meeting meeting);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  const Meeting& meeting() const { return meeting_; }
  Place& place() { return *place_; }
  /// Ends all and starts them again; the place stays where it is.
  void renew();
  /// How a process ended, "ended by signal 9 (Killed)"; waits for the end a moment.
  std::string end_text(int process);

 private:
  Place gathered();
  void gather_hosts();
  void dismiss();
  void watch(int missing);

  std::filesystem::path program_;
  Meeting meeting_;
  process::Child srun_;  ///< processes of other hosts
  std::optional<Household> household_;
  std::vector<Link> far_;           ///< to other hosts, until there is a place
  std::vector<std::string> names_;  ///< names of other processes' hosts, if there are several
  std::optional<Place> place_;
};

/// A process that a crew started, with its place.
class Follower {
 public:
  /// @param process  nullopt: the first one of a host, by its number in the Slurm step; it starts the others there
  /// @throws Error(outside), Error(usage)
  Follower(const std::filesystem::path& program, std::optional<int> process);

  Place& place() { return *place_; }

 private:
  std::optional<Household> household_;
  std::optional<Place> place_;
};

}  // namespace dlrun::gang
