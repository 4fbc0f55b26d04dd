// SPDX-License-Identifier: Apache-2.0
// Channels of images that are inputs, and those without information: an ablation of a channel trains with them.
#pragma once
#include "dataset/images/image_set.hpp"
#include "dataset/split.hpp"

namespace dlrun::dataset {

/// `channels`, `replace`.
options::Table channel_options();

/// Leaves the channels that the section names, in the images' own order.
/// @throws DataError: a number that is no channel, or stands there twice; all of them are named.
void keep_channels(ImageSet& images, const Json& data);

/// Permutes the channels that the section names so: a channel changes images within each split, by the streams (seed,
/// "replace", channel, split).
/// @throws DataError: `replace` names no channel, or another word.
void permute_channels(ImageSet& images, const Json& data, const Rows& splits, std::uint64_t seed);

/// Holds channels with `replace: mean`: all bytes of the channel stand for their mean over the training images.
void hold_channels(Array& pixels, std::int64_t channels, const Json& data, const std::vector<std::int64_t>& train);

}  // namespace dlrun::dataset
