// SPDX-License-Identifier: Apache-2.0
// Images in MNIST's format as a data set.
#pragma once
#include "dataset/formats.hpp"

namespace dlrun::dataset {

/// Format::fresh.
Fresh fresh_idx(const Json& data, const Sources& sources, const FreshOptions& options, std::uint64_t seed);
Dataset load_idx(const Json& data, const Sources& sources, std::uint64_t seed);

}  // namespace dlrun::dataset
