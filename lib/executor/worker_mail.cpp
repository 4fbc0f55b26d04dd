// SPDX-License-Identifier: Apache-2.0
#include "executor/worker_mail.hpp"

#include <utility>

namespace dlrun::executor {

namespace {

constexpr std::size_t kMaxUnreadAnswers = 4 << 20;  ///< bytes of answers that a worker may leave unread

}  // namespace

void WorkerMail::read(Worker& worker, protocol::Message message) {
  const std::int64_t number = worker.number();
  worker.signs.hear(Worker::Clock::now());
  if (auto* result = std::get_if<protocol::Result>(&message)) {
    if (result->goes_on) return;  // the last part has everything
    worker.examine(result->result);
    worker.work.finish({result->result.key, result->result.attempt}, Worker::Clock::now());
    happenings_.emplace_back(ResultCame{number, std::move(result->result)});
  } else if (auto* reported = std::get_if<protocol::Reported>(&message)) {
    happenings_.emplace_back(ReportCame{number, {reported->key, reported->attempt}, std::move(reported->report)});
  } else if (auto* watched = std::get_if<protocol::Watched>(&message)) {
    happenings_.emplace_back(
        StepsCame{number, {watched->key, watched->attempt}, std::move(watched->reports), std::move(watched->gangs)});
  } else if (auto* prepared = std::get_if<protocol::Prepared>(&message)) {
    happenings_.emplace_back(WorkerPrepared{number, std::move(prepared->runtime)});
  } else if (const auto* beat = std::get_if<protocol::Heartbeat>(&message)) {
    worker.beat(beat->steps);
  } else if (const auto* leave = std::get_if<protocol::Leave>(&message)) {
    worker.left(leave->reason);
  } else {
    carry(worker, message);
  }
}

void WorkerMail::carry(Worker& worker, const protocol::Message& message) {
  const auto answers = answers_to(worker, message);
  if (!answers) throw Error(ErrorKind::usage, "a worker sent what only a driver sends");
  if (!worker.connection) return;
  for (const protocol::Message& answer : *answers) worker.connection->send(answer);
  worker.connection->flush();
  if (worker.connection->unwritten() > kMaxUnreadAnswers)
    throw Error(ErrorKind::usage, "it asks for more than it takes");
}

std::optional<std::vector<protocol::Message>> WorkerMail::answers_to(Worker& worker, const protocol::Message& message) {
  try {
    return worker.carry(message);
  } catch (const Error& fault) {
    if (fault.kind() == ErrorKind::usage) throw;
    fault_ = fault;
    return std::vector<protocol::Message>();
  }
}

}  // namespace dlrun::executor
