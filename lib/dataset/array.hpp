// SPDX-License-Identifier: Apache-2.0
// The numbers of a data set in the type of their file, owned or mapped: a pixel stays a byte until a batch needs it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace dlrun::dataset {

enum class Element { u8, i32, i64, f32 };

/// Bytes of one element.
std::size_t size_of(Element element);
template <class T>
constexpr Element element_of();
template <>
constexpr Element element_of<std::uint8_t>() {
  return Element::u8;
}
template <>
constexpr Element element_of<std::int32_t>() {
  return Element::i32;
}
template <>
constexpr Element element_of<std::int64_t>() {
  return Element::i64;
}
template <>
constexpr Element element_of<float>() {
  return Element::f32;
}

/// [examples, width], row-major. Windows over a series or a text overlap: their stride is less than their width.
struct Array {
  Element element = Element::f32;
  std::shared_ptr<const std::byte> bytes;  ///< keeps the owner of the memory: a vector, a mapped file
  std::int64_t examples = 0;
  std::int64_t width = 0;   ///< elements of an example
  std::int64_t stride = 0;  ///< elements from an example's first to the next one's
  /// Element e of channel c stands for float(e) * scale[c] + shift[c], two roundings. Channels are the first size of an
  /// example's shape; one value holds for all; none: the element itself.
  std::vector<float> scale, shift;

  /// Takes over the values. REQUIRES: width > 0, values.size() a multiple of it.
  template <class T>
  static Array of(std::vector<T> values, std::int64_t width = 1) {
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    Array array;
    array.element = element_of<T>();
    array.bytes = {owner, reinterpret_cast<const std::byte*>(owner->data())};
    array.examples = std::int64_t(owner->size()) / width;
    array.width = array.stride = width;
    return array;
  }

  /// First element of an example.
  const std::byte* row(std::int64_t example) const {
    return bytes.get() + std::size_t(example * stride) * size_of(element);
  }
  /// One element as it is stored, and as its meaning. For tests and for work that is done once.
  std::int64_t index(std::int64_t example, std::int64_t i = 0) const;
  float number(std::int64_t example, std::int64_t i = 0) const;
  /// All elements, [examples * width].
  std::vector<std::int64_t> indices() const;
  std::vector<float> numbers() const;
};

}  // namespace dlrun::dataset
