// SPDX-License-Identifier: Apache-2.0
// A sampler: a few points anywhere, then steps around the best one.
#include <dlrun/plugin/sampler.hpp>
#include <limits>

namespace plugin = dlrun::plugin;

namespace {

class TemplateName : public plugin::Sampler {
 public:
  /// The references in `search` hold as long as the sampler.
  explicit TemplateName(const plugin::Search& search)
      : space_(search.space), width_(search.options.real("width")), first_(search.options.integer("first")) {}

  /// A trial was decided; its result comes later. This sampler does not care.
  void on_start(std::int64_t /*trial*/, const plugin::Point& /*point*/) override {}

  /// Less is better, whatever the study's direction. No objectives: the trial failed.
  void on_result(const plugin::Result& result) override {
    if (!result.is_final || result.objectives.empty() || result.objectives[0] >= best_value_) return;
    best_value_ = result.objectives[0];
    best_ = result.point;
  }

  /// Depends on what was told and on `random` alone, and changes nothing that a later proposal depends on.
  std::optional<plugin::Point> propose(std::int64_t number, plugin::Random& random) override {
    plugin::Point point(space_.size());
    for (std::size_t i = 0; i < point.size(); ++i) {
      const double unit = number < first_ || best_.empty() ? random.uniform() : near_best(i, random);
      point[i] = space_.from_unit(i, unit);  // takes units outside of [0, 1) into it
    }
    return point;
  }

 private:
  /// A unit coordinate near the best point's. NaN stands in points where a parameter is not active (`when:`).
  double near_best(std::size_t parameter, plugin::Random& random) const {
    const double value = best_[parameter];
    return value != value ? random.uniform() : space_.to_unit(parameter, value) + width_ * random.normal();
  }

  const plugin::Space& space_;
  double width_;
  std::int64_t first_;
  plugin::Point best_;  ///< empty: no trial has ended
  double best_value_ = std::numeric_limits<double>::infinity();
};

}  // namespace

DLRUN_SAMPLER(TemplateName)
