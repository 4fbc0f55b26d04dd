// SPDX-License-Identifier: Apache-2.0
#include "recipe/parallel.hpp"

#include "options/kind.hpp"
#include "recipe/optimizer.hpp"
#include "util/error.hpp"

namespace dlrun::recipe {

namespace {

using Gang = parallel::ParallelConfig;
using options::boolean;
using options::choice;
using options::field;
using options::integer;
using options::real;
using parallel::Sharding;

constexpr int kMostRanks = 1024;
constexpr const char* kVirtual = "virtual";
constexpr const char* kProcesses = "processes";

options::Fields<Gang> gang_fields() {
  return {field(integer("ranks", "copies of the model that train together").from(1).to(kMostRanks).must().search(),
                &Gang::ranks),
          field(choice("lr_scale",
                       "factor of the learning rate: ranks, their square root, or 1; auto is linear, and none for "
                       "methods that average rarely",
                       {"auto", "linear", "sqrt", "none"})
                    .search(),
                &Gang::lr_scale),
          field(choice("on_loss",
                       "what the loss of a rank's process does: the trial goes back to its last checkpoint, or the "
                       "other ranks go on, and results depend on it",
                       {"restart", "elastic"}),
                &Gang::on_loss)};
}

options::Fields<Sharding> server_fields() {
  return {field(choice("sharding",
                       "how the server's weights are cut for several: not at all, so that every tensor has one, or "
                       "into parts of at most shard_bytes",
                       {"none", "layer", "memory"})
                    .search(),
                &Sharding::by),
          field(integer("servers", "that hold the parts")
                    .from(1)
                    .to(kMostRanks)
                    .or_else("one a virtual host, 1 in processes")
                    .search(),
                &Sharding::servers),
          field(real("shard_bytes", "the most that a part of sharding memory has").from(64).search(),
                &Sharding::most_bytes)};
}

options::Field<Sharding> wait_free_field() {
  return field(
      boolean("wait_free", "a tensor's gradient is sent once it is made, not after the backward pass").search(),
      &Sharding::is_wait_free);
}

options::Field<Sharding> bucket_field() {
  return field(real("bucket_bytes", "the least that wait_free sums together").from(64).search(), &Sharding::most_bytes);
}

template <class Own>
options::Fields<Gang> cut_fields() {
  options::Fields<Sharding> fields;
  if (Own::kHasServer) fields = server_fields();
  if (parallel::kSendsGradients<Own>) fields.push_back(wait_free_field());
  if (parallel::kSendsGradients<Own> && !Own::kHasServer) fields.push_back(bucket_field());
  return options::all_within<Gang>(
      fields, [](auto& gang) -> auto& { return gang.sharding; });
}

Json codec_settings(const parallel::Codec& codec) {
  return std::visit(
      [](const auto& own) {
        Json out = options::write_fields(own, own.fields());
        out["op"] = own.kName;
        return out;
      },
      codec);
}

template <class Own>
options::Kind<parallel::Codec> codec_kind() {
  const auto part = [](auto& codec) -> auto& { return std::get<Own>(codec); };
  return {Own::kName, Own::kText, options::all_within<parallel::Codec>(Own::fields(), part),
          [](parallel::Codec& out) { out.emplace<Own>(); }};
}

/// A server is sent the largest numbers, ranks that sum all-reduce thin matrices.
template <class Own>
options::Fields<Gang> codec_fields() {
  if (!parallel::kSendsGradients<Own>) return {};
  options::Kinds<parallel::Codec> kinds = {codec_kind<parallel::Dense>(), codec_kind<parallel::Bf16>()};
  kinds.push_back(Own::kHasServer ? codec_kind<parallel::Dgc>() : codec_kind<parallel::PowerSgd>());
  Key key = options::kind_key("codec", "how gradients are packed", kinds).with(parallel::Dense::kName);
  return {options::kind_part<Gang, parallel::Codec>(std::move(key), &Gang::codec, kinds, parallel::Dense::kName,
                                                    codec_settings)};
}

/// Fills in settings of the optimiser and the clipping that dgc takes over.
void complete(parallel::Dgc& dgc, const Json& trial) {
  const OptimizerConfig optimizer = read_optimizer(trial);
  const Sgd* const sgd = std::get_if<Sgd>(&optimizer.method);
  if (dgc.momentum_correction && sgd == nullptr)
    throw Error(ErrorKind::usage, "parallel.codec.momentum_correction needs the optimizer sgd");
  if (dgc.momentum_correction) dgc.momentum = sgd->momentum;
  const Json clip = trial.value("clip_norm", Json());
  if (dgc.clipping && clip.is_number()) dgc.clip_norm = clip.get<double>();
}

template <class Own>
options::Fields<Gang> host_fields() {
  if (!std::is_same_v<Own, parallel::Bsp>) return {};
  return {field(integer("aggregate", "neighbouring ranks that sum their gradients before one of them sends the sum")
                    .from(1)
                    .to(kMostRanks)
                    .search(),
                &Gang::aggregate)};
}

template <class Own>
options::Kind<Gang> gang_kind_of() {
  const auto part = [](auto& gang) -> auto& { return std::get<Own>(gang.method); };
  return {Own::kName, Own::kText,
          options::joined<options::Field<Gang>>({gang_fields(), options::all_within<Gang>(Own::fields(), part),
                                                 cut_fields<Own>(), host_fields<Own>(), codec_fields<Own>()}),
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
      {kVirtual, "one process plays all ranks in virtual time", parallel::cluster_fields(), nullptr},
      {kProcesses, "every rank is a process, and so is a server", parallel::process_fields(),
       [](auto& out) { out.is_virtual = false; }}};
  return kinds;
}

/// Without later settings that are at rest.
Json gang_settings(const parallel::Method& method) {
  Json all = std::visit([](const auto& own) { return options::write_fields(own, own.fields()); }, method);
  if (all.value("drop_slowest", Json()) == 0) all.erase("drop_slowest");
  for (auto item = all.begin(); item != all.end();) item = item->is_null() ? all.erase(item) : std::next(item);
  return all;
}

/// Without later settings that are at rest.
Json machine_settings(const parallel::ClusterConfig& machines) {
  if (!machines.is_virtual) return kProcesses;
  Json all = write_fields(machines, parallel::cluster_fields());
  if (!machines.fails()) all.erase("restart");
  for (const char* later : {"slowdowns", "pauses", "failures", "mtbf"}) {
    if (all[later].empty()) all.erase(later);
  }
  return all;
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
  const int virtual_hosts = (config.gang.ranks - 1) / config.cluster.ranks_per_host + 1;
  const int hosts = config.cluster.is_virtual ? virtual_hosts : 1;
  if (!config.gang.sharding.servers) config.gang.sharding.servers = hosts;
  if (auto* dgc = std::get_if<parallel::Dgc>(&config.gang.codec)) complete(*dgc, trial);
  return config;
}

int processes_of(const ParallelConfig& config) {
  if (config.cluster.is_virtual) return 0;
  const parallel::Sharding& cut = config.gang.sharding;
  const int servers = cut.by == "none" ? 1 : cut.servers.value_or(1);
  const int all = config.gang.ranks + (parallel::has_server(config.gang.method) ? servers : 0);
  return all > 1 ? all : 0;
}

bool loses_ranks(const Json& cluster) {
  return cluster.is_object() &&
         (!cluster.value("failures", Json()).empty() || !cluster.value("mtbf", Json()).is_null());
}

bool is_out_of_step(const std::string& op) {
  for (const auto& kind : gang_kinds()) {
    if (kind.name != op) continue;
    Gang gang;
    kind.begin(gang);
    return !parallel::make_algorithm<float>(gang.method)->is_synchronous();
  }
  return false;
}

Json to_json(const ParallelConfig& config) {
  const Sharding& cut = config.gang.sharding;
  Json out = {{"op", name_of(config.gang.method)},
              {"ranks", config.gang.ranks},
              {"lr_scale", config.gang.lr_scale},
              {"settings", gang_settings(config.gang.method)},
              {"cluster", machine_settings(config.cluster)}};
  if (cut.by != Sharding().by || cut.is_wait_free)
    out["sharding"] = {cut.by, *cut.servers, cut.most_bytes, cut.is_wait_free};
  if (config.gang.on_loss != Gang().on_loss) out["on_loss"] = config.gang.on_loss;
  if (config.gang.aggregate != 1) out["aggregate"] = config.gang.aggregate;
  if (!std::holds_alternative<parallel::Dense>(config.gang.codec)) out["codec"] = codec_settings(config.gang.codec);
  return out;
}

}  // namespace dlrun::recipe
