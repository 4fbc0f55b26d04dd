// SPDX-License-Identifier: Apache-2.0
// A sampler of random values that is in order; those of this folder change its proposals after some trials.
#pragma once
#include <dlrun/plugin/sampler.hpp>

class Steady : public dlrun::plugin::Sampler {
 public:
  explicit Steady(const dlrun::plugin::Search& search, std::int64_t after = 0) : space_(search.space), after_(after) {}

  void on_start(std::int64_t, const dlrun::plugin::Point&) override { ++trials_; }
  void on_result(const dlrun::plugin::Result&) override {}
  std::optional<dlrun::plugin::Point> propose(std::int64_t, dlrun::plugin::Random& random) override {
    dlrun::plugin::Point point;
    for (std::size_t i = 0; i < space_.size(); ++i) point.push_back(space_.from_unit(i, random.uniform()));
    return point;
  }

 protected:
  /// `after` trials have begun.
  bool is_due() const { return trials_ >= after_; }
  const dlrun::plugin::Space& space() const { return space_; }

 private:
  const dlrun::plugin::Space& space_;
  std::int64_t after_;
  std::int64_t trials_ = 0;
};
