// SPDX-License-Identifier: Apache-2.0
// The loaders, one file each, and what they share.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "dataset/dataset.hpp"
#include "dataset/split.hpp"

namespace dlrun::dataset {

/// A file of a section, found.
struct Source {
  std::string key;  ///< "path", "train_images"
  std::filesystem::path file;
};

/// Files of a normalised section. @throws DataError where one is missing.
std::vector<Source> find_sources(const Json& data, const Locations& where);

/// @param data normalised section.  @param sources as find_sources() gave them.
Dataset load_csv(const Json& data, const std::vector<Source>& sources, std::uint64_t seed);
/// The schema alone, without images in memory as floats.
Schema inspect_idx(const Json& data, const std::vector<Source>& sources, std::uint64_t seed);
Dataset load_idx(const Json& data, const std::vector<Source>& sources, std::uint64_t seed);

/// SHA-256 over the files' hashes and the section without its paths.
std::string content_hash(const Json& data, const std::vector<std::string>& file_hashes);

/// The seed of the split: the section's own, else the study's.
std::uint64_t split_seed(const Json& data, std::uint64_t seed);

/// Counts of the splits into the schema. @throws DataError: training rows none, a class without one.
void finish_splits(Dataset& dataset, Rows rows);

}  // namespace dlrun::dataset
