// SPDX-License-Identifier: Apache-2.0
#include "recipe/rates.hpp"

namespace dlrun::recipe {

namespace {

void append(std::string& bytes, double number) {
  const double normal = number == 0 ? 0 : number;  // no negative zero
  bytes.append(reinterpret_cast<const char*>(&normal), sizeof normal);
}

}  // namespace

std::string rates_of(const Schedule& schedule, std::int64_t epoch, std::int64_t steps_per_epoch) {
  std::string bytes;
  bytes.reserve(std::size_t(steps_per_epoch) * sizeof(double));
  for (std::int64_t step = (epoch - 1) * steps_per_epoch; step < epoch * steps_per_epoch; ++step) {
    append(bytes, schedule.lr(step));
    const auto momentum = schedule.momentum(step);
    bytes += momentum ? 'm' : '-';
    if (momentum) append(bytes, *momentum);
  }
  return bytes;
}

bool is_averaged(const std::optional<SwaConfig>& swa, std::int64_t epoch) {
  return swa && swa->when.count(epoch) != swa->when.count(epoch - 1);
}

}  // namespace dlrun::recipe
