// SPDX-License-Identifier: Apache-2.0
// Random values: the least that a sampler does.
#include <dlrun/plugin/sampler.hpp>

using namespace dlrun::plugin;

class Plain final : public Sampler {
 public:
  explicit Plain(const Search& search) : space_(search.space) {}
  void on_start(std::int64_t, const Point&) override {}
  void on_result(const Result&) override {}
  std::optional<Point> propose(std::int64_t, Random& random) override {
    Point point;
    for (std::size_t i = 0; i < space_.size(); ++i) point.push_back(space_.from_unit(i, random.uniform()));
    return point;
  }

 private:
  const Space& space_;
};

DLRUN_SAMPLER(Plain)
