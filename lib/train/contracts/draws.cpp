// SPDX-License-Identifier: Apache-2.0
#include "train/contracts/draws.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "util/random.hpp"

namespace dlrun::train::contracts {

namespace {

constexpr std::uint64_t kSeedOfDraws = 29;

RandomStream stream(const std::string& name) { return {kSeedOfDraws, {"contract", name}}; }

}  // namespace

at::Tensor drawn(const model::Shape& shape, const std::string& name) {
  at::Tensor tensor = at::empty(shape, at::kFloat);
  RandomStream random = stream(name);
  float* numbers = tensor.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) numbers[i] = float(random.normal());
  return tensor;
}

at::Tensor drawn_labels(std::int64_t count, std::int64_t below, const std::string& name) {
  at::Tensor tensor = at::empty({count}, at::kLong);
  RandomStream random = stream(name);
  auto* labels = tensor.mutable_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < count; ++i) labels[i] = std::int64_t(random.below(std::uint64_t(below)));
  return tensor;
}

at::Tensor drawn_order(std::int64_t count) {
  at::Tensor tensor = at::empty({count}, at::kLong);
  auto* order = tensor.mutable_data_ptr<std::int64_t>();
  std::iota(order, order + count, 0);
  RandomStream random = stream("order");
  for (std::int64_t i = count - 1; i > 0; --i) std::swap(order[i], order[random.below(std::uint64_t(i))]);
  return tensor;  // Sattolo's cycle: no element stays
}

bool are_equal(const at::Tensor& a, const at::Tensor& b) {
  if (a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes()) return false;
  const at::Tensor x = a.detach().contiguous(), y = b.detach().contiguous();
  return x.numel() == 0 || std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0;
}

double difference(const at::Tensor& a, const at::Tensor& b) {
  if (a.sizes() != b.sizes()) return std::numeric_limits<double>::infinity();
  if (a.numel() == 0) return 0;
  const at::Tensor x = a.detach().to(at::kDouble), y = b.detach().to(at::kDouble);
  const double greatest = std::max(x.abs().max().item<double>(), y.abs().max().item<double>());
  const double found = (x - y).abs().max().item<double>() / std::max(1.0, greatest);
  return std::isfinite(found) ? found : std::numeric_limits<double>::infinity();
}

bool is_finite(const at::Tensor& a) { return at::isfinite(a.detach()).all().item<bool>(); }

}  // namespace dlrun::train::contracts
