// SPDX-License-Identifier: Apache-2.0
#include "train/optimizer.hpp"

#include <algorithm>
#include <cmath>

#include "model/flat.hpp"

namespace dlrun::train {

namespace {

bool continues(const Range& last, const Range& next) {
  const auto end = std::size_t(model::padded(std::int64_t(last.end)));
  return next.begin == end && next.lr == last.lr && next.weight_decay == last.weight_decay;
}

}  // namespace

std::vector<Range> joined(const std::vector<Range>& ranges) {
  std::vector<Range> result;
  for (const Range& range : ranges) {
    if (!result.empty() && continues(result.back(), range)) {
      result.back().end = range.end;
    } else {
      result.push_back(range);
    }
  }
  return result;
}

void Optimizer::step(float* values, const float* grads, const Pace& pace) {
  for (std::size_t i = 0; i < layout_.ranges.size(); ++i) {
    const Range& range = layout_.ranges[i];
    const double lr = pace.lr * range.lr * (pace.factors.empty() ? 1 : pace.factors[i]);
    update({values + range.begin, grads + range.begin, range.end - range.begin, range.begin, pace.step, lr,
            range.weight_decay, range.rows, pace.momentum});
  }
}

bool Optimizer::moves(std::size_t place) const {
  return std::any_of(layout_.ranges.begin(), layout_.ranges.end(),
                     [&](const Range& range) { return place >= range.begin && place < range.end; });
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerConfig& config, Layout layout) {
  return std::visit([&](const auto& settings) { return make_method(settings, std::move(layout)); }, config.method);
}

double square(const float* values, std::size_t size) {
  constexpr std::size_t kLanes = 8;
  double lanes[kLanes] = {};
  for (std::size_t i = 0; i + kLanes <= size; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) lanes[k] += double(values[i + k]) * double(values[i + k]);
  }
  for (std::size_t i = size / kLanes * kLanes; i < size; ++i) lanes[0] += double(values[i]) * double(values[i]);
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

double norm(const float* values, std::size_t size) { return std::sqrt(square(values, size)); }

double clip_norm(float* grads, std::size_t size, double limit) {
  const double before = norm(grads, size);
  const auto factor = float(std::min(1.0, limit / (before + 1e-6)));
  if (factor < 1) {
    for (std::size_t i = 0; i < size; ++i) grads[i] *= factor;
  }
  return before;
}

void clip_value(float* grads, std::size_t size, double limit) {
  const auto most = float(limit);
  for (std::size_t i = 0; i < size; ++i) {
    grads[i] = grads[i] > most ? most : grads[i] < -most ? -most : grads[i];
  }
}

}  // namespace dlrun::train
