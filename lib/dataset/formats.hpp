// SPDX-License-Identifier: Apache-2.0
// The loaders, one file each, and their common types.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "dataset/dataset.hpp"
#include "dataset/fresh.hpp"
#include "dataset/split_section.hpp"
#include "plugin/found.hpp"

namespace dlrun::dataset {

/// A file or folder that a section names, found.
struct Source {
  std::string key;  ///< place in the section: "path", "train_images", "inputs.x"
  std::filesystem::path file;
  std::vector<std::filesystem::path> parts{};  ///< files of a folder that are read; empty: `file` is a file
};
using Sources = std::vector<Source>;

/// One data kind: its options and its functions.
/// @param data  normalised section.  @param sources  as `find` gave them.
struct Format {
  options::Variant kind;  ///< without `split`, which formats() adds
  SplitBy split;
  Sources (*find)(const Json& data, const Locations& where);  ///< @throws DataError where a file is missing
  Dataset (*load)(const Json& data, const Sources& sources, std::uint64_t seed);
  std::vector<FreshKey> (*fresh_keys)(const Json& data);  ///< keys of files with new examples, the main one first
  /// New examples, prepared as the training ones were.
  std::unique_ptr<FreshStream> (*fresh)(const Json& data, const Sources& sources, const FreshOptions& options,
                                        std::uint64_t seed);
  /// Measures of the training split, beside the scale of arrays (prepared.hpp); nullptr: nothing.
  Json (*measured)(const Json& data, const Sources& sources, std::uint64_t seed) = nullptr;
  /// Hash of the code that reads, where it is no code of dlrun; empty: it is.
  std::string reader = {};
};

/// All formats, in the order of the documentation.
const std::vector<Format>& formats();
/// Format of a normalised section.
const Format& format_of(const Json& data);

Format csv_format();
Format svmlight_format();
Format idx_format();
Format cifar_format();
Format image_folder_format();
Format npy_format();
Format npz_format();
Format safetensors_format();
Format series_format();
Format text_format();
Format text_classes_format();
/// Format of a plugin of kind data.
Format plugin_format(const plugin::Found& found);

/// Format::fresh of a format whose new examples are read as a whole.
template <Fresh (*read)(const Json&, const Sources&, const FreshOptions&, std::uint64_t)>
std::unique_ptr<FreshStream> fresh_whole(const Json& data, const Sources& sources, const FreshOptions& options,
                                         std::uint64_t seed) {
  return in_one_part(read(data, sources, options, seed));
}

/// The one file under `path`.
Sources find_path(const Json& data, const Locations& where);

/// SHA-256 over the files' hashes and the section without its paths.
std::string content_hash(const Json& data, const Sources& sources, const std::vector<std::string>& file_hashes);

/// The seed of the split: the section's own, else the study's.
std::uint64_t split_seed(const Json& data, std::uint64_t seed);

/// Counts of the splits into the schema. @throws DataError: training rows none, a class without one.
void finish_splits(Dataset& dataset, Rows rows);

}  // namespace dlrun::dataset
