// SPDX-License-Identifier: Apache-2.0
#include "search/makers.hpp"

#include "util/json.hpp"

namespace dlrun::bench {

using space::Parameter;
using space::Type;

double squared(double x) { return x * x; }

Parameter real(const std::string& name, double low, double high, bool log) {
  return {.name = name, .type = Type::real, .low = low, .high = high, .log = log};
}

Parameter integer(const std::string& name, double low, double high, bool log) {
  return {.name = name, .type = Type::integer, .low = low, .high = high, .log = log};
}

Parameter categorical(const std::string& name, int count) {
  Parameter p{.name = name, .type = Type::categorical};
  for (int i = 0; i < count; ++i) p.choices.emplace_back(name + std::to_string(i));
  return p;
}

std::vector<Parameter> reals(int dimensions, double low, double high) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < dimensions; ++i) parameters.push_back(real("x" + std::to_string(i), low, high));
  return parameters;
}

Problem shifted(const std::string& name, const std::vector<Parameter>& parameters, const Point& optimum,
                double (*value)(const Point&), RandomStream& random) {
  Point shift;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double width = parameters[i].high - parameters[i].low;
    shift.push_back(optimum[i] - (parameters[i].low + width * (0.1 + 0.8 * random.uniform())));
  }
  return {name, space::Space(parameters), [=](Point x) {
            for (std::size_t i = 0; i < x.size(); ++i) x[i] += shift[i];
            return value(x);
          }};
}

std::vector<int> permutation(int count, RandomStream& random) {
  std::vector<int> order;
  for (int i = 0; i < count; ++i) order.push_back(i);
  for (int i = count - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
  return order;
}

}  // namespace dlrun::bench
