// SPDX-License-Identifier: Apache-2.0
#include "train/gang_exchange.hpp"

#include <algorithm>

#include "gang/process_cluster.hpp"
#include "trial/json.hpp"
#include "util/error.hpp"

namespace dlrun::train {

namespace {

std::span<float> numbers_in(const at::Tensor& tensor) {
  return {tensor.mutable_data_ptr<float>(), std::size_t(tensor.numel())};
}

/// Places of the first process's running statistics, to be summed over all.
void add_up(const std::vector<std::span<float>>& buffers, std::span<const float> numbers) {
  for (const std::span<float> buffer : buffers) {
    for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] += numbers[i];
    numbers = numbers.subspan(buffer.size());
  }
}

void divide(const std::vector<std::span<float>>& buffers, float by) {
  for (const std::span<float> buffer : buffers) {
    for (float& number : buffer) number /= by;
  }
}

void clear(const std::vector<std::span<float>>& buffers) {
  for (const std::span<float> buffer : buffers) std::fill(buffer.begin(), buffer.end(), 0.0F);
}

std::size_t size_of(const std::vector<std::span<float>>& all) {
  std::size_t size = 0;
  for (const std::span<float> one : all) size += one.size();
  return size;
}

Json reports_of(const State& state) {
  Json all = Json::array();
  for (const trial::Report& report : state.reports) all.push_back(trial::to_json(report));
  return all;
}

}  // namespace

GangExchange::Spans GangExchange::spans_of(int process) {
  Spans all;
  for (const NamedNumbers& tensor : states_.tensors(gang_, process)) all.push_back(tensor.numbers);
  return all;
}

/// Running statistics.
GangExchange::Spans GangExchange::buffers() const {
  Spans all;
  for (const nn::Parameter& one : shared_.network.parameters().all()) {
    if (!one.trainable && one.value.scalar_type() == at::kFloat) all.push_back(numbers_in(one.value));
  }
  return all;
}

/// States of a process's nodes, and the running statistics, with a text.
void GangExchange::send(int process, gang::PacketKind kind, Json text, int to) {
  gang::Packet packet{kind};
  Spans all = spans_of(process);
  for (const std::span<float> one : buffers()) all.push_back(one);
  packet.message.numbers.reserve(size_of(all));
  for (const std::span<float> one : all)
    packet.message.numbers.insert(packet.message.numbers.end(), one.begin(), one.end());
  text["states"] = states_.counters_of(gang_, process);
  if (shared_.scaling != nullptr) text["gains"] = shared_.scaling->state();
  packet.text = text.dump();
  place_.send(to, std::move(packet));
}

/// Gains follow from the steps: the first process has none where a server takes them.
bool GangExchange::takes_gains(int from) const {
  return shared_.scaling != nullptr && shared_.scaling->measures() &&
         (!place_.is_first() || from >= gang_.rank_processes());
}

/// @return the rest of the numbers: running statistics
std::span<const float> GangExchange::take_states(int process, const gang::Packet& packet, const Json& text) {
  const Spans all = spans_of(process);
  std::span<const float> numbers = packet.message.numbers;
  if (numbers.size() != size_of(all) + size_of(buffers()))
    throw Error(ErrorKind::internal, "two ranks differ in their states");
  for (const std::span<float> one : all) {
    std::copy_n(numbers.begin(), one.size(), one.begin());
    numbers = numbers.subspan(one.size());
  }
  states_.restore_some(gang_, process, text.at("states"));
  if (takes_gains(process)) shared_.scaling->restore(text.at("gains"));
  return numbers;
}

void GangExchange::spread(const Part& part, const std::function<void()>& wait) {
  place_.counter.restart();
  const State& state = shared_.progress.state();
  Json text = {{"epoch", state.epoch},      {"step", part.first_step}, {"reports", reports_of(state)},
               {"batch", part.first_batch}, {"seats", part.seats},     {"generation", place_.generation}};
  if (const Partition* const partition = shared_.batches.partition()) text["partition"] = partition->assignment();
  for (const int to : place_.others()) send(to, gang::PacketKind::begin, text, to);
  await_all(gang::PacketKind::ready, wait);
  for (const int to : place_.others()) place_.send(to, {gang::PacketKind::go});
}

