// SPDX-License-Identifier: Apache-2.0
// A process that is not our child, until its end.
#pragma once
#include <sys/types.h>

#include "util/descriptor.hpp"

namespace dlrun::process {

/// A descriptor that becomes readable with the end of a process. Not open: none could be had.
Descriptor descriptor_of(pid_t pid);

/// Seen by a descriptor of it: its number may have another process afterwards.
class Watched {
 public:
  /// REQUIRES: whoever has it as a child reaps it later than this is made
  explicit Watched(pid_t pid);
  pid_t pid() const { return pid_; }
  /// Becomes readable with its end; -1: no descriptor was left for it.
  int watch() const { return watch_.fd(); }
  bool has_ended() const;

 private:
  pid_t pid_;
  Descriptor watch_;
};

}  // namespace dlrun::process
