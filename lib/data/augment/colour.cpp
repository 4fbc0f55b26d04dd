// SPDX-License-Identifier: Apache-2.0
// Steps on the light of an image, numbers from 0 to 1: torchvision.transforms.ColorJitter and RandomGrayscale on float
// tensors (functional_tensor: _blend, rgb_to_grayscale, _rgb2hsv, _hsv2rgb).
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "data/augment/step.hpp"
#include "util/shuffle.hpp"

namespace dlrun::data {

namespace {

float clip(float light) { return std::clamp(light, 0.0f, 1.0f); }

/// ratio * a + (1 - ratio) * b, clipped.
float blend(float a, float b, float ratio) { return clip(ratio * a + (1.0f - ratio) * b); }

/// Grey of each pixel; of one channel, itself.
std::vector<float> grey_of(const float* image, const Image& size) {
  std::vector<float> grey(image, image + size.pixels());
  if (size.channels != 3) return grey;
  const float *red = image, *green = red + size.pixels(), *blue = green + size.pixels();
  for (std::int64_t i = 0; i < size.pixels(); ++i)
    grey[std::size_t(i)] = 0.2989f * red[i] + 0.587f * green[i] + 0.114f * blue[i];
  return grey;
}

void brighten(float* image, const Image& size, float factor) {
  for (std::int64_t i = 0; i < size.size(); ++i) image[i] = blend(image[i], 0, factor);
}

void contrast(float* image, const Image& size, float factor) {
  double sum = 0;
  for (const float grey : grey_of(image, size)) sum += double(grey);
  const auto mean = float(sum / double(size.pixels()));
  for (std::int64_t i = 0; i < size.size(); ++i) image[i] = blend(image[i], mean, factor);
}

void saturate(float* image, const Image& size, float factor) {
  const std::vector<float> grey = grey_of(image, size);
  for (std::int64_t i = 0; i < size.size(); ++i)
    image[i] = blend(image[i], grey[std::size_t(i % size.pixels())], factor);
}

struct Hsv {
  float hue, saturation, value;
};

Hsv to_hsv(float red, float green, float blue) {
  const float most = std::max({red, green, blue}), least = std::min({red, green, blue});
  const bool is_grey = most == least;
  const float range = most - least, divisor = is_grey ? 1 : range;
  const float r = (most - red) / divisor, g = (most - green) / divisor, b = (most - blue) / divisor;
  const float turned = most == red ? b - g : most == green ? 2 + r - b : 4 + g - r;
  return {std::fmod(turned / 6 + 1, 1.0f), range / (is_grey ? 1 : most), most};
}

std::array<float, 3> to_rgb(const Hsv& c) {
  const float sixth = std::floor(c.hue * 6), rest = c.hue * 6 - sixth;
  const float p = clip(c.value * (1 - c.saturation)), q = clip(c.value * (1 - c.saturation * rest));
  const float t = clip(c.value * (1 - c.saturation * (1 - rest))), v = c.value;
  switch (int(sixth) % 6) {
    case 0: return {v, t, p};
    case 1: return {q, v, p};
    case 2: return {p, v, t};
    case 3: return {p, q, v};
    case 4: return {t, p, v};
    default: return {v, p, q};
  }
}

void turn_hue(float* image, const Image& size, float by) {
  float *red = image, *green = red + size.pixels(), *blue = green + size.pixels();
  for (std::int64_t i = 0; i < size.pixels(); ++i) {
    Hsv colour = to_hsv(red[i], green[i], blue[i]);
    colour.hue = std::fmod(colour.hue + by + 1, 1.0f);
    const std::array<float, 3> turned = to_rgb(colour);
    red[i] = turned[0];
    green[i] = turned[1];
    blue[i] = turned[2];
  }
}

/// The four changes in an order that is drawn too; those with setting 0 are left out.
class Colour final : public Step {
 public:
  explicit Colour(const Json& step)
      : ranges_{step.at("brightness"), step.at("contrast"), step.at("saturation"), step.at("hue")} {}

  void apply(float* example, const Image& image, RandomStream& stream) const override {
    std::array<std::size_t, 4> order{0, 1, 2, 3};
    shuffle(order, stream);
    std::array<double, 4> drawn{};
    for (double& value : drawn) value = stream.uniform();
    for (const std::size_t what : order) {
      if (ranges_[what] > 0) change(what, drawn[what], example, image);
    }
  }

 private:
  void change(std::size_t what, double drawn, float* example, const Image& image) const {
    const double range = ranges_[what];
    const double least = std::max(0.0, 1 - range);
    const auto factor = float(least + drawn * (1 + range - least));
    switch (what) {
      case 0: return brighten(example, image, factor);
      case 1: return contrast(example, image, factor);
      case 2: return saturate(example, image, factor);
      default: return turn_hue(example, image, float((2 * drawn - 1) * range));
    }
  }

  std::array<double, 4> ranges_;
};

class Grayscale final : public Step {
 public:
  explicit Grayscale(const Json& step) : p_(step.at("p")) {}

  void apply(float* example, const Image& image, RandomStream& stream) const override {
    if (stream.uniform() >= p_) return;
    const std::vector<float> grey = grey_of(example, image);
    for (std::int64_t c = 0; c < image.channels; ++c) std::copy(grey.begin(), grey.end(), example + c * image.pixels());
  }

 private:
  double p_;
};

}  // namespace

std::unique_ptr<Step> make_colour(const Json& step) {
  if (step.at("op") == "colour") return std::make_unique<Colour>(step);
  if (step.at("op") == "grayscale") return std::make_unique<Grayscale>(step);
  return nullptr;
}

}  // namespace dlrun::data
