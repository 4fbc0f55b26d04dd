// SPDX-License-Identifier: Apache-2.0
#include "parallel/codecs/dgc.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "parallel/packing.hpp"
#include "util/arithmetic.hpp"

namespace dlrun::parallel {

namespace {

double magnitude(double number) {
  return std::isnan(number) ? std::numeric_limits<double>::infinity() : std::abs(number);
}

/// Marks the `count` largest numbers of a stretch; of equal ones the first.
template <class Real>
void mark_largest(std::span<const Real> numbers, std::size_t count, std::size_t begin, std::vector<bool>& marks) {
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), 0);
  const auto is_larger = [&](std::size_t a, std::size_t b) {
    const double x = magnitude(double(numbers[a])), y = magnitude(double(numbers[b]));
    return x != y ? x > y : a < b;
  };
  const auto last = order.begin() + std::ptrdiff_t(std::min(count, order.size()));
  if (last != order.end()) std::nth_element(order.begin(), last, order.end(), is_larger);
  for (auto at = order.begin(); at != last; ++at) marks[begin + *at] = true;
}

/// The numbers of a shard that are among the largest of their tensor, or of the part of it that the shard has.
template <class Real>
std::vector<bool> largest(const Gang& gang, const Shard& shard, double ratio, const std::vector<Real>& residual) {
  std::vector<bool> marks(shard.size());
  for (const Tensor& tensor : gang.tensors) {
    const std::size_t begin = std::max(tensor.at.begin, shard.begin), end = std::min(tensor.at.end, shard.end);
    if (begin >= end) continue;
    const auto count = std::size_t(std::ceil(ratio * double(end - begin)));
    mark_largest(std::span<const Real>(residual).subspan(begin, end - begin), count, begin - shard.begin, marks);
  }
  return marks;
}

}  // namespace

double ratio_in(const Dgc& dgc, int epoch) {
  return arithmetic::pow(dgc.ratio, std::min(1.0, double(epoch + 1) / double(dgc.warmup_epochs + 1)));
}

template <class Real>
void pack(const Dgc& dgc, const Gang& gang, Rank<Real>& rank, const Shard& shard, Message<Real>& message) {
  const double ratio = ratio_in(dgc, gang.epoch);
  const auto nothing = [](std::size_t) { return false; };
  if (gang.size == 0 || message.samples == 0) return thin_out(message, shard, ratio, nothing);
  for (std::size_t i = shard.begin; i < shard.end; ++i) {
    Real number = message.numbers[i - shard.begin];
    if (!rank.velocity.empty()) number = rank.velocity[i] = Real(dgc.momentum) * rank.velocity[i] + number;
    rank.residual[i] += number;
  }
  const std::vector<bool> travels = largest(gang, shard, ratio, rank.residual);
  for (std::size_t i = 0; i < travels.size(); ++i) {
    Real& residual = rank.residual[shard.begin + i];
    message.numbers[i] = travels[i] ? residual : 0;
    if (travels[i]) residual = 0;
    if (travels[i] && dgc.masking && !rank.velocity.empty()) rank.velocity[shard.begin + i] = 0;
  }
  thin_out(message, shard, ratio, [&](std::size_t i) { return bool(travels[i]); });
}

template <class Real>
double clip_factor(const Dgc& dgc, int ranks, const std::vector<Real>& gradient) {
  double squares = 0;
  for (const Real number : gradient) squares += double(number) * double(number);
  const double limit = *dgc.clip_norm / std::sqrt(double(ranks));
  return std::min(1.0, limit / (std::sqrt(squares) + 1e-6));
}

template void pack(const Dgc&, const Gang&, Rank<float>&, const Shard&, Message<float>&);
template void pack(const Dgc&, const Gang&, Rank<double>&, const Shard&, Message<double>&);
template double clip_factor(const Dgc&, int, const std::vector<float>&);
template double clip_factor(const Dgc&, int, const std::vector<double>&);

}  // namespace dlrun::parallel
