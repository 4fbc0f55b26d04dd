// SPDX-License-Identifier: Apache-2.0
#include "train/running_statistics.hpp"

#include <algorithm>

#include <ATen/ATen.h>

namespace dlrun::train {

namespace {

std::vector<std::int64_t*> counters_of(const Network& network) {
  std::vector<std::int64_t*> all;
  for (const nn::Parameter& one : network.parameters().all()) {
    if (!one.trainable && one.value.scalar_type() == at::kLong)
      all.push_back(one.value.mutable_data_ptr<std::int64_t>());
  }
  return all;
}

}  // namespace

std::size_t size_of(const Spans& all) {
  std::size_t size = 0;
  for (const std::span<float> one : all) size += one.size();
  return size;
}

Spans running_statistics(const Network& network) {
  Spans all;
  for (const nn::Parameter& one : network.parameters().all()) {
    if (!one.trainable && one.value.scalar_type() == at::kFloat)
      all.emplace_back(one.value.mutable_data_ptr<float>(), std::size_t(one.value.numel()));
  }
  return all;
}

std::vector<std::int64_t> batch_counts(const Network& network) {
  std::vector<std::int64_t> all;
  for (const std::int64_t* const counter : counters_of(network)) all.push_back(*counter);
  return all;
}

void set_batch_counts(const Network& network, const std::vector<std::int64_t>& counts) {
  const std::vector<std::int64_t*> counters = counters_of(network);
  for (std::size_t i = 0; i < counters.size(); ++i) *counters[i] = counts.at(i);
}

void StatisticsMean::add(std::span<const float> numbers) {
  if (count_++ == 0) {
    for (const std::span<float> one : own_) std::fill(one.begin(), one.end(), 0.0F);
  }
  for (const std::span<float> one : own_) {
    for (std::size_t i = 0; i < one.size(); ++i) one[i] += numbers[i];
    numbers = numbers.subspan(one.size());
  }
}

void StatisticsMean::finish() {
  if (count_ < 2) return;
  for (const std::span<float> one : own_) {
    for (float& number : one) number /= float(count_);
  }
}

OwnParts::OwnParts(Network& network, int ranks, const SplitSums& fresh)
    : network_(network),
      shown_(running_statistics(network)),
      ranks_(std::size_t(ranks), Own{numbers(), batch_counts(network), fresh}) {}

void OwnParts::enter(int rank) { show(ranks_[std::size_t(rank)]); }

void OwnParts::leave(int rank) {
  Own& own = ranks_[std::size_t(rank)];
  own.statistics = numbers();
  own.counts = batch_counts(network_);
  own.has_computed = true;
}

SplitSums OwnParts::merge() {
  show(ranks_.front());
  StatisticsMean mean(shown_, ranks_.front().has_computed);
  SplitSums all = ranks_.front().sums;
  for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
    const Own& own = ranks_[rank];
    if (own.has_computed) mean.add(own.statistics);
    all.add(own.sums);
  }
  mean.finish();
  return all;
}

std::vector<float> OwnParts::numbers() const {
  std::vector<float> all;
  for (const std::span<float> one : shown_) all.insert(all.end(), one.begin(), one.end());
  return all;
}

void OwnParts::show(const Own& own) {
  auto from = own.statistics.begin();
  for (const std::span<float> one : shown_) {
    std::copy_n(from, one.size(), one.begin());
    from += std::ptrdiff_t(one.size());
  }
  set_batch_counts(network_, own.counts);
}

}  // namespace dlrun::train
