// SPDX-License-Identifier: Apache-2.0
#include "storage/decode_ahead.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace dlrun::storage {

namespace {

constexpr unsigned kMostThreads = 4;        ///< taking the rows in is the longer part then
constexpr std::size_t kBatch = 1024;        ///< rows
constexpr std::size_t kWorthAThread = 256;  ///< rows

}  // namespace

DecodeAhead::DecodeAhead(Source more)
    : more_(std::move(more)), most_(std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads)) {}

void DecodeAhead::refill() {
  while (!is_at_end_ && ahead_.size() < most_) {
    Batch batch = more_(kBatch);
    is_at_end_ = batch.rows < kBatch;
    if (batch.rows == 0) return;
    const auto how = batch.rows < kWorthAThread ? std::launch::deferred : std::launch::async;
    ahead_.push_back(std::async(how, std::move(batch.decode)));
  }
}

bool DecodeAhead::take_batch() {
  refill();
  if (ahead_.empty()) return false;
  rows_ = ahead_.front().get();
  ahead_.pop_front();
  taken_ = 0;
  return true;
}

std::optional<LogRow> DecodeAhead::next() {
  if (taken_ == rows_.size() && !take_batch()) return std::nullopt;
  return std::move(rows_[taken_++]);
}

}  // namespace dlrun::storage
