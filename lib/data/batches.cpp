// SPDX-License-Identifier: Apache-2.0
#include "data/batches.hpp"

#include <algorithm>
#include <string>

#include <ATen/ops/empty.h>

#include "util/error.hpp"

namespace dlrun::data {

namespace {

constexpr int kSpare = 2;  ///< buffers beside the one in use, for each thread that prepares

/// Copying this much takes about as long as handing a batch from thread to thread pays for.
constexpr std::size_t kWorthCopying = 1 << 20, kWorthAugmenting = 64 << 10;

Json value_of(const Json& section, const char* key) {
  return section.is_object() ? section.value(key, Json()) : Json();
}

}  // namespace

Batches::Batches(const Data& data, const BatchOptions& options, std::uint64_t seed, int replicate)
    : data_(data),
      batch_size_(options.batch_size),
      is_pinned_(options.is_pinned),
      drops_rest_(value_of(options.section, "drop_last") == true),
      sampler_(value_of(options.section, "sampler"), data, seed, replicate),
      augment_(value_of(options.section, "augment"), data.schema(), data.size(), seed, replicate) {
  count_ = batches_of(sampler_.count(), batch_size_, drops_rest_);
  rest_ = count_ * batch_size_ > sampler_.count() ? sampler_.count() % batch_size_ : 0;
  threads_ = choose_threads(value_of(options.section, "prefetch"));
  for (int i = 0; i < 1 + kSpare * threads_; ++i) buffers_.push_back(make_buffers());
  if (threads_ == 0) return;
  prefetch_ = std::make_unique<Prefetch>(threads_, int(buffers_.size()), [this](std::int64_t index, int place) {
    fill(index, buffers_[std::size_t(place)]);
  });
}

Batches::~Batches() = default;

Batches::Buffers Batches::make_buffers() const {
  const std::int64_t examples = sampler_.count();
  Buffers buffers{data_.buffers(std::min(batch_size_, examples), is_pinned_), data_.buffers(rest_, is_pinned_)};
  const bool mixes_classes = augment_.mixes() && data_.schema().classes > 0;
  for (Examples* batch : {&buffers.whole, &buffers.rest}) {
    if (!mixes_classes || batch->size() == 0) continue;
    batch->other = at::empty({batch->size()}, at::kLong);
    batch->share = at::empty({batch->size()}, at::kFloat);
  }
  return buffers;
}

int Batches::choose_threads(const Json& wanted) const {
  if (wanted.is_number_integer()) return wanted.get<int>();
  std::size_t bytes = 0;
  for (const at::Tensor& input : data_.buffers(1).inputs) bytes += input.nbytes() * std::size_t(batch_size_);
  return bytes >= (augment_.is_empty() ? kWorthCopying : kWorthAugmenting) ? 1 : 0;
}

void Batches::begin_epoch(std::int64_t epoch) {
  if (prefetch_) {
    prefetch_->start(0, 0, [&] { draw(epoch); });
  } else {
    draw(epoch);
  }
  next_ = -1;
}

void Batches::begin_epoch(std::int64_t epoch, const std::vector<Order>& lists) {
  if (prefetch_) {
    prefetch_->start(0, 0, [&] { use_lists(epoch, lists); });
  } else {
    use_lists(epoch, lists);
  }
  next_ = -1;
}

void Batches::draw(std::int64_t epoch) {
  rows_ = sampler_.rows(epoch);
  augment_.begin_epoch(epoch);
  turns_.clear();
  if (sampler_.repeats() && !augment_.is_empty()) count_turns();
}

void Batches::use_lists(std::int64_t epoch, const std::vector<Order>& lists) {
  rows_.clear();
  starts_ = {0};
  std::int64_t rounds = 0;
  for (const Order& list : lists) {
    for (const std::int64_t example : list) rows_.push_back(data_.train_rows()[std::size_t(example)]);
    starts_.push_back(std::int64_t(rows_.size()));
    rounds = std::max(rounds, batches_of(std::int64_t(list.size()), batch_size_, drops_rest_));
  }
  count_ = rounds * std::int64_t(lists.size());
  augment_.begin_epoch(epoch);
  turns_.clear();
  if (!augment_.is_empty()) count_turns();
}

void Batches::count_turns() {
  std::vector<std::int64_t> seen(std::size_t(data_.size()));
  for (const std::int64_t row : rows_) turns_.push_back(seen[std::size_t(row)]++);
}

Batches::Cut Batches::cut_of(std::int64_t index) const {
  const auto ranks = starts_.empty() ? std::int64_t(1) : std::int64_t(starts_.size()) - 1;
  const auto rank = std::size_t(index % ranks);
  const std::int64_t first = starts_.empty() ? 0 : starts_[rank];
  const std::int64_t size = starts_.empty() ? std::int64_t(rows_.size()) : starts_[rank + 1] - first;
  const std::int64_t begin = index / ranks * batch_size_;
  const std::int64_t count = index / ranks < batches_of(size, batch_size_, drops_rest_) ? size - begin : 0;
  return {first + begin, std::min(count, batch_size_), first, size};
}

Examples Batches::batch(std::int64_t index) {
  if (!prefetch_) return fill(index, buffers_[0]);
  if (index != next_) prefetch_->start(index, count_, [] {});
  next_ = index + 1;
  return view(index, buffers_[std::size_t(prefetch_->wait_for(index))]);
}

Examples Batches::view(std::int64_t index, const Buffers& buffers) const {
  const std::int64_t size = cut_of(index).size;
  if (size == buffers.whole.size()) return buffers.whole;
  return size == buffers.rest.size() ? buffers.rest : buffers.whole.narrow(0, size);
}

Examples Batches::fill(std::int64_t index, const Buffers& buffers) const {
  const Cut cut = cut_of(index);
  Examples batch = view(index, buffers);
  if (cut.size == 0) return batch;
  if (augment_.is_empty()) {
    data_.gather(rows_.data() + cut.begin, batch);
  } else {
    data_.gather_targets(rows_.data() + cut.begin, batch);
    augment(cut, batch);
  }
  return batch;
}

void Batches::augment(const Cut& cut, const Examples& batch) const {
  const std::int64_t width = data_.input(0).width;
  auto* to = batch.inputs[0].mutable_data_ptr<float>();
  std::vector<float> scratch(augment_.mixes() ? std::size_t(width) : 0);
  for (std::int64_t i = 0; i < batch.size(); ++i) {
    augment_.make(data_.input(0), appearance(cut.begin + i), to + i * width);
    if (augment_.mixes()) mix(cut, i, batch, scratch);
  }
}

/// Example `i` of the batch with its partner, which a rank has too; targets that are numbers are mixed too.
void Batches::mix(const Cut& cut, std::int64_t i, const Examples& batch, std::vector<float>& scratch) const {
  const std::int64_t place = cut.begin + i;
  const Mixing mixing = augment_.mixing(appearance(place), cut.list_size);
  const Appearance partner = appearance(mixing.partner < 0 ? place : cut.list_begin + mixing.partner);
  if (mixing.partner >= 0) {
    augment_.make(data_.input(0), partner, scratch.data());
    augment_.mix(mixing, scratch.data(), batch.inputs[0].mutable_data_ptr<float>() + i * data_.input(0).width);
  }
  if (batch.other.defined()) {
    batch.other.mutable_data_ptr<std::int64_t>()[i] = data_.label(partner.row);
    batch.share.mutable_data_ptr<float>()[i] = float(mixing.share);
  } else if (mixing.partner >= 0) {
    data_.mix_target(partner.row, mixing.share, batch.targets.mutable_data_ptr<float>() + i * batch.targets.size(1));
  }
}

}  // namespace dlrun::data
