// SPDX-License-Identifier: Apache-2.0
#include "exchange/crc32c.hpp"

#include <boost/crc.hpp>

namespace dlrun::exchange {

std::uint32_t crc32c(std::string_view bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> sum;
  sum.process_bytes(bytes.data(), bytes.size());
  return sum.checksum();
}

std::uint32_t masked_crc32c(std::string_view bytes) {
  constexpr std::uint32_t kShift = 0xA282EAD8;  // part of the format
  const std::uint32_t sum = crc32c(bytes);
  return ((sum >> 15) | (sum << 17)) + kShift;
}

}  // namespace dlrun::exchange
