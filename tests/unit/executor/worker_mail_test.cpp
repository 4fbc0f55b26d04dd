// SPDX-License-Identifier: Apache-2.0
// Messages of a worker without a process or a connection, and the waker of the loop.
#include "executor/worker_mail.hpp"

#include <unistd.h>

#include "executor/waker.hpp"
#include "support/catch.hpp"

namespace worker_mail_test {

using namespace dlrun;
using namespace dlrun::executor;

namespace {

class FakeWorker final : public Worker {
 public:
  explicit FakeWorker(const HubOptions& options) : Worker(options, 4) {}

  std::int64_t pid() const override { return 17; }
  bool has_ended() const override { return is_gone; }
  bool is_over() const override { return is_gone; }
  std::string log_tail() const override { return {}; }
  std::optional<std::vector<protocol::Message>> carry(const protocol::Message&) override {
    if (disk_fault) throw Error(*disk_fault, "no room");
    return std::nullopt;
  }

  bool is_gone = false;
  int asked = 0, made = 0;
  std::optional<ErrorKind> disk_fault;

 private:
  void look() override {}
  void ask_to_end() override { ++asked; }
  void make_end() override { ++made; }
  Ending natural_ending() const override { return {trial::Cause::signal, "killed"}; }
};

struct Fixture {
  HubOptions options;
  FakeWorker worker{options};
  std::vector<Happening> happenings;
  WorkerMail mail{happenings};
  const trial::PieceKey key{{trial::TrialId(3)}, 0};
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a result answers its order and is handed over", "[executor][mail]") {
  worker.note_order({key, 1});
  worker.note_order({key, 2});
  protocol::Result message;
  message.result.key = key;
  message.result.attempt = 1;
  mail.read(worker, message);
  REQUIRE(happenings.size() == 1);
  CHECK(std::get<ResultCame>(happenings[0]).worker == 4);
  CHECK(worker.work.attempts() == std::vector<AttemptKey>{{key, 2}});
}

TEST_CASE_METHOD(Fixture, "a worker that leaves is asked to end, once", "[executor][mail]") {
  mail.read(worker, protocol::Leave{"the machine shuts down"});
  mail.read(worker, protocol::Leave{"again"});
  CHECK(worker.asked == 1);
  CHECK(worker.ending().message == "it left: the machine shuts down");
  CHECK(happenings.empty());
}

TEST_CASE_METHOD(Fixture, "what only a driver sends breaks the rules", "[executor][mail]") {
  CHECK_THROWS_AS(mail.read(worker, protocol::Shutdown{}), Error);
  CHECK_FALSE(mail.fault());
  worker.disk_fault = ErrorKind::usage;
  CHECK_THROWS_AS(mail.read(worker, protocol::Shutdown{}), Error);
  CHECK_FALSE(mail.fault());
}

TEST_CASE_METHOD(Fixture, "a full disk is a fault of all, not of the worker", "[executor][mail]") {
  worker.disk_fault = ErrorKind::outside;
  CHECK_NOTHROW(mail.read(worker, protocol::Shutdown{}));
  REQUIRE(mail.fault());
  CHECK(mail.fault()->kind() == ErrorKind::outside);
}

TEST_CASE_METHOD(Fixture, "a condemned worker is made to end after the grace", "[executor]") {
  options.kill_grace = 0;
  worker.condemn({trial::Cause::timeout, "hangs"});
  worker.condemn({trial::Cause::worker_lost, "silent"});
  CHECK(worker.asked == 1);
  worker.watch();
  CHECK(worker.made == 1);
  CHECK(worker.ending().message == "hangs");
}

TEST_CASE_METHOD(Fixture, "a worker whose connection is gone ends by its own reason", "[executor]") {
  options.kill_grace = 0;
  worker.lost_connection("");
  worker.watch();
  CHECK(worker.asked == 0);
  CHECK(worker.made == 1);
  CHECK(worker.ending().message == "killed");
  CHECK_FALSE(worker.takes_orders());
}

TEST_CASE_METHOD(Fixture, "a worker of this machine has not joined, and sees the store", "[executor]") {
  const WorkerReady ready = worker.introduction();
  CHECK(ready.pid == 17);
  CHECK_FALSE(ready.has_joined);
  CHECK_FALSE(ready.is_apart);
}

TEST_CASE("the loop is woken by a byte in a pipe, each time", "[executor][waker]") {
  int pipe[2];
  REQUIRE(::pipe(pipe) == 0);
  boost::asio::io_context loop;
  Waker waker(loop, pipe[0]);
  CHECK_FALSE(waker.was_woken());
  for (int i = 0; i < 2; ++i) {
    REQUIRE(::write(pipe[1], "x", 1) == 1);
    loop.run_one();
    CHECK(waker.was_woken());
    CHECK_FALSE(waker.was_woken());
  }
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST_CASE("a waker without a descriptor leaves the loop empty", "[executor][waker]") {
  boost::asio::io_context loop;
  const Waker waker(loop, -1);
  CHECK(loop.poll() == 0);
}

}  // namespace worker_mail_test
