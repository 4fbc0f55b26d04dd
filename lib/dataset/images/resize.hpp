// SPDX-License-Identifier: Apache-2.0
// Images to one size.
#pragma once
#include "dataset/images/decode.hpp"

namespace dlrun::dataset {

/// Bilinear with a triangle as wide as the reduction (antialiased), first along rows, then along columns, in 22-bit
/// fixed point and rounded to bytes after each: bit for bit what Pillow's BILINEAR gives, and torchvision's Resize on
/// Pillow images, when it goes along rows first (some versions turn that round where it is cheaper).
Image resized(const Image& image, std::int64_t height, std::int64_t width);

/// The middle, as torchvision's CenterCrop: an odd margin is halved to the even number. REQUIRES: image is as large.
Image centre_cropped(const Image& image, std::int64_t height, std::int64_t width);

/// Resized so that it just covers height x width, the longer side rounded down, then cropped: torchvision's
/// Resize(S) and CenterCrop(S) where height = width = S.
Image covering(const Image& image, std::int64_t height, std::int64_t width);

}  // namespace dlrun::dataset
