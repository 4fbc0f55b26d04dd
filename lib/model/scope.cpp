// SPDX-License-Identifier: Apache-2.0
#include "model/scope.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "model/attributes.hpp"
#include "util/edit_distance.hpp"
#include "util/hints.hpp"

namespace dlrun::model {

namespace {

constexpr std::size_t kLongestScopeName = 100;
constexpr std::string_view kNameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

}  // namespace

Scope Scope::within(const std::string& name, std::string new_input) const {
  Scope scope = *this;
  scope.prefixes.push_back(prefix() + name + '.');
  scope.input = std::move(new_input);
  return scope;
}

bool is_good_name(const std::string& name) {
  return !name.empty() && name.size() <= kLongestScopeName && name.front() != '.' && name.back() != '.' &&
         name.find("..") == std::string::npos && name.find_first_not_of(kNameCharacters) == std::string::npos;
}

Names::Names(const std::vector<std::string>& inputs, Faults& faults)
    : faults_(faults), inputs_(inputs.begin(), inputs.end()), taken_(inputs_) {
  for (const std::string& input : inputs) values_[input] = input;
}

bool Names::claim(const std::string& name, const std::string& path) {
  if (taken_.insert(name).second) return true;
  faults_.add_first({path, fmt::format("there are two layers '{}'", name), "give one of them another name"});
  return false;
}

std::string Names::resolve(const Json& from, const std::string& path, const Scope& scope) {
  if (!from.is_string()) {
    faults_.add({path, fmt::format("'from' must name layers, but is {}", quoted(from)), "a name, or a list of names"});
    return {};
  }
  const std::string name = from.get<std::string>();
  if (name == "input" && !scope.input.empty()) return scope.input;
  for (auto prefix = scope.prefixes.rbegin(); prefix != scope.prefixes.rend(); ++prefix) {
    const auto found = values_.find(*prefix + name);
    if (found != values_.end()) return found->second;
  }
  return guess(name, path, scope);
}

std::string Names::find(const std::string& name, const Scope& scope) const {
  const auto found = values_.find(scope.prefix() + name);
  return found == values_.end() ? std::string() : found->second;
}

std::vector<std::string> Names::all() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : values_) {
    if (!inputs_.contains(name)) names.push_back(name);
  }
  return names;
}

std::string Names::guess(const std::string& name, const std::string& path, const Scope& scope) {
  std::map<std::string, std::string> visible{{"input", scope.input}};
  for (const auto& [full, value] : values_) {
    const bool is_inside = full.rfind(scope.prefix(), 0) == 0;
    visible.emplace(is_inside ? full.substr(scope.prefix().size()) : full, value);
  }
  std::vector<std::string> known;
  for (const auto& [local, value] : visible) known.push_back(local);
  const std::string nearest = nearest_name(name, known);
  faults_.add({path, fmt::format("there is no layer '{}' above this one", name),
               nearest.empty() ? "a layer reads what stands above it in the list"
                               : fmt::format("did you mean '{}'?", nearest)});
  return nearest.empty() ? std::string() : visible[nearest];
}

}  // namespace dlrun::model
