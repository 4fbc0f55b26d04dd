// SPDX-License-Identifier: Apache-2.0
#include "tensors/row_values.hpp"

#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "tensors/safetensors.hpp"
#include "util/error.hpp"

namespace dlrun::tensors {

namespace {

constexpr const char *kRows = "rows", *kValues = "values", *kClusters = "clusters", *kMetric = "metric",
                     *kEpoch = "epoch";  // part of the format

std::string_view bytes_of(const auto& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(numbers[0])};
}

/// The numbers of a tensor of one dimension.
template <class Number>
std::vector<Number> numbers_of(const SafeTensors& file, const char* name, const char* dtype) {
  const TensorView* tensor = file.find(name);
  if (tensor == nullptr || tensor->dtype != dtype || tensor->shape.size() != 1)
    throw Damage{fmt::format("it has no list '{}' of type {}", name, dtype)};
  std::vector<Number> numbers(std::size_t(tensor->shape[0]));
  if (!numbers.empty()) std::memcpy(numbers.data(), tensor->bytes.data(), tensor->bytes.size());
  return numbers;
}

std::string text_of(const SafeTensors& file, const char* key) {
  const auto found = file.metadata().find(key);
  if (found == file.metadata().end()) throw Damage{fmt::format("its metadata has no '{}'", key)};
  return found->second;
}

std::int64_t whole_of(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) throw Damage{"its epoch is no number"};
  return number;
}

}  // namespace

std::string write_row_values(const RowValues& values) {
  const auto count = std::int64_t(values.rows.size());
  std::vector<TensorView> tensors = {{kRows, "I64", {count}, bytes_of(values.rows)},
                                     {kValues, "F32", {count}, bytes_of(values.values)}};
  if (!values.clusters.empty()) tensors.push_back({kClusters, "I64", {count}, bytes_of(values.clusters)});
  return write_safetensors(tensors, {{kMetric, values.metric}, {kEpoch, std::to_string(values.epoch)}});
}

RowValues read_row_values(std::string bytes, const std::string& what) {
  const SafeTensors file(std::move(bytes), what);
  try {
    RowValues values{text_of(file, kMetric), whole_of(text_of(file, kEpoch)),
                     numbers_of<std::int64_t>(file, kRows, "I64"), numbers_of<float>(file, kValues, "F32")};
    if (file.find(kClusters) != nullptr) values.clusters = numbers_of<std::int64_t>(file, kClusters, "I64");
    if (values.rows.size() != values.values.size()) throw Damage{"it has more rows than values, or fewer"};
    if (!values.clusters.empty() && values.clusters.size() != values.rows.size())
      throw Damage{"it has more rows than clusters, or fewer"};
    return values;
  } catch (const Damage& damage) {
    throw Error(ErrorKind::store, fmt::format("{} has no values of examples: {}", what, damage.text));
  }
}

}  // namespace dlrun::tensors
