// SPDX-License-Identifier: Apache-2.0
#include "dataset/array.hpp"

namespace dlrun::dataset {

namespace {

template <class Result>
Result element_at(const Array& array, std::int64_t example, std::int64_t i) {
  const std::byte* row = array.row(example);
  switch (array.element) {
    case Element::u8: return static_cast<Result>(reinterpret_cast<const std::uint8_t*>(row)[i]);
    case Element::i32: return static_cast<Result>(reinterpret_cast<const std::int32_t*>(row)[i]);
    case Element::i64: return static_cast<Result>(reinterpret_cast<const std::int64_t*>(row)[i]);
    case Element::f32: break;
  }
  return static_cast<Result>(reinterpret_cast<const float*>(row)[i]);
}

}  // namespace

std::size_t size_of(Element element) {
  switch (element) {
    case Element::u8: return 1;
    case Element::i64: return 8;
    case Element::i32:
    case Element::f32: break;
  }
  return 4;
}

std::int64_t Array::index(std::int64_t example, std::int64_t i) const {
  return element_at<std::int64_t>(*this, example, i);
}

float Array::number(std::int64_t example, std::int64_t i) const {
  const auto value = element_at<float>(*this, example, i);
  if (scale.empty()) return value;
  const auto channel = std::size_t(i) / (std::size_t(width) / scale.size());
  const float scaled = value * scale[channel];
  return scaled + shift[channel];
}

std::vector<std::int64_t> Array::indices() const {
  std::vector<std::int64_t> result;
  for (std::int64_t e = 0; e < examples; ++e) {
    for (std::int64_t i = 0; i < width; ++i) result.push_back(index(e, i));
  }
  return result;
}

std::vector<float> Array::numbers() const {
  std::vector<float> result;
  for (std::int64_t e = 0; e < examples; ++e) {
    for (std::int64_t i = 0; i < width; ++i) result.push_back(number(e, i));
  }
  return result;
}

}  // namespace dlrun::dataset
