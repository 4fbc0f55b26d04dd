// SPDX-License-Identifier: Apache-2.0
#include "tensors/weights.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "util/error.hpp"

namespace dlrun::tensors {

namespace {

constexpr std::size_t kMostNamed = 5;
constexpr std::string_view kPrefix = "model.", kAverage = "average.";  // part of the format of checkpoints

bool is_checkpoint(const SafeTensors& file) {
  const auto format = file.metadata().find("format");
  return format != file.metadata().end() && format->second.starts_with("dlrun-checkpoint");
}

bool has_kind(const TensorView& weight, const Wanted& wanted) {
  return wanted.is_count ? weight.dtype == "I64" : weight.dtype.starts_with('F') || weight.dtype == "BF16";
}

std::string difference(const TensorView& weight, const Wanted& wanted) {
  return fmt::format("'{}' is {} [{}] in the file, but {} [{}] in the model", wanted.name, weight.dtype,
                     fmt::join(weight.shape, ", "), wanted.is_count ? "I64" : "F32", fmt::join(wanted.shape, ", "));
}

std::string listed(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kMostNamed);
  const std::string more = names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "";
  return fmt::format("'{}'{}", fmt::join(names.begin(), names.begin() + std::ptrdiff_t(shown), "', '"), more);
}

void check_average(const TensorView& weight, const TensorView& average) {
  if (average.shape == weight.shape && average.dtype == weight.dtype) return;
  throw Error(
      ErrorKind::store,
      fmt::format("the checkpoint is not sound: the average of '{}' is {} [{}], but itself {} [{}]", weight.name,
                  average.dtype, fmt::join(average.shape, ", "), weight.dtype, fmt::join(weight.shape, ", ")));
}

/// Numbers of which `is_bad` holds. REQUIRES: bytes.size() is a multiple of sizeof(Number).
template <class Number, class IsBad>
std::int64_t count_of(std::string_view bytes, IsBad is_bad) {
  std::int64_t count = 0;
  for (std::size_t at = 0; at + sizeof(Number) <= bytes.size(); at += sizeof(Number)) {
    Number number;
    std::memcpy(&number, bytes.data() + at, sizeof(Number));
    if (is_bad(number)) ++count;
  }
  return count;
}

/// All bits of the exponent are set.
template <std::uint16_t exponent>
bool is_special(std::uint16_t bits) {
  return (bits & exponent) == exponent;
}

}  // namespace

std::int64_t count_not_finite(const TensorView& tensor) {
  const auto is_bad = [](auto number) { return !std::isfinite(float(number)); };
  if (tensor.dtype == "F32") return count_of<float>(tensor.bytes, is_bad);
  if (tensor.dtype == "F64") return count_of<double>(tensor.bytes, is_bad);
  if (tensor.dtype == "F16") return count_of<std::uint16_t>(tensor.bytes, is_special<0x7c00>);
  if (tensor.dtype == "BF16") return count_of<std::uint16_t>(tensor.bytes, is_special<0x7f80>);
  return 0;
}

std::string not_finite(const TensorView& tensor) {
  const std::int64_t count = count_not_finite(tensor);
  if (count == 0) return "";
  return fmt::format("'{}' has {} number{} that {} not finite", tensor.name, count, count == 1 ? "" : "s",
                     count == 1 ? "is" : "are");
}

std::vector<TensorView> weights_of(const SafeTensors& file) {
  if (!is_checkpoint(file)) return file.tensors();
  std::vector<TensorView> weights;
  for (TensorView tensor : file.tensors()) {
    if (!tensor.name.starts_with(kPrefix)) continue;
    tensor.name.erase(0, kPrefix.size());
    if (const TensorView* average = file.find(std::string(kAverage) + tensor.name)) {
      check_average(tensor, *average);
      tensor.bytes = average->bytes;
    }
    weights.push_back(std::move(tensor));
  }
  return weights;
}

Fit fit(const std::vector<TensorView>& weights, const std::vector<Wanted>& model) {
  std::map<std::string, const TensorView*> left;
  for (const TensorView& weight : weights) left[weight.name] = &weight;
  Fit fit;
  for (const Wanted& wanted : model) {
    const auto found = left.find(wanted.name);
    if (found == left.end()) {
      fit.missing.push_back(wanted.name);
      continue;
    }
    const bool fits = found->second->shape == wanted.shape && has_kind(*found->second, wanted);
    fits ? fit.taken.push_back(wanted.name) : fit.misfits.push_back(difference(*found->second, wanted));
    left.erase(found);
  }
  for (const auto& [name, weight] : left) fit.extra.push_back(name);
  return fit;
}

std::string describe(const Fit& fit) {
  std::vector<std::string> parts;
  if (!fit.misfits.empty()) {
    const std::size_t more = fit.misfits.size() - 1;
    parts.push_back(fit.misfits.front() + (more > 0 ? fmt::format(" (and {} more like it)", more) : ""));
  }
  if (!fit.missing.empty()) parts.push_back("the file lacks " + listed(fit.missing));
  if (!fit.extra.empty()) parts.push_back("the model has no " + listed(fit.extra));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace dlrun::tensors
