// SPDX-License-Identifier: Apache-2.0
#include "dataset/partition_section.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "options/kind.hpp"

namespace dlrun::dataset {

namespace {

using options::field;
using Fields = options::Fields<Partition>;

constexpr double kMostEpochs = 1'000'000;
const std::string kPartition = "partition";

Fields remainder_field() {
  return {
      field(choice("remainder",
                   "ranks that have an example less than others repeat one (pad), or the others leave one out (drop)",
                   {"pad", "drop"})
                .search(),
            &Partition::remainder)};
}

Fields alpha_field() {
  return {field(real("alpha", "of the Dirichlet distribution: the smaller, the more a rank's classes differ")
                    .from(1e-3)
                    .to(1e6)
                    .search(),
                &Partition::alpha)};
}

options::Fields<Importance> importance_fields() {
  return {
      field(choice("signal", "measured at every training step: the example's loss", {"loss"}), &Importance::signal),
      field(choice("aggregate", "of the epochs that count: mean, variance, or the last one's", {"mean", "var", "last"}),
            &Importance::aggregate),
      field(integer("ignore_epochs", "first epochs of the warm-up that do not count")
                .from(0)
                .to(kMostEpochs)
                .or_else("5; with aggregate last none"),
            &Importance::ignore_epochs)};
}

/// @param is_optional  the policy works without importance too, and these have no defaults then
Fields importance_settings(bool is_optional) {
  options::Key importance = options::table("importance", "how hard an example is, by which the ranks' shares are made",
                                           keys_of(importance_fields()));
  if (is_optional) importance.or_else("examples of a class are in a shuffled order");
  Fields fields = {
      options::part<Partition, Importance>(std::move(importance), &Partition::importance, importance_fields()),
      field(integer("warmup_epochs", "epochs in which examples are dealt out anew, as by random")
                .from(1)
                .to(kMostEpochs)
                .search(),
            &Partition::warmup_epochs),
      field(integer("interval_epochs", "epochs for which a partition stays").from(1).to(kMostEpochs).search(),
            &Partition::interval_epochs),
      field(choice("order", "the hardest examples first, or last", {"desc", "asc"}).search(), &Partition::order)};
  for (std::size_t i = 1; is_optional && i < fields.size(); ++i) {
    fields[i].key.otherwise = fmt::format("{} with importance", to_text(fields[i].key.fallback));
    fields[i].key.fallback = nullptr;
  }
  return fields;
}

Fields rotate_field() {
  return {field(boolean("rotate", "block i goes to rank i + interval, so that no rank keeps the hardest").search(),
                &Partition::rotates)};
}

options::Kind<Partition> kind(const char* name, const char* text, const std::vector<Fields>& fields) {
  return {name, text, options::joined<options::Field<Partition>>(fields),
          [name](Partition& out) { out.policy = name; }};
}

options::Kinds<Partition> make_kinds() {
  return {kind("random", "dealt out anew in each epoch", {remainder_field()}),
          kind("fixed_random", "dealt out once", {remainder_field()}),
          kind("contiguous", "each rank has a stretch of the file", {remainder_field()}),
          kind("stratified", "each rank has as many of every class", {importance_settings(true), remainder_field()}),
          kind("dirichlet", "skewed: the ranks' shares of a class follow a Dirichlet distribution", {alpha_field()}),
          kind("stripes", "sorted by importance and dealt round: each rank has examples of all importances",
               {importance_settings(false), remainder_field()}),
          kind("blocks", "sorted by importance and cut: one rank has the most important ones",
               {importance_settings(false), rotate_field(), remainder_field()})};
}

const options::Kinds<Partition>& kinds() {
  static const options::Kinds<Partition> all = make_kinds();
  return all;
}

std::string at(const char* key) { return options::place_of(kPartition, key); }

/// Settings that importance alone makes use of, where stratified has none.
void finish_stratified(Json& partition, Faults& faults) {
  const bool has_importance = partition["importance"].is_object();
  const Json defaults = write_fields(Partition(), importance_settings(false));
  for (const char* key : {"warmup_epochs", "interval_epochs", "order"}) {
    if (has_importance && partition[key].is_null()) partition[key] = defaults[key];
    if (!has_importance && !partition[key].is_null())
      faults.add({at(key), fmt::format("'{}' changes nothing without importance", key),
                  "write importance: {aggregate: mean} beside it, or remove it"});
    if (!has_importance) partition.erase(key);
  }
  if (!has_importance) partition.erase("importance");
}

void finish_importance(Json& partition, Faults& faults) {
  Json& importance = partition["importance"];
  const std::string place = options::place_of(at("importance"), "ignore_epochs");
  Json& ignored = importance["ignore_epochs"];
  if (importance["aggregate"] == "last") {
    if (!ignored.is_null())
      faults.add({place, "'ignore_epochs' changes nothing, for the last epoch alone counts", "remove it"});
    return void(importance.erase("ignore_epochs"));
  }
  if (ignored.is_null()) ignored = Importance().ignore_epochs;
  if (ignored >= partition["warmup_epochs"])
    faults.add({place,
                fmt::format("no epoch counts: {} of a warm-up of {} are ignored", to_text(ignored),
                            to_text(partition["warmup_epochs"])),
                "ignore fewer, or write a longer warmup_epochs"});
}

}  // namespace

options::Key partition_option() {
  return options::kind_key(kPartition, "which rank of several has which example", kinds())
      .tagged("policy")
      .or_else("batches of one order are dealt to the ranks");
}

void finish_partition(Json& section, Faults& faults) {
  Json& partition = section[kPartition];
  if (partition.is_null()) return void(section.erase(kPartition));
  if (partition["policy"] == "stratified") finish_stratified(partition, faults);
  if (partition.contains("importance")) finish_importance(partition, faults);
}

void check_partition(const Json& section, const Schema& schema) {
  if (!section.contains(kPartition)) return;
  const std::string policy = section[kPartition]["policy"], sampler = section["sampler"]["op"];
  const bool needs_classes = policy == "stratified" || policy == "dirichlet";
  if (needs_classes && (schema.classes == 0 || !schema.target_shape.empty() || schema.several.size() > 1))
    throw DataError(at("policy"), fmt::format("'{}' needs data with one class for each example", policy),
                    "write policy: fixed_random");
  if (sampler != "shuffle" && sampler != "sequential")
    throw DataError("sampler", fmt::format("'{}' draws examples, which a partition has dealt out", sampler),
                    "write sampler: shuffle, or remove the partition");
  if (sampler == "sequential" && policy == "random")
    throw DataError("sampler", "'sequential' keeps an order, and policy random has another one in each epoch",
                    "write sampler: shuffle, or policy: contiguous");
}

std::optional<Partition> read_partition(const Json& section) {
  if (!section.is_object() || !section.contains(kPartition) || section[kPartition].is_null()) return std::nullopt;
  const Json& written = section[kPartition];
  for (const options::Kind<Partition>& kind : kinds()) {
    if (written.value("policy", Json()) != kind.name) continue;
    Partition partition;
    kind.begin(partition);
    read_fields(written, kind.fields, "data.partition", partition);
    return partition;
  }
  options::refuse_name("data.partition.policy", to_text(written.value("policy", Json())),
                       names(options::variants_of(kinds())));
}

}  // namespace dlrun::dataset
