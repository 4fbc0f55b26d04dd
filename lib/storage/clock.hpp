// SPDX-License-Identifier: Apache-2.0
// Wall-clock time as the store writes it: for people, and for how long a host stays set
// aside; no decision of a study reads it.
#pragma once
#include <cstdint>
#include <string>

namespace dlrun::storage {

/// Milliseconds since 1970, UTC.
std::int64_t now_ms();

/// "2026-11-20T10:00:00Z"; milliseconds are cut off.
std::string to_iso(std::int64_t ms);

}  // namespace dlrun::storage
