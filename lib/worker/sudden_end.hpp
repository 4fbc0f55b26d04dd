// SPDX-License-Identifier: Apache-2.0
// The end of a worker whose driver vanished or whose time is up: the process exits at once, from any thread.
#pragma once
#include <functional>

namespace dlrun::worker {

/// Sets the function that is called just before the process ends.
void at_sudden_end(std::function<void()> clean_up_now);

[[noreturn]] void end_suddenly(int code);

}  // namespace dlrun::worker
