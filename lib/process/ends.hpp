// SPDX-License-Identifier: Apache-2.0
// Pipes, sockets and files in memory to talk to a child by. They are closed on exec: a child that another thread starts
// never inherits them.
#pragma once
#include <string>

#include "util/descriptor.hpp"

namespace dlrun::process {

/// Two connected ends: of a pipe, or of a pair of sockets.
struct Ends {
  Descriptor ours, theirs;
};

/// The child writes. @throws Error(outside), as all of these
Ends pipe_from_child();
/// The child reads.
Ends pipe_to_child();
/// Sockets in both directions: a write to a child that has ended is an error and not a signal.
Ends socket_pair();
/// A file in memory with these bytes, to be read from its beginning. Neither side waits for the other, as with pipes.
Descriptor file_in_memory(const std::string& bytes = {});
/// All bytes of a file, from its beginning.
std::string bytes_of(const Descriptor& file);

}  // namespace dlrun::process
