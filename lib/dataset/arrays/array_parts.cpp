// SPDX-License-Identifier: Apache-2.0
#include "dataset/arrays/array_parts.hpp"

#include <string_view>

#include <fmt/format.h>

#include "dataset/targets.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

std::vector<Named> named(const Json& data, const char* key) {
  if (data[key].is_null()) return {};
  const bool are_inputs = std::string_view(key).ends_with("inputs");
  if (data[key].is_string()) return {{are_inputs ? "x" : "", data[key].get<std::string>(), key}};
  if (!are_inputs) check_target_names(data[key], key);
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

namespace {

void require_as_many(const Tensor& array, const Tensor& target, const std::string& key) {
  if (array.shape[0] == target.shape[0]) return;
  throw DataError(
      key, fmt::format("{} has {} examples, but {} has {}", array.name, array.shape[0], target.name, target.shape[0]),
      "the first size of all arrays is the number of examples");
}

}  // namespace

Parts read_parts(const Json& data, const std::string& prefix, const Get& get) {
  Parts parts;
  for (const Named& input : named(data, (prefix + "inputs").c_str()))
    parts.inputs.push_back(to_tensor(get(input), input.key));
  for (const Named& target : named(data, (prefix + "targets").c_str()))
    parts.targets.push_back(to_tensor(get(target), target.key));
  const Tensor& first = parts.targets.front();
  for (const Tensor& input : parts.inputs) require_as_many(input, first, prefix + "inputs");
  for (const Tensor& target : parts.targets) require_as_many(target, first, prefix + "targets");
  return parts;
}

}  // namespace dlrun::dataset
