// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <thread>

#include "../steady.hpp"

using namespace dlrun::plugin;

class Bad final : public Steady {
 public:
  explicit Bad(const Search& search) : Steady(search, search.options.integer("after")) {}
  std::optional<Point> propose(std::int64_t number, Random& random) override {
    while (is_due()) std::this_thread::sleep_for(std::chrono::seconds(1));
    return Steady::propose(number, random);
  }
};

DLRUN_SAMPLER(Bad)
