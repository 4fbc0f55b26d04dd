// SPDX-License-Identifier: Apache-2.0
// Steps that the formats of images share behind their readers: a limit on the examples, the splits, the schema.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "dataset/formats.hpp"

namespace dlrun::dataset {

/// `limit`, `limit_test`.
options::Table limit_options();

/// The examples a `limit` leaves, ascending; all of them where it is null.
/// @param labels  class of each example: every class keeps its share
std::vector<std::int64_t> limited(const std::vector<std::int64_t>& labels, const Json& limit, std::uint64_t seed);

/// Images of one size. Rows: first those to be split, then those the files set aside for validation, then for the test.
struct ImageSet {
  std::int64_t channels = 3, height = 0, width = 0;
  std::vector<std::uint8_t> pixels;         ///< [rows, channels, height, width]
  std::shared_ptr<const std::byte> mapped;  ///< instead of them, where they lie in a file
  std::vector<std::int64_t> labels;         ///< [rows]
  std::vector<std::string> class_names;
  std::int64_t val = 0, test = 0;  ///< rows set aside
  std::string sha256;
};

/// Draws the splits and measures on the training split what `data` asks for (pixels.hpp).
Dataset finish_images(ImageSet images, const Json& data, std::uint64_t seed);

/// New images for a model: a byte has the same meaning as in `trained`. Without targets.
/// @throws DataError: images of another size; a channel that was permuted in training.
Dataset finish_new_images(ImageSet images, const Dataset& trained, const Json& data);

}  // namespace dlrun::dataset
