// SPDX-License-Identifier: Apache-2.0
// Bytes as text that a script of a page reads again.
#pragma once
#include <string>
#include <string_view>

namespace dlrun::page {

/// RFC 4648 base64, without line ends.
std::string base64(std::string_view bytes);

/// gzip (RFC 1952) of the bytes. The same bytes give the same result. @throws Error(outside) without memory.
std::string gzipped(std::string_view bytes);

}  // namespace dlrun::page
