// SPDX-License-Identifier: Apache-2.0
// One data set of an open file.
#pragma once
#include <dlrun/plugin/data.hpp>
#include <string>

#include "handle.hpp"

namespace hdf5 {

/// Numbers in this machine's order and texts, whatever the file's order, chunks and filters.
/// @param path  "/group/images"; the leading / may be absent
/// @param key   place in the study's section, for faults
/// @throws DataFault: there is no such data set, its type is none of numbers and texts, its numbers lie in another file
dlrun::plugin::Array read_data_set(hid_t file, const std::string& path, const std::string& key);

}  // namespace hdf5
