// SPDX-License-Identifier: Apache-2.0
#include "train/partition.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tensors/safetensors.hpp"
#include "util/error.hpp"
#include "util/sha256.hpp"

namespace dlrun::train {

namespace {

std::string bytes_of(const auto& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(numbers.front())};
}

data::Owners owners_of(const std::vector<float>& numbers) { return {numbers.begin(), numbers.end()}; }

std::int64_t differences(const std::vector<float>& before, const data::Owners& after) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < before.size(); ++i) count += before[i] != float(after[i]) ? 1 : 0;
  return count;
}

}  // namespace

Partition::Partition(const Options& options, const data::Data& data, const nn::Streams& streams)
    : options_(options), data_(data), streams_(streams), count_(std::int64_t(data.train_rows().size())) {
  if (options_.settings.importance) {
    intervals_.emplace(options_.settings, options_.epochs);
    losses_ = ExampleLosses(count_);
  }
  owners_.resize(std::size_t(count_));
  deal_ = make_deal();
}

std::vector<std::int64_t> Partition::labels() const {
  std::vector<std::int64_t> all;
  for (const std::int64_t row : data_.train_rows()) all.push_back(data_.label(row));
  return all;
}

/// Sizes of parts are the same in all epochs.
parallel::Deal Partition::make_deal() const {
  const bool is_skewed = options_.settings.policy == "dirichlet";
  const data::Owners owners = is_skewed ? fixed(0) : data::deal_round(data::file_order(count_), options_.ranks);
  std::vector<std::int64_t> batches;
  for (const data::Order& part : data::parts_of(owners, options_.ranks))
    batches.push_back(data::batches_of(list_size(std::int64_t(part.size())), options_.batch_size, options_.drops_rest));
  parallel::Deal deal(std::move(batches));
  if (deal.batches() > 0) return deal;
  throw Error(ErrorKind::usage, fmt::format("data.partition: {} examples for {} ranks", count_, options_.ranks),
              "write remainder: pad, or fewer ranks");
}

/// Examples of a rank's list, if it has so many.
std::int64_t Partition::list_size(std::int64_t part) const {
  if (options_.settings.policy == "dirichlet" || part == 0) return part;
  const bool pads = options_.settings.remainder == "pad";
  return (count_ + (pads ? options_.ranks - 1 : 0)) / options_.ranks;
}

std::int64_t Partition::interval_of(std::int64_t epoch) const {
  if (options_.settings.is_reshuffled()) return kNone;
  if (!intervals_) return 0;
  return intervals_->is_warmup(epoch) ? kNone : intervals_->of(epoch);
}

const std::vector<data::Order>& Partition::begin(std::int64_t epoch) {
  const std::int64_t interval = interval_of(epoch);
  if (interval == kNone || interval != held_) {
    const data::Owners owners = interval == kNone ? random(epoch) : fixed(interval);
    moved_ = differences(owners_, owners);
    owners_.assign(owners.begin(), owners.end());
    held_ = interval;
    if (interval != kNone) losses_.begin_window();
  }
  lists_ = data::parts_of(owners_of(owners_), options_.ranks);
  data::require_cover(lists_, count_);
  for (int rank = 0; rank < options_.ranks; ++rank)
    lists_[std::size_t(rank)] = ordered(std::move(lists_[std::size_t(rank)]), epoch, rank);
  return lists_;
}

data::Owners Partition::random(std::int64_t epoch) const {
  const RandomStream stream(streams_.seed,
                            {"partition", "random", std::to_string(streams_.replicate), std::to_string(epoch)});
  return data::deal_round(data::shuffled(data::file_order(count_), stream), options_.ranks);
}

data::Owners Partition::fixed(std::int64_t interval) const {
  if (options_.settings.importance) return by_importance(interval);
  const std::string& policy = options_.settings.policy;
  if (policy == "contiguous") return data::deal_blocks(data::file_order(count_), options_.ranks);
  if (policy == "dirichlet")
    return data::deal_dirichlet(labels(), options_.ranks, options_.settings.alpha, streams_.seed, streams_.replicate);
  const RandomStream stream(streams_.seed, {"partition", "fixed", std::to_string(streams_.replicate)});
  const data::Order order = data::shuffled(data::file_order(count_), stream);
  return data::deal_round(policy == "stratified" ? data::class_by_class(order, labels()) : order, options_.ranks);
}

