// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "../steady.hpp"

using namespace dlrun::plugin;

class Bad final : public Steady {
 public:
  explicit Bad(const Search& search) : Steady(search, search.options.integer("after")) {}
  std::optional<Point> propose(std::int64_t number, Random& random) override {
    if (is_due()) throw std::runtime_error("the magic is used up");
    return Steady::propose(number, random);
  }
};

DLRUN_SAMPLER(Bad)
