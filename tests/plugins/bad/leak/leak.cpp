// SPDX-License-Identifier: Apache-2.0
#include "../steady.hpp"

using namespace dlrun::plugin;

class Bad final : public Steady {
 public:
  explicit Bad(const Search& search)
      : Steady(search, search.options.integer("after")),
        bytes_(std::size_t(search.options.integer("kilobytes")) * 1000) {}
  std::optional<Point> propose(std::int64_t number, Random& random) override {
    if (is_due()) kept_.emplace_back(bytes_, 'x');
    return Steady::propose(number, random);
  }

 private:
  std::size_t bytes_;
  std::vector<std::vector<char>> kept_;
};

DLRUN_SAMPLER(Bad)
