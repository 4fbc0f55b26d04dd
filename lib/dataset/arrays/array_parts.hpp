// SPDX-License-Identifier: Apache-2.0
// The arrays that a section names, wherever they are, for all formats of arrays.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "dataset/arrays/mapped.hpp"
#include "dataset/arrays/tensor.hpp"
#include "dataset/formats.hpp"

namespace dlrun::dataset {

/// An input's name in the model, and where it is: a file or an array of the archive.
struct Named {
  std::string name;
  std::string where;
  std::string key;  ///< place in the section
};

/// `inputs: a` is short for `inputs: {x: a}`; one target has no name. @throws DataError: an empty map, a name with . /
/// or ~.
std::vector<Named> named(const Json& data, const char* key);

/// Keys of the formats of arrays: `inputs`, `targets`, `indices`, `task`, `scale`, …
/// @param what  "a file" or "an array"
options::Table array_options(const std::string& what);

/// Tensors that a section names.
struct Parts {
  std::vector<Tensor> inputs;
  std::vector<Tensor> targets;
};
using Get = std::function<RawTensor(const Named&)>;

/// @param prefix  of the keys: "" or "test_".  @throws DataError: arrays of different numbers of examples.
Parts read_parts(const Json& data, const std::string& prefix, const Get& get);

/// All arrays as a data set: training rows, then those of a test split that is apart.
Dataset assemble(const Json& data, const Get& get, std::string sha256, std::uint64_t seed);

/// Format::fresh of arrays.
/// @param get      of the new ones; what it lent stays.  @param mapped  where they lie, by now
/// @param trained  data set of the section's own arrays
std::unique_ptr<FreshStream> fresh_arrays(const Json& data, const Get& get, const std::vector<Mapped>& mapped,
                                          const FreshOptions& options, const Dataset& trained);

}  // namespace dlrun::dataset
