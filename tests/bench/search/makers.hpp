// SPDX-License-Identifier: Apache-2.0
// Parts of problems: parameters, shifts, permutations.
#pragma once
#include "search/problems.hpp"
#include "util/random.hpp"

namespace dlrun::bench {

double squared(double x);

space::Parameter real(const std::string& name, double low, double high, bool log = false);
space::Parameter integer(const std::string& name, double low, double high, bool log = false);
space::Parameter categorical(const std::string& name, int count);
/// `dimensions` numbers x0, x1, … with the same bounds.
std::vector<space::Parameter> reals(int dimensions, double low, double high);

/// The function moved so that its optimum lies at a random place of the middle 80 %.
Problem shifted(const std::string& name, const std::vector<space::Parameter>& parameters, const Point& optimum,
                double (*value)(const Point&), RandomStream& random);

std::vector<int> permutation(int count, RandomStream& random);

}  // namespace dlrun::bench
