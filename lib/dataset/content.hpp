// SPDX-License-Identifier: Apache-2.0
// A data set as its files are now, without the cache of schemas, which knows their time and size.
#pragma once
#include <filesystem>
#include <vector>

#include "dataset/dataset.hpp"

namespace dlrun::dataset {

/// Schema as by inspect(), from the files' bytes alone. @throws DataError as inspect()
Schema read_schema(const Json& data, const Locations& where, std::uint64_t seed);

/// The files of a section, those in its folders too.
std::vector<std::filesystem::path> files_of(const Json& data, const Locations& where);

}  // namespace dlrun::dataset
