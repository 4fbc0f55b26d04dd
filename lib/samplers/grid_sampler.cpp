// SPDX-License-Identifier: Apache-2.0
#include "samplers/grid_sampler.hpp"

#include <fmt/format.h>

#include "util/error.hpp"
#include "util/json.hpp"

namespace dlrun::samplers {

namespace {

std::int64_t checked_size(const space::Space& space, const space::FeasiblePoints& points) {
  if (points.size()) return *points.size();
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (space.count(i)) continue;
    throw Error(
        ErrorKind::usage,
        fmt::format("grid search needs a finite space, but parameter '{}' is continuous", space.parameters()[i].name),
        "give it a step or choices, or take sampler: random");
  }
  if (points.all()) {
    throw Error(
        ErrorKind::usage,
        fmt::format("grid search cannot list the points of this space that keep the constraints: there are more "
                    "than {}, or they are too rare to be found",
                    space::FeasiblePoints::kMostListed),
        "take larger steps, or sampler: random");
  }
  throw Error(ErrorKind::usage, "grid search cannot number the points of this space: there are more than 2^53",
              "take larger steps, or sampler: random");
}

}  // namespace

GridSampler::GridSampler(const space::Space& space) : points_(space), size_(checked_size(space, points_)) {}

void GridSampler::on_start(trial::TrialId, const space::Values& values) {
  if (const auto point = points_.number_of(values)) tried_.insert(*point);
}

std::optional<space::Values> GridSampler::propose(std::int64_t) {
  const std::int64_t point = tried_.next_free(0);
  if (point >= size_) {
    reason_ = fmt::format("all {} point{} of the grid were tried", size_, size_ == 1 ? "" : "s");
    return std::nullopt;
  }
  reason_ = fmt::format("point {} of {}", point + 1, size_);
  return points_.at(point);
}

}  // namespace dlrun::samplers
