// SPDX-License-Identifier: Apache-2.0
// Cores on which a program may run.
#pragma once
#include <sys/types.h>

namespace dlrun::programs {

/// Gives this process and all that descend from it the cores of another one, thread by thread: of the worker that goes
/// on with the program, which may be tied to cores of its own. What cannot be changed stays.
void move_to_cores_of(pid_t other);

}  // namespace dlrun::programs
