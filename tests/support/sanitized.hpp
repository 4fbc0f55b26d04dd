// SPDX-License-Identifier: Apache-2.0
// Whether this test is compiled under the address sanitizer, which takes about ten times as long and reserves
// terabytes.
#pragma once

namespace dlrun {

#if defined(__SANITIZE_ADDRESS__)  // GCC
inline constexpr bool kIsSanitized = true;
#elif defined(__has_feature)  // clang
#if __has_feature(address_sanitizer)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif
#else
inline constexpr bool kIsSanitized = false;
#endif

}  // namespace dlrun
