// SPDX-License-Identifier: Apache-2.0
#include "train/gang_exchange.hpp"

#include <algorithm>

#include "gang/process_cluster.hpp"
#include "trial/json.hpp"
#include "util/error.hpp"

namespace dlrun::train {

namespace {

Json reports_of(const State& state) {
  Json all = Json::array();
  for (const trial::Report& report : state.reports) all.push_back(trial::to_json(report));
  return all;
}

}  // namespace

Spans GangExchange::spans_of(int process) {
  Spans all;
  for (const NamedNumbers& tensor : states_.tensors(gang_, process)) all.push_back(tensor.numbers);
  return all;
}

/// States of a process's nodes, and the running statistics, with a text.
void GangExchange::send(int process, gang::PacketKind kind, Json text, int to) {
  gang::Packet packet{kind};
  Spans all = spans_of(process);
  for (const std::span<float> one : running_statistics(shared_.network)) all.push_back(one);
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
  if (numbers.size() != size_of(all) + size_of(running_statistics(shared_.network)))
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
  Json text = {{"epoch", state.epoch},
               {"step", part.first_step},
               {"reports", reports_of(state)},
               {"batch", part.first_batch},
               {"seats", part.seats},
               {"sums", part.sums},
               {"generation", place_.generation},
               {"seen", batch_counts(shared_.network)}};
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
  return {begin.at("step"), begin.at("batch"), begin.at("seats"), begin.at("sums")};
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

void GangExchange::start_from(const gang::Packet& begin, const Json& text) {
  place_.generation = text.at("generation").get<int>();
  State state;
  state.epoch = text.at("epoch").get<std::int64_t>();
  state.step = text.at("step").get<std::int64_t>();
  for (const Json& report : text.at("reports")) state.reports.push_back(trial::report(report));
  shared_.progress.restore(std::move(state));
  std::span<const float> rest = take_states(place_.process, begin, text);
  for (const std::span<float> own : running_statistics(shared_.network)) {
    std::copy_n(rest.begin(), own.size(), own.begin());
    rest = rest.subspan(own.size());
  }
  set_batch_counts(shared_.network, text.at("seen").get<std::vector<std::int64_t>>());
  place_.send(0, {gang::PacketKind::ready});
  const gang::Packet word = gang::next_word(place_.mesh);
  if (word.kind == gang::PacketKind::regroup) throw gang::Regroup{word.generation};
  if (word.kind != gang::PacketKind::go) throw Error(ErrorKind::internal, "a rank was sent what belongs elsewhere");
}

void GangExchange::give(const RankCosts& costs) {
  Json text = {{"sums", shared_.progress.sums().to_json()}, {"costs", costs.to_json()}};
  if (shared_.batches.collects(shared_.progress.state().epoch + 1))
    text["losses"] = shared_.batches.partition()->noted();
  if (const auto record = records_.of(place_.process)) text["record"] = hex_of(*record);
  send(place_.process, gang::PacketKind::state, text, 0);
}

RankCosts GangExchange::collect(bool has_computed, const std::function<void()>& wait) {
  const std::vector<gang::Packet> states = await_all(gang::PacketKind::state, wait);
  RankCosts costs;
  StatisticsMean mean(running_statistics(shared_.network), has_computed);
  for (const int from : place_.others()) costs.add(take_in(from, states[std::size_t(from)], mean));
  mean.finish();
  return costs;
}

/// @param mean  of the running statistics, which counts those of processes that had a batch
RankCosts GangExchange::take_in(int process, const gang::Packet& state, StatisticsMean& mean) {
  const Json text = Json::parse(state.text);
  const std::span<const float> rest = take_states(process, state, text);
  RankCosts costs = RankCosts::from_json(text.at("costs"));
  if (costs.has_computed()) mean.add(rest);
  if (text.contains("record")) records_.set_record(process, bytes_of_hex(text["record"].get<std::string>()));
  if (process < gang_.rank_processes()) {
    SplitSums sums = shared_.progress.fresh_sums();
    sums.restore(text.at("sums"));
    shared_.progress.sums().add(sums);
    if (text.contains("losses")) shared_.batches.partition()->take_noted(text["losses"]);
  }
  return costs;
}

}  // namespace dlrun::train
