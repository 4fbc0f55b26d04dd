// SPDX-License-Identifier: Apache-2.0
#include "recipe/parallel.hpp"

#include "options/kind.hpp"

namespace dlrun::recipe {

namespace {

using Gang = parallel::ParallelConfig;
using options::choice;
using options::field;
using options::integer;

constexpr int kMostRanks = 1024;
constexpr const char* kVirtual = "virtual";

options::Fields<Gang> gang_fields() {
  return {field(integer("ranks", "copies of the model that train together").from(1).to(kMostRanks).must().search(),
                &Gang::ranks),
          field(choice("lr_scale",
                       "factor of the learning rate: ranks, their square root, or 1; auto is linear, and none for "
                       "methods that average rarely",
                       {"auto", "linear", "sqrt", "none"})
                    .search(),
                &Gang::lr_scale)};
}

template <class Own>
options::Kind<Gang> gang_kind_of() {
  const auto part = [](auto& gang) -> auto& { return std::get<Own>(gang.method); };
  return {Own::kName, Own::kText,
          options::joined<options::Field<Gang>>({gang_fields(), options::all_within<Gang>(Own::fields(), part)}),
          [](Gang& out) { out.method.emplace<Own>(); }};
}

template <class... Methods>
options::Kinds<Gang> gang_kinds_of(const std::variant<Methods...>&) {
  return {gang_kind_of<Methods>()...};
}

const options::Kinds<Gang>& gang_kinds() {
  static const options::Kinds<Gang> kinds = gang_kinds_of(parallel::Method());
  return kinds;
}

const options::Kinds<parallel::ClusterConfig>& cluster_kinds() {
  static const options::Kinds<parallel::ClusterConfig> kinds = {
      {kVirtual, "one process plays all ranks in virtual time", parallel::cluster_fields(), nullptr}};
  return kinds;
}

Json gang_settings(const parallel::Method& method) {
  return std::visit([](const auto& own) { return options::write_fields(own, own.fields()); }, method);
}

const char* name_of(const parallel::Method& method) {
  return std::visit([](const auto& own) { return own.kName; }, method);
}

}  // namespace

options::Key parallel_key() {
  return options::kind_key("parallel", "several ranks train one model", gang_kinds()).or_else("one machine");
}

options::Key cluster_key() {
  return options::kind_key("cluster", "machines that the ranks run on", cluster_kinds()).with(kVirtual);
}

std::optional<ParallelConfig> read_parallel(const Json& trial) {
  const Json section = trial.value("parallel", Json()), machines = trial.value("cluster", Json());
  if (section.is_null()) return std::nullopt;
  ParallelConfig config;
  config.gang = read_kind(section, gang_kinds(), "parallel", parallel::Bsp::kName);
  config.cluster = read_kind(machines.is_null() ? Json(kVirtual) : machines, cluster_kinds(), "cluster", kVirtual);
  return config;
}

Json to_json(const ParallelConfig& config) {
  return {{"op", name_of(config.gang.method)},
          {"ranks", config.gang.ranks},
          {"lr_scale", config.gang.lr_scale},
          {"settings", gang_settings(config.gang.method)},
          {"cluster", write_fields(config.cluster, parallel::cluster_fields())}};
}

}  // namespace dlrun::recipe
