// SPDX-License-Identifier: Apache-2.0
#include "placement/loads.hpp"

#include <cmath>
#include <limits>

namespace dlrun::placement {

namespace {

constexpr double kPicosecond = 1e-12;

std::int64_t picoseconds(double seconds) { return std::llround(seconds / kPicosecond); }

}  // namespace

Neighbours::Neighbours(const Workload& work) : readers(work.items.size()), producers(work.items.size()) {
  for (const auto& [from, to] : work.edges) {
    readers[std::size_t(from)].push_back(to);
    producers[std::size_t(to)].push_back(from);
  }
}

DeviceLoad::DeviceLoad(const Workload& work, const Neighbours& neighbours, bool is_cpu)
    : work_(work), neighbours_(neighbours), is_cpu_(is_cpu) {
  clear();
}

void DeviceLoad::clear() {
  is_in_.assign(work_.items.size(), 0);
  reads_.assign(work_.items.size(), 0);
  read_outside_.assign(work_.items.size(), 0);
  compute_ = transfers_ = 0;
  bytes_ = 0;
  impossible_ = 0;
}

void DeviceLoad::add_class(int of_class) {
  for (const int item : work_.classes[std::size_t(of_class)].members) add_item(item);
}

void DeviceLoad::remove(int of_class) {
  for (const int item : work_.classes[std::size_t(of_class)].members) remove_item(item);
}

void DeviceLoad::add_item(int item) {
  const Item& what = work_.items[std::size_t(item)];
  if (reads_[std::size_t(item)] > 0) transfers_ -= picoseconds(what.transfer);  // made here now
  is_in_[std::size_t(item)] = 1;
  compute_ += picoseconds(is_cpu_ ? what.on_cpu : what.accelerated);
  bytes_ += what.bytes;
  if (!is_cpu_ && !what.can_be_accelerated) ++impossible_;
  for (const int producer : neighbours_.producers[std::size_t(item)]) {
    ++reads_[std::size_t(producer)];
    const std::int64_t transfer = picoseconds(work_.items[std::size_t(producer)].transfer);
    if (holds(producer) && --read_outside_[std::size_t(producer)] == 0) transfers_ -= transfer;
    if (!holds(producer) && reads_[std::size_t(producer)] == 1) transfers_ += transfer;
  }
  int outside = 0;
  for (const int reader : neighbours_.readers[std::size_t(item)]) outside += holds(reader) ? 0 : 1;
  read_outside_[std::size_t(item)] = outside;
  if (outside > 0) transfers_ += picoseconds(what.transfer);
}

void DeviceLoad::remove_item(int item) {
  const Item& what = work_.items[std::size_t(item)];
  if (read_outside_[std::size_t(item)] > 0) transfers_ -= picoseconds(what.transfer);
  read_outside_[std::size_t(item)] = 0;
  is_in_[std::size_t(item)] = 0;
  compute_ -= picoseconds(is_cpu_ ? what.on_cpu : what.accelerated);
  bytes_ -= what.bytes;
  if (!is_cpu_ && !what.can_be_accelerated) --impossible_;
  for (const int producer : neighbours_.producers[std::size_t(item)]) {
    --reads_[std::size_t(producer)];
    const std::int64_t transfer = picoseconds(work_.items[std::size_t(producer)].transfer);
    if (holds(producer) && read_outside_[std::size_t(producer)]++ == 0) transfers_ += transfer;
    if (!holds(producer) && reads_[std::size_t(producer)] == 0) transfers_ -= transfer;
  }
  if (reads_[std::size_t(item)] > 0) transfers_ += picoseconds(what.transfer);
}

double DeviceLoad::seconds() const {
  if (is_cpu_) return double(compute_) * kPicosecond;
  const bool is_possible = impossible_ == 0 && bytes_ <= work_.memory;
  return is_possible ? double(compute_ + transfers_) * kPicosecond : std::numeric_limits<double>::infinity();
}

}  // namespace dlrun::placement
