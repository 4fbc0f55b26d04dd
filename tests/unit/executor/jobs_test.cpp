// SPDX-License-Identifier: Apache-2.0
// Rules of pools whose workers are jobs of others: which workers give their places back.
#include "executor/jobs.hpp"

#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include "executor/worker.hpp"
#include "support/catch.hpp"

namespace jobs_test {

using namespace dlrun;
using namespace dlrun::executor;

namespace {

class StillWorker final : public Worker {
 public:
  using Worker::Worker;

  std::int64_t pid() const override { return 17; }
  bool has_ended() const override { return false; }
  bool is_over() const override { return false; }
  std::string log_tail() const override { return {}; }

 private:
  void look() override {}
  void ask_to_end() override {}
  void make_end() override {}
  Ending natural_ending() const override { return {}; }
};

/// Three workers that have connections and no work.
struct Fixture {
  boost::asio::io_context loop;
  HubOptions options;
  std::filesystem::path socket;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<Happening> happenings;
  std::int64_t next_number = 0;
  std::vector<boost::asio::local::stream_protocol::socket> peers;

  Fixture() {
    for (int i = 0; i < 3; ++i) {
      boost::asio::local::stream_protocol::socket ours(loop), theirs(loop);
      boost::asio::local::connect_pair(ours, theirs);
      workers.push_back(std::make_unique<StillWorker>(options, next_number++));
      workers.back()->connection =
          std::make_shared<Connection>(Connection::Socket(std::move(ours)), Connection::Callbacks());
      peers.push_back(std::move(theirs));
    }
  }

  /// Numbers of the workers that leave.
  std::vector<std::int64_t> retired(int needed, double idle) {
    happenings.clear();
    retire_idle({loop, socket, workers, happenings, next_number}, needed, idle);
    std::vector<std::int64_t> numbers;
    for (const Happening& one : happenings) numbers.push_back(std::get<WorkerLeaves>(one).worker);
    return numbers;
  }
};

using Numbers = std::vector<std::int64_t>;
constexpr double kForever = 1e9;  ///< seconds

}  // namespace

TEST_CASE_METHOD(Fixture, "workers beyond the need leave once they have been idle for long enough",
                 "[executor][jobs]") {
  CHECK(retired(1, kForever).empty());
  CHECK(retired(3, 0).empty());
  CHECK(retired(1, 0) == Numbers{0, 1});
  CHECK((workers[0]->is_leaving && workers[1]->is_leaving && !workers[2]->is_leaving));
}

TEST_CASE_METHOD(Fixture, "a worker that has work, or no connection, is not told to leave", "[executor][jobs]") {
  workers[0]->note_order({{{trial::TrialId(3)}, 0}, 1});
  workers[1]->connection.reset();
  CHECK(retired(0, 0) == Numbers{2});
}

}  // namespace jobs_test
