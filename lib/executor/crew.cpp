// SPDX-License-Identifier: Apache-2.0
#include "executor/crew.hpp"

#include <algorithm>
#include <utility>

#include "executor/remote_worker.hpp"

namespace dlrun::executor {

using std::chrono::milliseconds;

Worker* Crew::find(std::int64_t number) {
  const auto found =
      std::lower_bound(workers_.begin(), workers_.end(), number,
                       [](const auto& worker, std::int64_t wanted) { return worker->number() < wanted; });
  return found != workers_.end() && (*found)->number() == number ? found->get() : nullptr;
}

RemoteWorker* Crew::find_session(const std::string& session) {
  for (const auto& worker : workers_) {
    auto* remote = dynamic_cast<RemoteWorker*>(worker.get());
    if (remote != nullptr && remote->may_return() && remote->session() == session) return remote;
  }
  return nullptr;
}

bool Crew::expects(std::int64_t pid) const {
  return std::any_of(workers_.begin(), workers_.end(),
                     [&](const auto& worker) { return !worker->signs.is_ready() && worker->pid() == pid; });
}

void Crew::send(std::int64_t number, const protocol::Message& message) {
  Worker* worker = find(number);
  if (worker == nullptr || !worker->takes_orders()) return;  // the driver has not taken the happening of its end yet
  if (const auto* assign = std::get_if<protocol::Assign>(&message)) {
    worker->note_order({assign->order.key, assign->order.attempt});
  }
  worker->note_sent(message);
  if (!worker->connection) return;
  worker->connection->send(message);
  unflushed_.push_back(number);
}

void Crew::flush() {
  for (const std::int64_t number : std::exchange(unflushed_, {})) {
    const Worker* worker = find(number);
    if (worker != nullptr && worker->connection) worker->connection->flush();
  }
}

void Crew::dismiss(milliseconds grace) {
  watch_soon();
  const protocol::Shutdown message{std::chrono::duration<double>(grace).count()};
  for (const auto& worker : workers_) {
    if (worker->connection) worker->connection->send(message);
    if (worker->connection) unflushed_.push_back(worker->number());
    worker->note_sent(message);
    worker->sentence.end_by(Clock::now() + (worker->connection ? grace + milliseconds(1000) : milliseconds(0)));
  }
}

void Crew::watch() {
  constexpr milliseconds kPause{10};
  if (Clock::now() < watch_at_) return;
  watch_at_ = Clock::now() + kPause;
  for (const auto& worker : workers_) worker->watch();
}

std::vector<std::unique_ptr<Worker>> Crew::bury() {
  const auto over =
      std::stable_partition(workers_.begin(), workers_.end(), [](const auto& worker) { return !worker->is_over(); });
  std::vector<std::unique_ptr<Worker>> dead(std::make_move_iterator(over), std::make_move_iterator(workers_.end()));
  workers_.erase(over, workers_.end());
  return dead;
}

}  // namespace dlrun::executor
