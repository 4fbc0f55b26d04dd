// SPDX-License-Identifier: Apache-2.0
#include "machines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "driver/orders.hpp"

namespace dlrun::driver_sim {

namespace {

AttemptKey name_of(const trial::PieceOrder& order) { return {order.key, order.attempt}; }

std::string text_of(const AttemptKey& a) {
  return fmt::format("attempt {} of piece {} of {}", a.attempt, a.piece.piece, trial::describe(a.piece.member));
}

bool holds(const Worker& worker, const AttemptKey& attempt) {
  return std::any_of(worker.orders.begin(), worker.orders.end(),
                     [&](const auto& order) { return name_of(order) == attempt; });
}

}  // namespace

Machines::Machines(const Scenario& scenario, Timeline& timeline)
    : scenario_(scenario), timeline_(timeline), random_(scenario.seed, {"driver_sim", "machines"}) {}

void Machines::begin(int own_workers) {
  ++driver_;
  std::erase_if(begun_, [](const AttemptKey& attempt) { return attempt.piece.piece == driver::kTestPiece; });
  is_shutting_down_ = false;
  next_number_ = 0;
  for (int i = 0; i < own_workers; ++i) start("here", false, seconds(0.01 * random_.uniform()));
  const int missing = scenario_.weather.joined - int(workers_.size()) + own_workers;
  for (const Handle& worker : workers_) {
    if (!worker->has_joined) continue;
    timeline_.plan(seconds(0.5 * random_.uniform()), [this, worker, at = driver_] {
      const bool may_come = at == driver_ && !is_shutting_down_;
      if (may_come && worker->is_alive && worker->number < 0) appear(worker);
    });
  }
  for (int i = 0; i < missing; ++i) start(fmt::format("node{}", i % 3), true, seconds(0.3 * random_.uniform()));
}

void Machines::end() {
  ++driver_;
  happenings_.clear();
  present_.clear();
  for (const Handle& worker : workers_) worker->is_alive = worker->is_alive && worker->has_joined;
  std::erase_if(workers_, [](const Handle& worker) { return !worker->is_alive; });
  for (const Handle& worker : workers_) {
    worker->number = -1;
    worker->unasked.clear();
    for (const auto& order : worker->orders) worker->unasked.insert(name_of(order));
    for (const auto& [attempt, result] : worker->unacknowledged) worker->unasked.insert(attempt);
  }
}

void Machines::start(const std::string& host, bool has_joined, Duration after) {
  auto worker = std::make_shared<Worker>();
  worker->host = host;
  worker->has_joined = has_joined;
  workers_.push_back(worker);
  if (!has_joined) present_.push_back(worker);
  timeline_.plan(after, [this, worker, at = driver_] {
    if (at == driver_ && worker->number < 0 && worker->is_alive && !is_shutting_down_) appear(worker);
  });
}

/// To the present driver, under a number that is new to it, with all that the worker holds.
void Machines::appear(const Handle& worker) {
  worker->number = next_number_++;
  if (worker->has_joined) present_.push_back(worker);
  executor::WorkerReady ready{worker->number, 1000 + worker->number, worker->host, worker->has_joined};
  ready.is_apart = says_all() && worker->host == "node2";
  worker->unasked.clear();
  for (const auto& order : worker->orders) ready.holds.push_back(name_of(order));
  for (const auto& [attempt, result] : worker->unacknowledged) ready.holds.push_back(attempt);
  worker->unasked.insert(ready.holds.begin(), ready.holds.end());
  if (!ready.holds.empty()) ++counts_["came back with work"];
  tell(worker, ready);
  if (!says_all()) return;
  const char* const numerics = worker->host == "node1" ? "simulated, other" : "simulated";
  tell(worker, executor::WorkerPrepared{worker->number, {"1.0", "cpu: " + worker->host, 1, "", numerics, ""}});
}

/// Messages of one worker arrive in their order, later than those of others that were sent after them.
void Machines::tell(const Handle& worker, executor::Happening happening) {
  const Time arrival = timeline_.now() + seconds(scenario_.weather.lag * random_.uniform());
  worker->heard = std::max(worker->heard, arrival);
  timeline_.plan(worker->heard, [this, at = driver_, worker, happening = std::move(happening)] {
    if (at != driver_) return;
    happenings_.push_back(happening);
    if (std::holds_alternative<executor::ResultCame>(happening) && chance(scenario_.weather.forged)) lie(worker);
    if (std::holds_alternative<executor::WorkerEnded>(happening)) std::erase(present_, worker);
  });
}

/// Nothing that it says later reaches this driver under the same number.
void Machines::tell_end(const Handle& worker, bool is_expected, const std::string& message) {
  executor::WorkerEnded ended{.worker = worker->number,
                              .pid = 1000 + worker->number,
                              .host = worker->has_joined ? worker->host : "",
                              .is_expected = is_expected,
                              .message = message};
  for (const auto& order : worker->orders) ended.unfinished.push_back(name_of(order));
  tell(worker, ended);
  worker->number = -1;
}

Machines::Handle Machines::find(std::int64_t number) const {
  const auto found =
      std::find_if(workers_.begin(), workers_.end(), [&](const Handle& w) { return w->number == number; });
  return found == workers_.end() || !(*found)->is_alive ? nullptr : *found;
}

void Machines::deliver(std::int64_t number, const protocol::Message& message) {
  const Handle worker = find(number);
  if (!worker) return;
  if (const auto* assign = std::get_if<protocol::Assign>(&message)) handle(worker, *assign);
  if (const auto* abandon = std::get_if<protocol::Abandon>(&message)) handle(worker, *abandon);
  if (const auto* fenced = std::get_if<protocol::Fenced>(&message)) {
    ++counts_["fenced"];
    worker->unacknowledged.erase({fenced->key, fenced->attempt});
  }
  if (const auto* ack = std::get_if<protocol::Ack>(&message)) {
    acknowledged_.insert({ack->key, ack->attempt});
    worker->unacknowledged.erase({ack->key, ack->attempt});
  }
}

/// Only a worker that holds an attempt already may be given it again, which tells it to go on.
void Machines::handle(const Handle& worker, const protocol::Assign& assign) {
  const AttemptKey attempt = name_of(assign.order);
  const bool is_here = worker->unacknowledged.contains(attempt) || holds(*worker, attempt);
  if (is_here && !worker->unasked.contains(attempt)) faults_.push_back(text_of(attempt) + " was ordered twice");
  was_asked(worker, attempt);
  if (is_here) {
    ++counts_["adopted"];
    return;
  }
  worker->orders.push_back(assign.order);
  if (!worker->is_running) go_on(worker);
}

void Machines::handle(const Handle& worker, const protocol::Abandon& abandon) {
  const AttemptKey attempt{abandon.key, abandon.attempt};
  ++counts_["abandoned"];
  was_asked(worker, attempt);
  if (!holds(*worker, attempt)) return;
  worker->abandoned.insert(attempt);
  if (worker->is_running && name_of(worker->orders.front()) == attempt) {
    const auto run = worker->run;
    timeline_.plan(seconds(0.01), [this, worker, run] { finish(worker, run); });
  }
}

/// The driver has said a word about an attempt: its result, if it is there, is sent now.
void Machines::was_asked(const Handle& worker, const AttemptKey& attempt) {
  if (worker->unasked.erase(attempt) == 0) return;
  const auto found = worker->unacknowledged.find(attempt);
  if (found != worker->unacknowledged.end()) send_result(worker, found->second);
}

void Machines::go_on(const Handle& worker) {
  worker->is_running = false;
  if (worker->orders.empty() || !worker->is_alive) return;
  begin_piece(worker);
}

Duration Machines::length_of(const trial::PieceOrder& order) {
  const Weather& w = scenario_.weather;
  const double epochs = double(std::max<std::int64_t>(order.to_step - order.from_step, 1));
  const double ranks = scenario_.has_gangs ? order.params.value("n", 2.0) : 1;
  return seconds(w.epoch * epochs / ranks * (1 + w.noise * random_.uniform()) * (chance(w.straggler) ? 30 : 1));
}

void Machines::begin_piece(const Handle& worker) {
  worker->is_running = true;
  worker->began = timeline_.now();
  const auto run = ++worker->run;
  const trial::PieceOrder& order = worker->orders.front();
  const AttemptKey attempt = name_of(order);
  if (!begun_.insert(attempt).second && !excused_.contains(attempt))
    faults_.push_back(text_of(attempt) + " began twice");
  const bool is_abandoned = worker->abandoned.contains(attempt);
  const Duration length = is_abandoned ? Duration(0) : length_of(order);
  const Weather& w = scenario_.weather;
  const auto part = [&] { return std::chrono::duration_cast<Duration>(length * random_.uniform()); };
  if (chance(w.leaving) && !worker->is_leaving) {
    worker->is_leaving = true;
    ++counts_["left"];
    tell(worker, executor::WorkerLeaves{worker->number});
  }
  if (worker->has_joined && chance(w.silence)) timeline_.plan(part(), [this, worker] { fall_silent(worker); });
  if (chance(w.death)) {
    timeline_.plan(part(), [this, worker, run] { die(worker, run); });
  } else {
    timeline_.plan(length, [this, worker, run] { finish(worker, run); });
  }
}

void Machines::finish(const Handle& worker, std::uint64_t run) {
  if (!worker->is_alive || !worker->is_running || worker->run != run) return;
  const trial::PieceOrder order = worker->orders.front();
  const AttemptKey attempt = name_of(order);
  worker->orders.pop_front();
  worker->is_running = false;
  const bool is_abandoned = worker->abandoned.erase(attempt) > 0;
  trial::PieceResult result = is_abandoned ? failed(order, trial::Cause::cancelled, "abandoned") : result_of(order);
  result.seconds = std::chrono::duration<double>(timeline_.now() - worker->began).count();
  worker->unacknowledged[attempt] = result;
  if (worker->number >= 0 && !worker->unasked.contains(attempt)) send_result(worker, result);
  if (worker->is_leaving) return bury(worker, true, "it has left");
  go_on(worker);
}

trial::PieceResult Machines::result_of(const trial::PieceOrder& order) {
  trial::PieceResult result = outcome(scenario_, order);
  if (says_all()) complete(scenario_, order, result);
  if (chance(scenario_.weather.lacking) && lacked_.insert(order.key).second) {
    ++counts_["lacking"];
    return failed(order, trial::Cause::machine, "no room on the disk");
  }
  if (order.attempt == 1 && chance(scenario_.weather.transient) && had_transient_.insert(order.key.member).second) {
    ++counts_["transient"];
    return failed(order, trial::Cause::signal, "killed by signal 9");
  }
  return result;
}

void Machines::send_result(const Handle& worker, const trial::PieceResult& result) {
  report(worker, result);
  const int times = chance(scenario_.weather.repeated) ? 2 : 1;
  counts_["repeated"] += times - 1;
  for (int i = 0; i < times; ++i) tell(worker, executor::ResultCame{worker->number, result});
}

/// A wrong result of what another worker holds.
void Machines::lie(const Handle& worker) {
  for (const Handle& other : workers_) {
    if (other == worker || worker->number < 0 || !other->is_running) continue;
    const trial::PieceOrder& order = other->orders.front();
    if (holds(*worker, name_of(order))) continue;
    trial::PieceResult forged = outcome(scenario_, order);
    for (trial::Report& one : forged.reports) one.metrics.front().value += 1;
    ++counts_["forged"];
    happenings_.push_back(executor::ResultCame{worker->number, forged});
    return;
  }
}

/// Telemetry, now and then.
void Machines::report(const Handle& worker, const trial::PieceResult& result) {
  for (const trial::Report& one : result.reports) {
    if (chance(0.3)) tell(worker, executor::ReportCame{worker->number, {result.key, result.attempt}, one});
    if (says_all() && one.step == 1)
      tell(worker, executor::StepsCame{worker->number, {result.key, result.attempt}, {one}, {gang_of(one.step)}});
  }
}

void Machines::die(const Handle& worker, std::uint64_t run) {
  if (!worker->is_alive || worker->run != run) return;
  ++counts_["died"];
  bury(worker, false, "killed by signal 9 (Killed)");
}

/// The executor takes it for dead; it computes on and comes back as somebody new.
void Machines::fall_silent(const Handle& worker) {
  if (!worker->is_alive || worker->number < 0) return;
  ++counts_["silent"];
  for (const auto& order : worker->orders) excused_.insert(name_of(order));
  tell_end(worker, false, "silent for too long");
  timeline_.plan(worker->heard + seconds(0.2 + 0.5 * random_.uniform()), [this, worker, at = driver_] {
    if (at == driver_ && worker->is_alive && worker->number < 0 && !is_shutting_down_) appear(worker);
  });
}

/// Another one is started in its place.
void Machines::bury(const Handle& worker, bool is_expected, const std::string& message) {
  worker->is_alive = false;
  const bool is_known = worker->number >= 0;
  if (is_known) tell_end(worker, is_expected, message);
  if (!is_known && !worker->has_joined) std::erase(present_, worker);
  if (!is_shutting_down_) start(worker->host, worker->has_joined, seconds(0.1 + 0.3 * random_.uniform()));
}

std::string Machines::describe() const {
  std::string text;
  for (const Handle& w : workers_) {
    text += fmt::format("    worker {}{}{}{}, {} orders, {} unacknowledged, {} not asked for\n", w->number,
                        w->has_joined ? " joined" : "", w->is_alive ? "" : " dead", w->is_running ? " runs" : "",
                        w->orders.size(), w->unacknowledged.size(), w->unasked.size());
    for (const auto& order : w->orders) text += "      " + text_of(name_of(order)) + "\n";
  }
  return text;
}

void Machines::shut_down(Duration grace) {
  is_shutting_down_ = true;
  for (const Handle& worker : std::vector(workers_)) {
    const bool is_out_of_reach = worker->has_joined && worker->number < 0;
    if (!worker->is_alive || is_out_of_reach) continue;
    if (!worker->is_running) {
      bury(worker, true, "it was asked to end");
      continue;
    }
    const Duration most = std::min(grace, seconds(0.5));
    timeline_.plan(std::chrono::duration_cast<Duration>(most * random_.uniform()), [this, worker, at = driver_] {
      if (at == driver_ && worker->is_alive) bury(worker, true, "it was asked to end");
    });
  }
}

}  // namespace dlrun::driver_sim
