// SPDX-License-Identifier: Apache-2.0
// Random numbers for plugins, from dlrun's named streams.
#pragma once
#include <dlrun/plugin/random.hpp>
#include <memory>
#include <string>
#include <utility>

#include "util/random.hpp"

namespace dlrun {

class HostRandom final : public plugin::Random {
 public:
  explicit HostRandom(RandomStream stream) : stream_(std::move(stream)) {}
  double uniform() override { return stream_.uniform(); }
  double normal() override { return stream_.normal(); }
  std::uint64_t below(std::uint64_t bound) override { return stream_.below(bound); }

 private:
  RandomStream stream_;
};

/// Streams of one plugin in one study.
class HostStreams final : public plugin::Streams {
 public:
  HostStreams(std::uint64_t seed, std::string name) : seed_(seed), name_(std::move(name)) {}
  std::unique_ptr<plugin::Random> stream(std::uint64_t number) const override {
    return std::make_unique<HostRandom>(RandomStream(seed_, {"plugin", name_, "stream", std::to_string(number)}));
  }
  /// For attempt `attempt` at decision `number`.
  HostRandom of_decision(std::int64_t number, std::int64_t attempt) const {
    return HostRandom(
        RandomStream(seed_, {"plugin", name_, "propose", std::to_string(number), std::to_string(attempt)}));
  }

 private:
  std::uint64_t seed_;
  std::string name_;
};

}  // namespace dlrun
