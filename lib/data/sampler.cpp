// SPDX-License-Identifier: Apache-2.0
#include "data/sampler.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "util/error.hpp"
#include "util/random.hpp"
#include "util/shuffle.hpp"

namespace dlrun::data {

std::vector<std::int64_t> epoch_order(std::uint64_t seed, int replicate, std::int64_t epoch, std::int64_t count) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  RandomStream stream(seed, {"order", std::to_string(replicate), std::to_string(epoch)});
  shuffle(order, stream);
  return order;
}

Sampler::Sampler(const Json& section, const Data& data, std::uint64_t seed, int replicate)
    : data_(data), seed_(seed), replicate_(replicate), count_(std::int64_t(data.train_rows().size())) {
  if (count_ == 0) throw Error(ErrorKind::usage, "the training split is empty");
  if (!section.is_object()) return;
  op_ = section.at("op").get<std::string>();
  if (!repeats()) return;
  sort_by_class();
  if (op_ == "oversample") {
    const auto largest = std::max_element(classes_.begin(), classes_.end(),
                                          [](const auto& a, const auto& b) { return a.size() < b.size(); });
    const auto used = std::count_if(classes_.begin(), classes_.end(), [](const auto& rows) { return !rows.empty(); });
    count_ = std::int64_t(largest->size()) * used;
    return;
  }
  weigh(section.value("weights", Json()));
  if (section.value("draws", Json()).is_number()) count_ = section["draws"].get<std::int64_t>();
}

void Sampler::sort_by_class() {
  classes_.resize(std::size_t(data_.schema().classes));
  for (const std::int64_t row : data_.train_rows()) classes_.at(std::size_t(data_.label(row))).push_back(row);
}

/// @param weights  of one example of each class; null: every class weighs the same
void Sampler::weigh(const Json& weights) {
  double sum = 0;
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    const auto rows = double(classes_[k].size());
    sum += weights.is_array() ? weights.at(k).get<double>() * rows : rows > 0 ? 1.0 : 0.0;
    until_.push_back(sum);
  }
  if (!(sum > 0)) throw Error(ErrorKind::usage, "the sampler gives every training example the weight 0");
}

std::vector<std::int64_t> Sampler::rows(std::int64_t epoch) const {
  const std::vector<std::int64_t>& train = data_.train_rows();
  if (op_ == "sequential") return train;
  if (op_ == "oversample") return oversampled(epoch);
  if (op_ != "shuffle") return drawn(epoch);
  std::vector<std::int64_t> rows = epoch_order(seed_, replicate_, epoch, count_);
  for (std::int64_t& row : rows) row = train[std::size_t(row)];
  return rows;
}

/// With replacement: a class by weight, then one of its rows.
std::vector<std::int64_t> Sampler::drawn(std::int64_t epoch) const {
  RandomStream stream(seed_, {"sampler", std::to_string(replicate_), std::to_string(epoch)});
  std::vector<std::int64_t> rows;
  rows.reserve(std::size_t(count_));
  while (std::int64_t(rows.size()) < count_) {
    const double at = stream.uniform() * until_.back();
    const auto found = std::upper_bound(until_.begin(), until_.end(), at);
    const std::vector<std::int64_t>& members = classes_[std::size_t(found - until_.begin())];
    rows.push_back(members[stream.below(members.size())]);
  }
  return rows;
}

/// Every class in whole rounds of its rows, then some of them drawn without replacement; all shuffled.
std::vector<std::int64_t> Sampler::oversampled(std::int64_t epoch) const {
  RandomStream stream(seed_, {"sampler", std::to_string(replicate_), std::to_string(epoch)});
  std::size_t most = 0;
  for (const std::vector<std::int64_t>& members : classes_) most = std::max(most, members.size());
  std::vector<std::int64_t> rows;
  rows.reserve(std::size_t(count_));
  for (std::vector<std::int64_t> members : classes_) {
    if (members.empty()) continue;
    shuffle(members, stream);
    for (std::size_t i = 0; i < most; ++i) rows.push_back(members[i % members.size()]);
  }
  shuffle(rows, stream);
  return rows;
}

}  // namespace dlrun::data
