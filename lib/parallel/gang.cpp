// SPDX-License-Identifier: Apache-2.0
#include "parallel/gang.hpp"

#include <algorithm>
#include <cmath>

namespace dlrun::parallel {

int counted_ranks(const Method& method, int ranks) {
  const Bsp* const bsp = std::get_if<Bsp>(&method);
  return bsp != nullptr ? std::max(1, ranks - bsp->drop_slowest) : ranks;
}

double rate_of(const ParallelConfig& config) {
  const double ranks = counted_ranks(config.method, config.ranks);
  const bool is_scaled = std::visit([](const auto& settings) { return settings.kIsScaled; }, config.method);
  if (config.lr_scale == "none" || (config.lr_scale == "auto" && !is_scaled)) return 1;
  return config.lr_scale == "sqrt" ? std::sqrt(ranks) : ranks;
}

bool steps_by_mean(const Method& method) {
  const Bsp* const bsp = std::get_if<Bsp>(&method);
  return std::holds_alternative<ArSgd>(method) ||
         (bsp != nullptr && bsp->momentum == "server" && bsp->drop_slowest == 0);
}

bool has_server(const Method& method) {
  return std::visit([](const auto& settings) { return settings.kHasServer; }, method);
}

bool servers_step(const Method& method) {
  return std::visit(
      [](const auto& own) {
        if constexpr (requires { own.momentum; }) return own.momentum == "server";
        return false;
      },
      method);
}

/// Between two answers, ranks of ssp with on_stale step alone.
bool ranks_step(const Method& method) {
  const Ssp* const ssp = std::get_if<Ssp>(&method);
  return !servers_step(method) || (ssp != nullptr && ssp->read == "on_stale");
}

namespace {

std::vector<Tensor> tensors_of(const std::vector<Layer>& layers) {
  double bytes = 0;
  for (const Layer& layer : layers) bytes += layer.bytes;
  std::vector<Tensor> tensors;
  std::size_t begin = 0;
  for (const Layer& layer : layers) {
    Tensor tensor{{begin, begin + layer.size, bytes > 0 ? layer.bytes / bytes : 1}, layer.rows, 0};
    if (layer.rows > 0) tensor.columns = std::size_t(std::llround(layer.bytes / kNumber / double(layer.rows)));
    tensors.push_back(tensor);
    begin += layer.size;
  }
  return tensors;
}

}  // namespace

Gang gang_of(const ParallelConfig& config, const std::vector<Layer>& layers) {
  Gang gang;
  gang.ranks = config.ranks;
  for (const Layer& layer : layers) gang.size += layer.size;
  gang.rate = rate_of(config);
  gang.aggregate = config.aggregate;
  if (has_server(config.method)) gang.shards = shards_of(layers, config.sharding);
  gang.order = order_of(gang.shards);
  gang.buckets = buckets_of(layers, config.sharding);
  gang.codec = config.codec;
  gang.tensors = tensors_of(layers);
  return gang;
}

}  // namespace dlrun::parallel
