// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "nn/layer.hpp"
#include "util/error.hpp"

namespace dlrun::nn {

const Parameter* Scope::find(const std::string& local) const {
  const std::string name = node_.name + "." + local;
  const Parameter* own = parameters_.find(name);
  return own ? own : parameters_.find_shared(name);
}

const Parameter& Scope::tensor(const std::string& local) const {
  if (const Parameter* found = find(local)) return *found;
  throw Error(ErrorKind::internal, "layer '" + node_.name + "' (" + node_.op + ") has no tensor '" + local + "'");
}

std::vector<std::string> Scope::locals() const {
  std::vector<std::string> names;
  for (const model::Tensor& tensor : node_.tensors) names.push_back(tensor.name);
  for (const model::SharedTensor& tensor : node_.shared) names.push_back(tensor.name);
  return names;
}

bool Scope::has(const std::string& key) const {
  const auto found = node_.attributes.find(key);
  return found != node_.attributes.end() && !found->is_null();
}

const Json& Scope::attribute(const std::string& key) const {
  if (has(key)) return node_.attributes.at(key);
  throw Error(ErrorKind::internal, "layer '" + node_.name + "' (" + node_.op + ") has no attribute '" + key + "'");
}

void Scope::refuse(const std::string& key, const char* wanted) const {
  throw Error(ErrorKind::usage, "layer '" + node_.name + "': '" + key + "' is " + to_text(node_.attributes.at(key)) +
                                    ", which is not " + wanted);
}

std::int64_t Scope::integer(const std::string& key) const {
  const Json& value = attribute(key);
  if (!value.is_number_integer()) refuse(key, "an integer");
  return value.get<std::int64_t>();
}

double Scope::number(const std::string& key) const {
  const Json& value = attribute(key);
  if (!value.is_number()) refuse(key, "a number");
  return value.get<double>();
}

bool Scope::boolean(const std::string& key) const {
  const Json& value = attribute(key);
  if (!value.is_boolean()) refuse(key, "true or false");
  return value.get<bool>();
}

std::string Scope::text(const std::string& key) const {
  const Json& value = attribute(key);
  if (!value.is_string()) refuse(key, "a name");
  return value.get<std::string>();
}

std::vector<std::int64_t> Scope::sizes(const std::string& key, std::size_t count) const {
  const Json& value = attribute(key);
  if (value.is_number_integer()) return std::vector<std::int64_t>(count, value.get<std::int64_t>());
  const bool fits = value.is_array() && value.size() == count &&
                    std::all_of(value.begin(), value.end(), [](const Json& v) { return v.is_number_integer(); });
  if (!fits)
    refuse(key, count == 2 ? "an integer or a list of two" : "an integer or a list with one for each direction");
  return value.get<std::vector<std::int64_t>>();
}

}  // namespace dlrun::nn
