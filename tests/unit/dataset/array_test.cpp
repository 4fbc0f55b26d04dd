// SPDX-License-Identifier: Apache-2.0
// Elements as they lie in memory, and what they stand for.
#include <cmath>

#include "dataset/array.hpp"
#include "support/catch.hpp"

namespace array_test {

using namespace dlrun::dataset;

TEST_CASE("an array takes its values over and gives them back by row", "[dataset][array]") {
  const Array array = Array::of<std::int32_t>({1, -2, 3, 4, 5, 6}, 3);
  CHECK(array.examples == 2);
  CHECK(array.width == 3);
  CHECK(array.stride == 3);
  CHECK(array.index(1, 0) == 4);
  CHECK(array.number(0, 1) == -2.0f);
  CHECK(array.indices() == std::vector<std::int64_t>{1, -2, 3, 4, 5, 6});
  CHECK(size_of(Element::u8) + size_of(Element::i32) + size_of(Element::i64) + size_of(Element::f32) == 17);
}

TEST_CASE("a byte stands for its scaled and shifted value, channel by channel", "[dataset][array]") {
  Array pixels = Array::of<std::uint8_t>({0, 51, 102, 255, 1, 2, 3, 4}, 4);  // 2 examples, 2 channels of 2
  pixels.scale = {1.0f / 255, 2};
  pixels.shift = {0.5f, -1};
  CHECK(pixels.numbers() == std::vector<float>{0.5f, 51 * (1.0f / 255) + 0.5f, 203, 509, 1 * (1.0f / 255) + 0.5f,
                                               2 * (1.0f / 255) + 0.5f, 5, 7});
  pixels.scale = {3};
  pixels.shift = {0.25f};
  CHECK(pixels.number(0, 3) == 765.25f);
  CHECK(pixels.index(0, 3) == 255);
}

TEST_CASE("scaling rounds twice and is never fused", "[dataset][array]") {
  Array array = Array::of<float>({1.0f + 0x1p-23f}, 1);
  array.scale = {1.0f + 0x1p-23f};
  array.shift = {-(1.0f + 0x1p-22f)};
  CHECK(array.number(0) == 0);  // fused it would be 2^-46
}

TEST_CASE("windows over a series overlap", "[dataset][array]") {
  Array windows = Array::of<float>({0, 1, 2, 3, 4, 5, 6}, 1);
  windows.width = 3;
  windows.stride = 2;
  windows.examples = 3;
  CHECK(windows.numbers() == std::vector<float>{0, 1, 2, 2, 3, 4, 4, 5, 6});
}

TEST_CASE("copies of an array share its memory and keep it alive", "[dataset][array]") {
  Array copy;
  {
    const Array array = Array::of<std::int64_t>({7, 8});
    copy = array;
    CHECK(copy.bytes.get() == array.bytes.get());
  }
  CHECK(copy.index(1) == 8);
}

}  // namespace array_test
