// SPDX-License-Identifier: Apache-2.0
// One step of augmentation. Moves (flip, crop, shift) are only places, and the first ones of a list are done while the
// bytes of a row become numbers; every other step works on the numbers, in the cache.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "dataset/array.hpp"
#include "util/json.hpp"
#include "util/random.hpp"

namespace dlrun::data {

/// Sizes of an example, [channels, height, width]; a row of a table is one line of one channel.
struct Image {
  std::int64_t channels = 1, height = 1, width = 1;

  std::int64_t pixels() const { return height * width; }
  std::int64_t size() const { return channels * height * width; }
};

/// Rows [top, bottom) and columns [left, right).
struct Box {
  std::int64_t top = 0, bottom = 0, left = 0, right = 0;

  std::int64_t area() const { return (bottom - top) * (right - left); }
};

/// Source of each pixel: pixel (y, x) inside `box` comes from (dy * y + y0, dx * x + x0), outside it is 0.
struct Placing {
  std::int64_t dy = 1, y0 = 0, dx = 1, x0 = 0;
  Box box;

  static Placing whole(const Image& image) { return {.box = {0, image.height, 0, image.width}}; }
  /// Each of these three appends one more movement.
  void mirror_columns(const Image& image);
  void mirror_rows(const Image& image);
  void shift(std::int64_t down, std::int64_t right, const Image& image);
};

class Step {
 public:
  virtual ~Step() = default;
  /// Changes an example in place. Draws from `stream` alone.
  virtual void apply(float* example, const Image& image, RandomStream& stream) const = 0;
};

class Move : public Step {
 public:
  virtual void place(Placing& placing, const Image& image, RandomStream& stream) const = 0;
  /// Moves an example in place. @param black  fills up by channel, one value holds for all; empty: 0 does
  void move(float* example, const Image& image, RandomStream& stream, const std::vector<float>& black) const;
  void apply(float* example, const Image& image, RandomStream& stream) const final { move(example, image, stream, {}); }
};

/// A row through a placing. @param to  [image.size()]
void copy_placed(const dataset::Array& array, std::int64_t row, const Placing& placing, const Image& image, float* to);

/// @param step  one of a normalised `augment`, no mixing.  @throws Error(internal) for an op that is none.
std::unique_ptr<Step> make_step(const Json& step);
std::unique_ptr<Step> make_move(const Json& step);    ///< null: the op is no move
std::unique_ptr<Step> make_colour(const Json& step);  ///< null: the op is no colour step

/// Beta(alpha, alpha).
double draw_beta(double alpha, RandomStream& stream);

}  // namespace dlrun::data
