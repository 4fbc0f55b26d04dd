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

std::vector<LogRow> decode_all(const std::vector<Coded>& coded) {
  std::vector<LogRow> rows;
  rows.reserve(coded.size());
  for (const Coded& row : coded) rows.push_back(decode(row.kind, row.body));
  return rows;
}

}  // namespace

DecodeAhead::DecodeAhead(Source more)
    : more_(std::move(more)), most_(std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads)) {}

void DecodeAhead::refill() {
  while (!is_at_end_ && ahead_.size() < most_) {
    std::vector<Coded> batch = more_(kBatch);
    is_at_end_ = batch.size() < kBatch;
    if (batch.empty()) return;
    const auto how = batch.size() < kWorthAThread ? std::launch::deferred : std::launch::async;
    ahead_.push_back(std::async(how, decode_all, std::move(batch)));
  }
}

std::optional<LogRow> DecodeAhead::next() {
  if (taken_ == rows_.size()) {
    refill();
    if (ahead_.empty()) return std::nullopt;
    rows_ = ahead_.front().get();
    ahead_.pop_front();
    taken_ = 0;
    refill();
  }
  return std::move(rows_[taken_++]);
}

}  // namespace dlrun::storage
