// SPDX-License-Identifier: Apache-2.0
// Images as bytes: the meaning of each byte, by channel, and the keys that decide it.
#pragma once
#include <cstdint>
#include <vector>

#include "dataset/dataset.hpp"

namespace dlrun::dataset {

/// `scale`, `standardise`, `mean`, `std`: for all formats of images.
options::Table pixel_options();

/// Sets scale and shift by channel: a byte divided by `scale`, then (x - mean) / std, which are those of `data`, or
/// with `standardise` measured over the training rows, channel by channel.
/// @param pixels  [examples, channels * height * width] bytes
/// @throws DataError: as many means as channels, standardise beside mean, a deviation of 0 or less.
void scale_pixels(Array& pixels, std::int64_t channels, const std::vector<std::int64_t>& train, const Json& data);

}  // namespace dlrun::dataset
