// SPDX-License-Identifier: Apache-2.0
#include "../steady.hpp"

using namespace dlrun::plugin;

class Bad final : public Steady {
 public:
  explicit Bad(const Search& search) : Steady(search, search.options.integer("after")) {}
  std::optional<Point> propose(std::int64_t number, Random& random) override {
    for (int i = 0; i < asked_; ++i) random.uniform();
    ++asked_;
    return Steady::propose(number, random);
  }

 private:
  int asked_ = 0;
};

DLRUN_SAMPLER(Bad)
