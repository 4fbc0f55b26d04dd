// SPDX-License-Identifier: Apache-2.0
#include "parallel/algorithm.hpp"

#include "parallel/algorithms/made.hpp"

namespace dlrun::parallel {

template <class Real>
std::unique_ptr<Algorithm<Real>> make_algorithm(const Method& method) {
  return std::visit([](const auto& settings) { return make<Real>(settings); }, method);
}

template std::unique_ptr<Algorithm<float>> make_algorithm(const Method&);
template std::unique_ptr<Algorithm<double>> make_algorithm(const Method&);

}  // namespace dlrun::parallel
