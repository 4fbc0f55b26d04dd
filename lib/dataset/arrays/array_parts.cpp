// SPDX-License-Identifier: Apache-2.0
#include "dataset/arrays/array_parts.hpp"

#include <fmt/format.h>

#include "util/value_form.hpp"

namespace dlrun::dataset {

std::vector<Named> named(const Json& data, const char* key) {
  if (data[key].is_null()) return {};
  if (data[key].is_string()) return {{"x", data[key].get<std::string>(), key}};
  std::vector<Named> result;
  for (const auto& [name, where] : data[key].items())
    result.push_back({name, where.get<std::string>(), fmt::format("{}.{}", key, name)});
  if (result.empty()) throw DataError(key, fmt::format("'{}' is an empty map", key), "inputs: {x: …}");
  for (const Named& input : result) {
    if (input.name.find_first_of("./~") != std::string::npos)
      throw DataError(key, fmt::format("an input cannot be named {}", quoted(Json(input.name))), "letters and digits");
  }
  return result;
}

Parts read_parts(const Json& data, const std::string& prefix, const Get& get) {
  Parts parts;
  for (const Named& input : named(data, (prefix + "inputs").c_str()))
    parts.inputs.push_back(to_tensor(get(input), input.key));
  const std::string key = prefix + "targets";
  parts.targets = to_tensor(get({"targets", data[key].get<std::string>(), key}), key);
  for (const Tensor& input : parts.inputs) {
    if (input.shape[0] == parts.targets.shape[0]) continue;
    throw DataError(prefix + "inputs",
                    fmt::format("{} has {} examples, but {} has {}", input.name, input.shape[0], parts.targets.name,
                                parts.targets.shape[0]),
                    "the first size of all arrays is the number of examples");
  }
  return parts;
}

}  // namespace dlrun::dataset
