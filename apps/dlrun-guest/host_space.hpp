// SPDX-License-Identifier: Apache-2.0
// The study's space as plugins see it.
#pragma once
#include <dlrun/plugin/space.hpp>

#include "space/space.hpp"

namespace dlrun {

/// Errors: a value of another type or an unknown parameter is std::invalid_argument or std::out_of_range, which the
/// plugin may let pass.
class HostSpace final : public plugin::Space {
 public:
  explicit HostSpace(space::Space space);

  const std::vector<plugin::Parameter>& parameters() const override { return parameters_; }
  bool is_active(std::size_t parameter, const plugin::Point& point) const override;
  double from_unit(std::size_t parameter, double unit) const override;
  double to_unit(std::size_t parameter, double value) const override;
  std::optional<std::int64_t> count(std::size_t parameter) const override;
  bool keeps_constraints(const plugin::Point& point) const override;

 private:
  space::Value value_of(std::size_t parameter, double value) const;
  space::Values values_of(const plugin::Point& point) const;

  space::Space space_;
  std::vector<plugin::Parameter> parameters_;
};

}  // namespace dlrun
