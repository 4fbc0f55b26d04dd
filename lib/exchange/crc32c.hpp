// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli, RFC 3720), and the masked form that TFRecord files store.
#pragma once
#include <cstdint>
#include <string_view>

namespace dlrun::exchange {

/// Checksum of the bytes: 0xE3069283 of "123456789".
std::uint32_t crc32c(std::string_view bytes);

/// The same, rotated right by 15 bits and shifted by a constant: TFRecord's form, so that a checksum of bytes that hold
/// a checksum stays strong.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace dlrun::exchange
