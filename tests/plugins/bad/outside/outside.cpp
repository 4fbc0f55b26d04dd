// SPDX-License-Identifier: Apache-2.0
#include "../steady.hpp"

using namespace dlrun::plugin;

class Bad final : public Steady {
 public:
  explicit Bad(const Search& search) : Steady(search, search.options.integer("after")) {}
  std::optional<Point> propose(std::int64_t number, Random& random) override {
    if (is_due()) return Point(space().size(), 1e9);
    return Steady::propose(number, random);
  }
};

DLRUN_SAMPLER(Bad)
