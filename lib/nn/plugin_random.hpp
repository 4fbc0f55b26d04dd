// SPDX-License-Identifier: Apache-2.0
// A named stream as plugins see it.
#pragma once
#include <dlrun/plugin/random.hpp>

#include "util/random.hpp"

namespace dlrun::nn {

class PluginRandom final : public plugin::Random {
 public:
  explicit PluginRandom(const RandomStream& stream) : stream_(stream) {}
  double uniform() override { return stream_.uniform(); }
  double normal() override { return stream_.normal(); }
  std::uint64_t below(std::uint64_t bound) override { return stream_.below(bound); }

 private:
  RandomStream stream_;
};

}  // namespace dlrun::nn
