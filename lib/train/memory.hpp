// SPDX-License-Identifier: Apache-2.0
// How this process keeps freed memory.
#pragma once

namespace dlrun::train {

/// Freed blocks stay with the process: a training step frees and asks for the same megabytes again and again, and each
/// time mapping them anew costs more than the layer that fills them. Blocks above 32 MB, glibc's limit, are still
/// mapped.
void keep_freed_memory();

}  // namespace dlrun::train
