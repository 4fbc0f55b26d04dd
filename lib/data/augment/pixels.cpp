// SPDX-License-Identifier: Apache-2.0
// Steps on the numbers of an example: cutout, noise, normalise, rotate.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "data/augment/step.hpp"
#include "util/error.hpp"

namespace dlrun::data {

namespace {

/// DeVries, Taylor 2017: the square's centre is any pixel, so a part of it may lie outside.
class Cutout final : public Step {
 public:
  explicit Cutout(const Json& step) : size_(step.at("size")), p_(step.at("p")) {}

  void apply(float* example, const Image& image, RandomStream& stream) const override {
    if (stream.uniform() >= p_) return;
    const auto y = std::int64_t(stream.below(std::uint64_t(image.height))) - size_ / 2;
    const auto x = std::int64_t(stream.below(std::uint64_t(image.width))) - size_ / 2;
    const std::int64_t left = std::max<std::int64_t>(x, 0), right = std::min(x + size_, image.width);
    for (std::int64_t c = 0; c < image.channels; ++c) {
      for (std::int64_t row = std::max<std::int64_t>(y, 0); row < std::min(y + size_, image.height); ++row)
        std::fill_n(example + c * image.pixels() + row * image.width + left, right - left, 0.0f);
    }
  }

 private:
  std::int64_t size_;
  double p_;
};

class Noise final : public Step {
 public:
  explicit Noise(const Json& step) : deviation_(step.at("std")) {}

  void apply(float* example, const Image& image, RandomStream& stream) const override {
    for (std::int64_t i = 0; i < image.size(); ++i) example[i] += float(deviation_ * stream.normal());
  }

 private:
  double deviation_;
};

/// torchvision.transforms.Normalize: (x - mean) / std, two roundings.
class NormaliseStep final : public Step {
 public:
  explicit NormaliseStep(const Json& step) : mean_(step.at("mean")), deviation_(step.at("std")) {}

  void apply(float* example, const Image& image, RandomStream& /*stream*/) const override {
    for (std::int64_t c = 0; c < image.channels; ++c) {
      const float mean = mean_[mean_.size() == 1 ? 0 : std::size_t(c)];
      const float deviation = deviation_[deviation_.size() == 1 ? 0 : std::size_t(c)];
      float* numbers = example + c * image.pixels();
      for (std::int64_t i = 0; i < image.pixels(); ++i) numbers[i] = (numbers[i] - mean) / deviation;
    }
  }

 private:
  std::vector<float> mean_, deviation_;
};

/// torchvision.transforms.RandomRotation(degrees) with nearest pixels: counter-clockwise about the centre, halves round
/// to even.
class Rotate final : public Step {
 public:
  explicit Rotate(const Json& step) : most_(step.at("degrees")) {}

  void apply(float* example, const Image& image, RandomStream& stream) const override {
    const double angle = (2 * stream.uniform() - 1) * most_ * std::numbers::pi / 180;
    const double cosine = std::cos(angle), sine = std::sin(angle);
    const double middle_y = double(image.height - 1) / 2, middle_x = double(image.width - 1) / 2;
    const std::vector<float> before(example, example + image.size());
    for (std::int64_t y = 0; y < image.height; ++y) {
      for (std::int64_t x = 0; x < image.width; ++x) {
        const double down = double(y) - middle_y, right = double(x) - middle_x;
        const auto from_x = std::int64_t(std::nearbyint(cosine * right - sine * down + middle_x));
        const auto from_y = std::int64_t(std::nearbyint(sine * right + cosine * down + middle_y));
        const bool is_inside = from_x >= 0 && from_x < image.width && from_y >= 0 && from_y < image.height;
        for (std::int64_t c = 0; c < image.channels; ++c) {
          const auto from = std::size_t(c * image.pixels() + from_y * image.width + from_x);
          example[c * image.pixels() + y * image.width + x] = is_inside ? before[from] : 0;
        }
      }
    }
  }

 private:
  double most_;
};

}  // namespace

std::unique_ptr<Step> make_step(const Json& step) {
  const std::string op = step.at("op");
  if (std::unique_ptr<Step> move = make_move(step)) return move;
  if (std::unique_ptr<Step> colour = make_colour(step)) return colour;
  if (op == "cutout") return std::make_unique<Cutout>(step);
  if (op == "noise") return std::make_unique<Noise>(step);
  if (op == "normalise") return std::make_unique<NormaliseStep>(step);
  if (op == "rotate") return std::make_unique<Rotate>(step);
  throw Error(ErrorKind::internal, fmt::format("augment: there is no '{}'", op));
}

}  // namespace dlrun::data
