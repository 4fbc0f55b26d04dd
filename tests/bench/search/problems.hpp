// SPDX-License-Identifier: Apache-2.0
// What searches are measured on: functions with a known least value, shifted by a seed.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "space/space.hpp"

namespace dlrun::bench {

/// A value for every parameter: numbers as they are, a choice by its index, NaN where the parameter is not active.
using Point = std::vector<double>;

/// A function to be minimised whose least value is 0.
struct Problem {
  std::string name;
  space::Space space;
  std::function<double(const Point&)> regret;
};

/// Names in the order of the table: defaults of samplers were chosen with these in sight.
std::vector<std::string> problem_names();
/// Ten others, on which nothing was tuned (other_problems.cpp).
std::vector<std::string> other_problem_names();

/// The problem with its optimum where `seed` puts it: for functions of real numbers inside the middle 80 % of each
/// side of the domain (but hartmann6, which stays as it is); for the others, which choices are good. REQUIRES: a name
/// of problem_names() or other_problem_names().
Problem make_problem(const std::string& name, std::uint64_t seed);
Problem make_other_problem(const std::string& name, std::uint64_t seed);

Point point_of(const space::Space& space, const space::Values& values);

}  // namespace dlrun::bench
