// SPDX-License-Identifier: Apache-2.0
// The one pass from the bytes of a row to placed numbers. Compiled to vectors; never to fused multiply-adds.
#include <algorithm>

#include "data/augment/step.hpp"
#include "util/clones.hpp"

namespace dlrun::data {

namespace {

using dataset::Array;
using dataset::Element;

struct Scaling {
  float factor = 1, shift = 0;
};

template <class From>
inline __attribute__((always_inline)) void scale_line(const From* from, std::int64_t step, std::int64_t count,
                                                      Scaling s, float* to) {
  if (step == 1) {
    for (std::int64_t i = 0; i < count; ++i) {
      const float scaled = static_cast<float>(from[i]) * s.factor;
      to[i] = scaled + s.shift;
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      const float scaled = static_cast<float>(from[-i]) * s.factor;
      to[i] = scaled + s.shift;
    }
  }
}

/// One channel.
template <class From>
inline __attribute__((always_inline)) void copy_channel(const From* from, const Placing& p, const Image& image,
                                                        Scaling s, float* to) {
  const Box& box = p.box;
  const bool is_empty = box.area() <= 0;
  for (std::int64_t y = 0; y < image.height; ++y, to += image.width) {
    if (is_empty || y < box.top || y >= box.bottom) {
      std::fill_n(to, image.width, s.shift);
      continue;
    }
    for (std::int64_t x = 0; x < box.left; ++x) to[x] = s.shift;
    const From* line = from + (p.dy * y + p.y0) * image.width + p.dx * box.left + p.x0;
    scale_line(line, p.dx, box.right - box.left, s, to + box.left);
    for (std::int64_t x = box.right; x < image.width; ++x) to[x] = s.shift;
  }
}

template <class From>
inline __attribute__((always_inline)) void copy_all(const Array& array, std::int64_t row, const Placing& placing,
                                                    const Image& image, float* to) {
  const auto* from = reinterpret_cast<const From*>(array.row(row));
  for (std::int64_t c = 0; c < image.channels; ++c) {
    Scaling scaling;
    if (!array.scale.empty()) {
      const std::size_t k = array.scale.size() == 1 ? 0 : std::size_t(c);
      scaling = {array.scale[k], array.shift[k]};
    }
    copy_channel(from + c * image.pixels(), placing, image, scaling, to + c * image.pixels());
  }
}

DLRUN_CLONES_AVX2 void copy_bytes(const Array& array, std::int64_t row, const Placing& placing, const Image& image,
                                  float* to) {
  copy_all<std::uint8_t>(array, row, placing, image, to);
}

}  // namespace

void copy_placed(const Array& array, std::int64_t row, const Placing& placing, const Image& image, float* to) {
  switch (array.element) {
    case Element::u8: return copy_bytes(array, row, placing, image, to);
    case Element::i32: return copy_all<std::int32_t>(array, row, placing, image, to);
    case Element::i64: return copy_all<std::int64_t>(array, row, placing, image, to);
    case Element::f32: return copy_all<float>(array, row, placing, image, to);
  }
}

}  // namespace dlrun::data
