// SPDX-License-Identifier: Apache-2.0
#include "statistics/equivalence.hpp"

#include <algorithm>
#include <cmath>

#include "statistics/student.hpp"

namespace dlrun::statistics {

double equivalence_p(const Effect& effect, double rope) {
  if (rope <= 0) return 1;
  if (effect.standard_error == 0) return std::abs(effect.mean) < rope ? 0 : 1;
  const double above = t_upper((effect.mean + rope) / effect.standard_error, effect.degrees);
  const double below = t_upper((rope - effect.mean) / effect.standard_error, effect.degrees);
  return std::max(above, below);
}

}  // namespace dlrun::statistics
