// SPDX-License-Identifier: Apache-2.0
#include "data/batches.hpp"

#include <cstring>
#include <numeric>
#include <string>

#include <ATen/ops/empty.h>

#include "util/error.hpp"
#include "util/random.hpp"

namespace dlrun::data {

namespace {

/// Copies rows of `bytes` each; as fast as memory, and without index_select's set-up of microseconds.
void gather(const void* from, const std::int64_t* rows, std::int64_t count, std::size_t bytes, void* to) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(static_cast<char*>(to) + std::size_t(i) * bytes,
                static_cast<const char*>(from) + std::size_t(rows[i]) * bytes, bytes);
  }
}

void gather(const at::Tensor& from, const std::int64_t* rows, const at::Tensor& to) {
  const std::size_t bytes = from.nbytes() / std::size_t(from.size(0));
  gather(from.const_data_ptr(), rows, to.size(0), bytes, to.mutable_data_ptr());
}

Examples buffers_like(const Examples& all, std::int64_t count) {
  if (count == 0) return {};
  std::vector<std::int64_t> inputs = all.inputs.sizes().vec(), targets = all.targets.sizes().vec();
  inputs[0] = targets[0] = count;
  return {at::empty(inputs, all.inputs.options()), at::empty(targets, all.targets.options())};
}

}  // namespace

std::vector<std::int64_t> epoch_order(std::uint64_t seed, int replicate, std::int64_t epoch, std::int64_t count) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  RandomStream stream(seed, {"order", std::to_string(replicate), std::to_string(epoch)});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[stream.below(i)]);
  return order;
}

Batches::Batches(const Data& data, std::int64_t batch_size, std::uint64_t seed, int replicate)
    : data_(data), batch_size_(batch_size), seed_(seed), replicate_(replicate) {
  const auto examples = std::int64_t(data.train_rows().size());
  if (examples == 0) throw Error(ErrorKind::usage, "the training split is empty");
  const std::int64_t rest = examples % batch_size;
  const bool uses_rest = rest > 1 || (rest == 1 && examples == 1);
  count_ = examples / batch_size + (uses_rest ? 1 : 0);
  whole_ = buffers_like(data.all(), std::min(batch_size, examples));
  rest_ = buffers_like(data.all(), uses_rest ? rest : 0);
}

void Batches::begin_epoch(std::int64_t epoch) {
  const std::vector<std::int64_t>& train = data_.train_rows();
  rows_ = epoch_order(seed_, replicate_, epoch, std::int64_t(train.size()));
  for (std::int64_t& row : rows_) row = train[std::size_t(row)];
}

Examples Batches::batch(std::int64_t index) {
  const std::int64_t begin = index * batch_size_;
  const bool is_whole = begin + batch_size_ <= std::int64_t(rows_.size());
  const Examples& buffer = is_whole ? whole_ : rest_;
  gather(data_.all().inputs, rows_.data() + begin, buffer.inputs);
  gather(data_.all().targets, rows_.data() + begin, buffer.targets);
  return buffer;
}

}  // namespace dlrun::data
