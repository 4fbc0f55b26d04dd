// SPDX-License-Identifier: Apache-2.0
// flip, crop and shift: whole pixels that change their place.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "data/augment/step.hpp"

namespace dlrun::data {

namespace {

/// torchvision.transforms.RandomHorizontalFlip and RandomVerticalFlip.
class Flip final : public Move {
 public:
  explicit Flip(const Json& step) : p_(step.at("p")), is_vertical_(step.at("axis") == "vertical") {}

  void place(Placing& placing, const Image& image, RandomStream& stream) const override {
    if (stream.uniform() >= p_) return;
    is_vertical_ ? placing.mirror_rows(image) : placing.mirror_columns(image);
  }

 private:
  double p_;
  bool is_vertical_;
};

/// torchvision.transforms.RandomCrop(size, padding) with the image's own size, filled with 0.
class Crop final : public Move {
 public:
  explicit Crop(const Json& step) : pad_(step.at("pad")) {}

  void place(Placing& placing, const Image& image, RandomStream& stream) const override {
    const auto top = std::int64_t(stream.below(std::uint64_t(2 * pad_ + 1)));
    const auto left = std::int64_t(stream.below(std::uint64_t(2 * pad_ + 1)));
    placing.shift(pad_ - top, pad_ - left, image);
  }

 private:
  std::int64_t pad_;
};

/// torchvision.transforms.RandomAffine(0, translate=(most, most)): a uniform share, rounded to whole pixels.
class Shift final : public Move {
 public:
  explicit Shift(const Json& step) : most_(step.at("most")) {}

  void place(Placing& placing, const Image& image, RandomStream& stream) const override {
    const double right = (2 * stream.uniform() - 1) * most_ * double(image.width);
    const double down = (2 * stream.uniform() - 1) * most_ * double(image.height);
    placing.shift(std::llround(down), std::llround(right), image);
  }

 private:
  double most_;
};

void clip(Box& box, const Image& image) {
  box.top = std::clamp<std::int64_t>(box.top, 0, image.height);
  box.bottom = std::clamp<std::int64_t>(box.bottom, box.top, image.height);
  box.left = std::clamp<std::int64_t>(box.left, 0, image.width);
  box.right = std::clamp<std::int64_t>(box.right, box.left, image.width);
}

}  // namespace

void Placing::mirror_columns(const Image& image) {
  x0 += dx * (image.width - 1);
  dx = -dx;
  std::tie(box.left, box.right) = std::pair(image.width - box.right, image.width - box.left);
}

void Placing::mirror_rows(const Image& image) {
  y0 += dy * (image.height - 1);
  dy = -dy;
  std::tie(box.top, box.bottom) = std::pair(image.height - box.bottom, image.height - box.top);
}

void Placing::shift(std::int64_t down, std::int64_t right, const Image& image) {
  y0 -= dy * down;
  x0 -= dx * right;
  box = {box.top + down, box.bottom + down, box.left + right, box.right + right};
  clip(box, image);
}

namespace {

/// One channel.
void fill_outside(const Box& box, const Image& image, float value, float* to) {
  for (std::int64_t y = 0; y < image.height; ++y, to += image.width) {
    const bool is_outside = box.area() <= 0 || y < box.top || y >= box.bottom;
    std::fill(to, to + (is_outside ? image.width : box.left), value);
    if (!is_outside) std::fill(to + box.right, to + image.width, value);
  }
}

}  // namespace

void Move::move(float* example, const Image& image, RandomStream& stream, const std::vector<float>& black) const {
  Placing placing = Placing::whole(image);
  place(placing, image, stream);
  const dataset::Array before = dataset::Array::of(std::vector<float>(example, example + image.size()), image.size());
  copy_placed(before, 0, placing, image, example);
  for (std::int64_t c = 0; !black.empty() && c < image.channels; ++c)
    fill_outside(placing.box, image, black[black.size() == 1 ? 0 : std::size_t(c)], example + c * image.pixels());
}

std::unique_ptr<Step> make_move(const Json& step) {
  if (step.at("op") == "flip") return std::make_unique<Flip>(step);
  if (step.at("op") == "crop") return std::make_unique<Crop>(step);
  if (step.at("op") == "shift") return std::make_unique<Shift>(step);
  return nullptr;
}

}  // namespace dlrun::data