data::Owners Partition::by_importance(std::int64_t interval) const {
  const dataset::Partition& settings = options_.settings;
  const std::vector<float> values = losses_.importance(settings.importance->aggregate);
  const data::Order order = data::sorted_by(values, settings.order == "desc");
  if (settings.policy == "blocks") return data::deal_blocks(order, options_.ranks, settings.rotates ? interval : 0);
  return data::deal_round(settings.policy == "stratified" ? data::class_by_class(order, labels()) : order,
                          options_.ranks);
}

/// A rank repeats one of its examples, or leaves one out: another one in each epoch.
data::Order Partition::ordered(data::Order part, std::int64_t epoch, int rank) const {
  if (part.empty()) return part;
  if (!options_.is_sequential) {
    part = data::shuffled(std::move(part), {streams_.seed,
                                            {"partition", "order", std::to_string(streams_.replicate),
                                             std::to_string(epoch), std::to_string(rank)}});
  }
  const auto size = std::int64_t(part.size()), wanted = list_size(size);
  const auto turn = std::ptrdiff_t(epoch % size);
  if (wanted > size) part.push_back(part[std::size_t(turn)]);
  if (wanted < size) part.erase(part.begin() + turn);
  return part;
}

void Partition::note(std::int64_t batch, const std::vector<float>& losses) {
  const data::Order& list = lists_[std::size_t(batch % options_.ranks)];
  const std::int64_t begin = batch / options_.ranks * options_.batch_size;
  for (std::size_t i = 0; i < losses.size(); ++i) losses_.note(list[std::size_t(begin) + i], losses[i]);
}

/// Every process works out by itself what seed and epoch decide; the hash tells whether all did it alike.
Json Partition::assignment() const {
  Json json = {{"interval", held_}, {"sha256", Sha256::hex_of(bytes_of(owners_))}};
  if (intervals_ && held_ != kNone) json["owners"] = owners_of(owners_);
  return json;
}

void Partition::take_assignment(const Json& json) {
  if (!json.contains("owners")) return;
  json.at("owners").get_to(owners_);
  held_ = json.at("interval").get<std::int64_t>();
}

void Partition::require_same(const Json& assignment) const {
  if (assignment.at("interval") == held_ && assignment.at("sha256") == Sha256::hex_of(bytes_of(owners_))) return;
  throw Error(ErrorKind::internal, "two processes of a gang differ in who has which example");
}

std::optional<std::string> Partition::file(std::int64_t epoch) const {
  const std::int64_t first = intervals_ ? intervals_->first_epoch(std::max<std::int64_t>(0, held_)) : 1;
  if (held_ == kNone || epoch != first) return std::nullopt;
  const std::vector<int> ranks(owners_.begin(), owners_.end());
  const std::string rank_bytes = bytes_of(ranks), row_bytes = bytes_of(data_.train_rows());
  return tensors::write_safetensors({{"rank", "I32", {count_}, rank_bytes}, {"row", "I64", {count_}, row_bytes}},
                                    {{"policy", options_.settings.policy}, {"first_epoch", std::to_string(first)}});
}

std::string Partition::text(const std::string& sha256) const {
  std::string text = fmt::format("partition: {}", options_.settings.policy);
  if (intervals_) text += fmt::format(", interval {}: {} of {} examples changed ranks", held_ + 1, moved_, count_);
  return text + fmt::format("; sha256 {}", sha256);
}

std::vector<std::pair<std::string, std::span<float>>> Partition::tensors() {
  if (!intervals_) return {};
  std::vector<std::pair<std::string, std::span<float>>> all = {{"partition.owners", owners_}};
  for (const auto& [name, numbers] : losses_.tensors()) all.emplace_back("partition." + name, numbers);
  return all;
}

Json Partition::counters() const {
  Json json = {{"interval", held_}, {"files", Json::array()}};
  for (const trial::Artifact& one : published_) json["files"].push_back({one.step, one.sha256, one.bytes});
  return json;
}

void Partition::restore(const Json& counters) {
  // Without importance the owners are a function of the seed, and are dealt out again.
  held_ = intervals_ ? counters.at("interval").get<std::int64_t>() : kNone;
  published_.clear();
  for (const Json& one : counters.at("files"))
    published_.push_back(
        {"partition", one.at(1).get<std::string>(), one.at(2).get<std::int64_t>(), one.at(0).get<std::int64_t>()});
}

}  // namespace dlrun::train
