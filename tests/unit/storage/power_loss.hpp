// SPDX-License-Identifier: Apache-2.0
// A disk that loses what was not synced: SQLite's files of this process, until the power goes off.
#pragma once
#include <cstdint>

namespace dlrun {

/// From now on every file that SQLite opens in this process lies on such a disk. Its power goes off at the `calls`-th
/// write, truncation or sync: of what was written since a file's last sync some is lost, some is there, some is torn
/// at a sector of 512 bytes, whatever its order; then the process ends with 9. Call it in a child.
void lose_power_after(int calls, std::uint64_t seed);

}  // namespace dlrun
