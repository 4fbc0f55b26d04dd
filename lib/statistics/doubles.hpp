// SPDX-License-Identifier: Apache-2.0
// Boost.Math in double precision. Its own choice, long double, is computed by the x87 unit, whose functions differ
// between makers of processors. The functions that Boost asks of the C library may still differ in their last bits.
#pragma once
#include <boost/math/policies/policy.hpp>

namespace dlrun::statistics {

using Doubles = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

}  // namespace dlrun::statistics
