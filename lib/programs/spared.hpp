// SPDX-License-Identifier: Apache-2.0
// Processes of this one that end by a word of ours. What else descends from it was left by a keeper that died.
#pragma once
#include <sys/types.h>

namespace dlrun::programs {

/// Spares a process, and all that descends from it, while it lives.
class Spared {
 public:
  explicit Spared(pid_t pid);
  ~Spared();
  Spared(const Spared&) = delete;
  Spared& operator=(const Spared&) = delete;

 private:
  pid_t pid_;
};

/// Kills all descendants of this process that are not spared.
void end_all_but_spared();

}  // namespace dlrun::programs
