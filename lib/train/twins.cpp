// SPDX-License-Identifier: Apache-2.0
#include "train/twins.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "util/error.hpp"

namespace dlrun::train {

namespace {

bool are_twins(const NamedNumbers& a, const NamedNumbers& b) {
  return a.numbers.size() == b.numbers.size() &&
         std::memcmp(a.numbers.data(), b.numbers.data(), a.numbers.size_bytes()) == 0;
}

/// Positive zeros, bit by bit.
bool is_zero(const NamedNumbers& one) {
  const auto* bytes = reinterpret_cast<const char*>(one.numbers.data());
  return std::all_of(bytes, bytes + one.numbers.size_bytes(), [](char byte) { return byte == 0; });
}

std::string kind_of(const NamedNumbers& one) { return one.name.substr(one.name.rfind('.') + 1); }

const NamedNumbers* find(const std::vector<NamedNumbers>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const NamedNumbers& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

Json twins_of(const std::vector<NamedNumbers>& all) {
  Json twins = Json::object();
  std::map<std::string, const NamedNumbers*> first;
  for (const NamedNumbers& one : all) {
    const NamedNumbers* other = first.emplace(kind_of(one), &one).first->second;
    if (is_zero(one))
      twins[one.name] = "";
    else if (other != &one && are_twins(one, *other))
      twins[one.name] = other->name;
  }
  return twins;
}

std::vector<NamedNumbers> without_twins(const std::vector<NamedNumbers>& all, const Json& twins) {
  std::vector<NamedNumbers> rest;
  for (const NamedNumbers& one : all) {
    if (!twins.contains(one.name)) rest.push_back(one);
  }
  return rest;
}

void fill_twins(const std::vector<NamedNumbers>& all, const Json& twins) {
  for (const auto& [name, of] : twins.items()) {
    const NamedNumbers* const one = find(all, name);
    const std::string other = of.get<std::string>();
    if (one == nullptr) continue;  // earlier versions had states of optimisers that take no steps
    if (other.empty()) {
      std::fill(one->numbers.begin(), one->numbers.end(), 0.0F);
      continue;
    }
    const NamedNumbers* const from = find(all, other);
    if (from == nullptr || from->numbers.size() != one->numbers.size() || twins.contains(other))
      throw Error(ErrorKind::usage, "'" + name + "' of its ranks is no twin of '" + other + "'");
    std::copy(from->numbers.begin(), from->numbers.end(), one->numbers.begin());
  }
}

}  // namespace dlrun::train
