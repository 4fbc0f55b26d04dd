// SPDX-License-Identifier: Apache-2.0
// Arithmetic on shapes that cannot overflow, and how a shape is written in a message.
#pragma once
#include <cstdint>
#include <string>

#include "model/graph.hpp"

namespace dlrun::model {

/// The most elements a tensor or an activation may have, and the most parameters a model: what int32 indexing holds.
inline constexpr std::int64_t kMostElements = std::int64_t(1) << 31;

/// The other overloads stay visible, or a call with a Json would convert it to a Shape.
using dlrun::to_text;

/// "[16, 7, 7]".
std::string to_text(const Shape& shape);

/// Number of elements, or kMostElements + 1 where it is more than kMostElements. REQUIRES: sizes >= 0.
std::int64_t elements(const Shape& shape);

/// a * b, or INT64_MAX where it would overflow. REQUIRES: a, b >= 0.
std::int64_t product(std::int64_t a, std::int64_t b);

/// a + b, or INT64_MAX where it would overflow. REQUIRES: a, b >= 0.
std::int64_t sum(std::int64_t a, std::int64_t b);

}  // namespace dlrun::model
