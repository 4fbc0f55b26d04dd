// SPDX-License-Identifier: Apache-2.0
// Catch2, version 2 (Debian 12) or 3: the one place that knows the difference. Tests write for version 2.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_approx.hpp>
#include <catch2/catch_message.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace Catch::Matchers {
/// Name that version 2 has for this matcher.
inline auto Contains(const std::string& part) { return ContainsSubstring(part); }
}  // namespace Catch::Matchers

using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

using Catch::Matchers::Contains;
