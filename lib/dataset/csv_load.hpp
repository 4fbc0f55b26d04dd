// SPDX-License-Identifier: Apache-2.0
// A table as a data set.
#pragma once
#include "dataset/formats.hpp"

namespace dlrun::dataset {

Dataset load_csv(const Json& data, const Sources& sources, std::uint64_t seed);

}  // namespace dlrun::dataset
