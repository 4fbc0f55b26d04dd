// SPDX-License-Identifier: Apache-2.0
// What a target of the coverage-guided fuzzer is: one function (libFuzzer's name for it) that gives the bytes to a
// reader. What the reader refuses is fine; a crash, another exception or a broken promise is a finding.
#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace dlrun::fuzz {

inline std::string text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

/// What readers promise of all that they let pass.
inline void require(bool holds, const char* promise) {
  if (!holds) throw std::logic_error(promise);
}

}  // namespace dlrun::fuzz