void GangExchange::ask_for_states() {
  ++place_.generation;
  for (const int to : place_.others()) place_.send(to, {gang::PacketKind::regroup});
}

GangExchange::Part GangExchange::part_of(const Json& begin) {
  return {begin.at("step"), begin.at("batch"), begin.at("seats")};
}

/// A packet of every other process, by process, whoever comes first.
std::vector<gang::Packet> GangExchange::await_all(gang::PacketKind kind, const std::function<void()>& wait) {
  std::vector<gang::Packet> all(std::size_t(place_.mesh.processes()));
  for (std::size_t left = place_.others().size(); left > 0;) {
    if (wait) wait();
    auto received = place_.mesh.receive(gang::ProcessCluster::kWait);
    if (!received) continue;
    if (received->packet.kind == gang::PacketKind::fault) throw gang::Fault{received->packet.text};
    if (received->packet.generation < place_.generation) continue;
    if (received->packet.kind != kind) throw Error(ErrorKind::internal, "a rank sent what belongs elsewhere");
    all[std::size_t(received->from)] = std::move(received->packet);
    --left;
  }
  return all;
}

void GangExchange::take(const gang::Packet& begin, const Json& text) {
  place_.generation = text.at("generation").get<int>();
  State state;
  state.epoch = text.at("epoch").get<std::int64_t>();
  state.step = text.at("step").get<std::int64_t>();
  for (const Json& report : text.at("reports")) state.reports.push_back(trial::report(report));
  shared_.progress.restore(std::move(state));
  std::span<const float> rest = take_states(place_.process, begin, text);
  for (const std::span<float> buffer : buffers()) {
    std::copy_n(rest.begin(), buffer.size(), buffer.begin());
    rest = rest.subspan(buffer.size());
  }
  place_.send(0, {gang::PacketKind::ready});
  const gang::Packet word = gang::next_word(place_.mesh);
  if (word.kind == gang::PacketKind::regroup) throw gang::Regroup{word.generation};
  if (word.kind != gang::PacketKind::go) throw Error(ErrorKind::internal, "a rank was sent what belongs elsewhere");
}

void GangExchange::give(const RankCosts& costs) {
  Json text = {{"sums", shared_.progress.sums().to_json()}, {"costs", costs.to_json()}};
  if (shared_.batches.collects(shared_.progress.state().epoch + 1))
    text["losses"] = shared_.batches.partition()->noted();
  send(place_.process, gang::PacketKind::state, text, 0);
}

RankCosts GangExchange::collect(bool has_computed, const std::function<void()>& wait) {
  const std::vector<gang::Packet> states = await_all(gang::PacketKind::state, wait);
  RankCosts costs;
  int computed = has_computed ? 1 : 0;
  for (const int from : place_.others()) costs.add(take_in(from, states[std::size_t(from)], computed));
  if (computed > 1) divide(buffers(), float(computed));
  return costs;
}

/// @param computed  processes that had a batch, so far
RankCosts GangExchange::take_in(int process, const gang::Packet& state, int& computed) {
  const Json text = Json::parse(state.text);
  const std::span<const float> rest = take_states(process, state, text);
  RankCosts costs = RankCosts::from_json(text.at("costs"));
  if (costs.has_computed()) {
    if (computed++ == 0) clear(buffers());
    add_up(buffers(), rest);
  }
  if (process < gang_.rank_processes()) {
    SplitSums sums = shared_.progress.fresh_sums();
    sums.restore(text.at("sums"));
    shared_.progress.sums().add(sums);
    if (text.contains("losses")) shared_.batches.partition()->take_noted(text["losses"]);
  }
  return costs;
}

}  // namespace dlrun::train
