// SPDX-License-Identifier: Apache-2.0
#include "nn/layer.hpp"
#include "util/error.hpp"

namespace dlrun::nn {

const Parameter* Scope::find(const std::string& local) const { return parameters_.find(node_.name + "." + local); }

const Parameter& Scope::tensor(const std::string& local) const {
  if (const Parameter* found = find(local)) return *found;
  throw Error(ErrorKind::internal, "layer '" + node_.name + "' (" + node_.op + ") has no tensor '" + local + "'");
}

const Json* Scope::attribute(const std::string& key) const {
  const auto found = node_.attributes.find(key);
  return found == node_.attributes.end() || found->is_null() ? nullptr : &*found;
}

void Scope::refuse(const std::string& key, const char* wanted) const {
  throw Error(ErrorKind::usage, "layer '" + node_.name + "': '" + key + "' is " + to_text(node_.attributes.at(key)) +
                                    ", which is not " + wanted);
}

std::int64_t Scope::integer(const std::string& key, std::int64_t fallback) const {
  const Json* value = attribute(key);
  if (value && !value->is_number_integer()) refuse(key, "an integer");
  return value ? value->get<std::int64_t>() : fallback;
}

double Scope::number(const std::string& key, double fallback) const {
  const Json* value = attribute(key);
  if (value && !value->is_number()) refuse(key, "a number");
  return value ? value->get<double>() : fallback;
}

bool Scope::boolean(const std::string& key, bool fallback) const {
  const Json* value = attribute(key);
  if (value && !value->is_boolean()) refuse(key, "true or false");
  return value ? value->get<bool>() : fallback;
}

std::string Scope::text(const std::string& key, const std::string& fallback) const {
  const Json* value = attribute(key);
  if (value && !value->is_string()) refuse(key, "a name");
  return value ? value->get<std::string>() : fallback;
}

std::vector<std::int64_t> Scope::pair(const std::string& key, std::int64_t fallback) const {
  const Json* value = attribute(key);
  if (!value) return {fallback, fallback};
  if (value->is_number_integer()) return {value->get<std::int64_t>(), value->get<std::int64_t>()};
  const bool is_pair =
      value->is_array() && value->size() == 2 && (*value)[0].is_number_integer() && (*value)[1].is_number_integer();
  if (!is_pair) refuse(key, "an integer or a list of two");
  return value->get<std::vector<std::int64_t>>();
}

}  // namespace dlrun::nn
