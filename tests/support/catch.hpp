// SPDX-License-Identifier: Apache-2.0
// Catch2 v2 as Debian 12 ships it; the one place that knows the version.
#pragma once
#include <catch2/catch.hpp>

using Catch::Matchers::Contains;
