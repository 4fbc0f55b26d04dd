// SPDX-License-Identifier: Apache-2.0
// The .npy format of numpy, versions 1 to 3 (numpy.lib.format): magic, version, length and text of the header, a Python
// dictionary with 'descr', 'fortran_order' and 'shape'; then the numbers.
#pragma once
#include <string>
#include <string_view>

#include "dataset/arrays/tensor.hpp"

namespace dlrun::dataset {

/// @param bytes  the whole file, and its owner.  @param name  for messages.  @param key  place in the section.
/// @throws DataError with the byte: no npy, a type that holds no numbers, more or fewer bytes than the shape says.
RawTensor read_npy(const std::shared_ptr<const std::byte>& bytes, std::size_t size, const std::string& name,
                   const std::string& key);

}  // namespace dlrun::dataset
