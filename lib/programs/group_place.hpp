// SPDX-License-Identifier: Apache-2.0
// Knowledge that a leader hands to its ranks through the environment, which srun carries to all hosts.
#pragma once
#include <sys/types.h>

#include <string>

namespace dlrun::programs {

inline constexpr const char* kGroupVariable = "DLRUN_GROUP";
inline constexpr std::size_t kTokenLength = 32;

struct GroupPlace {
  int port = 0;        ///< where the leader listens
  std::string token;   ///< kTokenLength characters with which a connection begins
  pid_t leader = 0;    ///< on the host of rank 0, which takes over its descriptors 3 and 4
  std::string folder;  ///< working directory of the program
  int nodes = 1;
  int gpus = 0;  ///< GPUs that each host gives; 0: as Slurm does
};

std::string text_of(const GroupPlace& place);
/// @throws Error(usage) if the text is none
GroupPlace group_place(const std::string& text);

/// A token that nobody can guess.
std::string new_token();

}  // namespace dlrun::programs
