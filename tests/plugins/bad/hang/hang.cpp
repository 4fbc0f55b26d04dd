// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <dlrun/plugin/sampler.hpp>
#include <thread>
using namespace dlrun::plugin;

class Bad final : public Sampler {
 public:
  explicit Bad(const Search& search) : space_(search.space), after_(search.options.integer("after")) {}
  void on_start(std::int64_t, const Point&) override { ++trials_; }
  void on_result(const Result&) override {}
  std::optional<Point> propose(std::int64_t, Random& random) override {
    while (trials_ >= after_) std::this_thread::sleep_for(std::chrono::seconds(1));
    Point point;
    for (std::size_t i = 0; i < space_.size(); ++i) point.push_back(space_.from_unit(i, random.uniform()));
    return point;
  }

 private:
  const Space& space_;
  std::int64_t after_;
  std::int64_t trials_ = 0;
};

DLRUN_SAMPLER(Bad)
