// SPDX-License-Identifier: Apache-2.0
// Parameters and spaces that tests of samplers are made of.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "space/space.hpp"
#include "util/json.hpp"

namespace dlrun::support {

inline space::Parameter integer(const std::string& name, double low, double high) {
  return {.name = name, .type = space::Type::integer, .low = low, .high = high};
}

inline space::Parameter categorical(const std::string& name, std::vector<Json> choices) {
  return {.name = name, .type = space::Type::categorical, .choices = std::move(choices)};
}

/// The choices are 0, 1, 2, …
inline space::Parameter categorical(const std::string& name, int count) {
  std::vector<Json> choices;
  for (int i = 0; i < count; ++i) choices.emplace_back(i);
  return categorical(name, std::move(choices));
}

/// Active only where the first parameter of its space has this choice.
inline space::Parameter under(std::uint32_t choice, space::Parameter parameter) {
  parameter.when = {{0, {space::Choice{choice}}}};
  return parameter;
}

/// x0, x1, …, each from 0 to 1.
inline space::Space cube(int dimensions) {
  std::vector<space::Parameter> parameters;
  for (int i = 0; i < dimensions; ++i) parameters.push_back({.name = "x" + std::to_string(i), .low = 0, .high = 1});
  return space::Space(parameters);
}

/// A parameter of each type.
inline space::Space three_kinds() {
  return space::Space({{.name = "lr"}, integer("width", 1, 100), categorical("act", {"relu", "gelu"})});
}

}  // namespace dlrun::support
