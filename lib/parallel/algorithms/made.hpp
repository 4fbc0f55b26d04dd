// SPDX-License-Identifier: Apache-2.0
// Each file of this folder makes the algorithm of one method.
#pragma once
#include "parallel/algorithm.hpp"

namespace dlrun::parallel {

template <class Real>
using Made = std::unique_ptr<Algorithm<Real>>;

// clang-format off
template <class Real> Made<Real> make(const Bsp&);
template <class Real> Made<Real> make(const ArSgd&);
template <class Real> Made<Real> make(const Asp&);
template <class Real> Made<Real> make(const Ssp&);
template <class Real> Made<Real> make(const Easgd&);
template <class Real> Made<Real> make(const GoSgd&);
template <class Real> Made<Real> make(const AdPsgd&);
template <class Real> Made<Real> make(const Aladdin&);
template <class Real> Made<Real> make(const Shat&);
template <class Real> Made<Real> make(const Sgp&);
template <class Real> Made<Real> make(const LocalSgd&);
template <class Real> Made<Real> make(const DiLoCo&);
// clang-format on

}  // namespace dlrun::parallel
