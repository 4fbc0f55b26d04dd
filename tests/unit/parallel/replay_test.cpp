// SPDX-License-Identifier: Apache-2.0
// Records of processes, and gangs that are played by them: numbers computed by hand, and records that are damaged.
#include "parallel/replay.hpp"
#include "parallel/gang.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"

namespace replay_test {

using namespace dlrun::parallel;

namespace {

/// One weight w. Batch b has the gradient (b + 1) w, and a step takes half of it off.
class Halving : public Learner<double> {
 public:
  Gradient<double> gradient(int, std::int64_t batch, const std::vector<double>& weights) override {
    return {{double(batch + 1) * weights[0]}, 1};
  }
  void step(int, const Shard&, std::span<double> weights, std::span<const double> gradient, double factor) override {
    weights[0] -= 0.5 * factor * gradient[0];
    begun.push_back(backend->begun());
  }
  const Backend* backend = nullptr;
  std::vector<std::int64_t> begun;  ///< as each step knew it
};

/// Begins with w = 1.
struct Played {
  explicit Played(const Method& method, std::vector<std::string> records, const Deal& deal = 4, int ranks = 2)
      : algorithm(make_algorithm<double>(method)) {
    const ParallelConfig config{.method = method, .ranks = ranks, .lr_scale = "none"};
    gang = gang_of(config, {{1, 8}});
    members = members_of<double>(gang, *algorithm, {1});
    const Process<double>::Options options{.seed = 7, .run = "0/1", .model_bytes = 8};
    Replay<double> replay(gang, *algorithm, members, halving, options, records);
    halving.backend = &replay;
    replay.begin(deal);
    while (replay.advance()) continue;
    replay.end();
    bytes = replay.bytes();
    costs = replay.costs();
  }
  double model() const { return algorithm->model(members).at(0); }

  std::unique_ptr<Algorithm<double>> algorithm;
  Gang gang;
  Members<double> members;
  Halving halving;
  double bytes = 0;
  std::vector<Cost> costs;
};

/// {-1, b}: computes batch b; {f, n}: takes in a message of f, when n batches had been begun
std::string record_of(const std::vector<RecordedEvent>& events) {
  Recorder recorder;
  for (const RecordedEvent& event : events) {
    if (event.from < 0) recorder.note_batch(event.number);
    if (event.from >= 0) recorder.note_message(event.from, event.number);
  }
  return recorder.bytes();
}

constexpr int kBatch = RecordedEvent::kNobody;

const Method kAsp = Asp{"server"};

/// Rank 1 is twice as fast as rank 0.
std::vector<std::string> fast_second() {
  return {record_of({{kBatch, 1}, {2, 3}, {kBatch, 3}, {2, 4}}), record_of({{kBatch, 0}, {2, 2}, {kBatch, 2}, {2, 3}}),
          record_of({{1, 2}, {1, 3}, {0, 3}, {0, 4}})};
}

}  // namespace

TEST_CASE("a record takes two bytes for an event, and more for large numbers", "[parallel]") {
  Recorder recorder;
  recorder.note_batch(1);
  recorder.note_message(2, 300);  // 300 = 2 * 128 + 44
  recorder.note_batch(3);
  recorder.note_message(199, 301);  // 200 = 1 * 128 + 72
  const std::string expected{0, 1, 3, char(128 + 44), 2, 0, 1, char(128 + 72), 1, 1};
  CHECK(recorder.bytes() == expected);
  const std::vector<RecordedEvent> events = read_record(expected, 0);
  REQUIRE(events.size() == 4);
  CHECK((events[0].from == kBatch && events[0].number == 1));
  CHECK((events[1].from == 2 && events[1].number == 300));
  CHECK((events[2].from == kBatch && events[2].number == 3));
  CHECK((events[3].from == 199 && events[3].number == 301));
}

// The server takes w -= 0.25 g. Rank 1's g = 1: 0.75. At 0.75 its batch 2 gives g = 2.25: 0.1875. Rank 0's batch 1 was
// computed at 1, g = 2: -0.3125. There its batch 3 gives g = -1.25: 0.
TEST_CASE("a server takes changes in as they were recorded", "[parallel]") {
  const Played played(kAsp, fast_second());
  CHECK(played.model() == 0);
  CHECK(played.members.ranks[0].weights[0] == 0);
  CHECK(played.members.ranks[1].weights[0] == 0.1875);
  CHECK(played.halving.begun == std::vector<std::int64_t>{2, 3, 3, 4});
  CHECK(played.bytes == 64);  // four changes and answers
  CHECK(played.costs.at(2).received == 32);
  CHECK(played.costs.at(0).gradients == 2);
}

// Rank 0's g = 2 comes first: 0.5. Then rank 1's g = 1: 0.25. Its batch 2 there gives 0.75: 0.0625. Rank 0's batch 3 at
// 0.5 gives 2: -0.4375.
TEST_CASE("another order gives another model", "[parallel]") {
  const Played played(kAsp, {fast_second()[0], fast_second()[1], record_of({{0, 2}, {1, 2}, {1, 3}, {0, 4}})});
  CHECK(played.model() == -0.4375);
}

// Rank 0's batch 0: 0.5, and it sends that with a share of 1/4. Rank 1's batch 1: 0. It takes the message in by
// 1/4 / 3/4: 1/6, which it sends with 3/8. Rank 0 has 1/4 then, and comes to 0.5 - 0.6 * (0.5 - 1/6) = 0.3. Had rank 1
// been sent it later, both would come to 0.25.
TEST_CASE("gossip comes before a gradient or after it", "[parallel]") {
  const Method gossip = GoSgd{1};
  const std::string first = record_of({{kBatch, 0}, {1, 2}});
  const Played before(gossip, {first, record_of({{0, 1}, {kBatch, 1}})}, 2);
  CHECK(before.members.ranks[0].weights[0] == Approx(0.3).epsilon(1e-15));
  CHECK(before.members.ranks[1].weights[0] == Approx(1.0 / 6).epsilon(1e-15));
  const Played after(gossip, {first, record_of({{kBatch, 1}, {0, 2}})}, 2);
  CHECK(after.members.ranks[0].weights[0] == Approx(0.25).epsilon(1e-15));
  CHECK(after.members.ranks[1].weights[0] == Approx(0.25).epsilon(1e-15));
}

TEST_CASE("a record that breaks off is refused, wherever it does", "[parallel]") {
  const std::vector<std::string> whole = fast_second();
  for (std::size_t process = 0; process < whole.size(); ++process) {
    for (std::size_t size = 0; size < whole[process].size(); ++size) {
      std::vector<std::string> cut = whole;
      cut[process].resize(size);
      INFO("process " << process << ", " << size << " bytes");
      CHECK_THROWS_AS(Played(kAsp, cut), dlrun::Error);
    }
  }
}

TEST_CASE("who waits for what is said where no process can go on", "[parallel]") {
  std::vector<std::string> records = fast_second();
  records[2] = record_of({{1, 2}, {0, 3}, {0, 4}, {1, 4}});  // rank 0's second message before rank 1's second one
  CHECK(Played(kAsp, records).model() != 0);                 // that can be
  records[2] = record_of({{1, 2}, {1, 3}, {1, 3}, {0, 4}});
  CHECK_THROWS_WITH(Played(kAsp, records),
                    "the record does not fit this training: no process can go on: event 2 of 4 of process 0 takes in a "
                    "message of process 2; event 3 of 4 of process 2 takes in a message of process 1");
  records[2].pop_back();
  CHECK_THROWS_WITH(Played(kAsp, records),
                    "the record of process 2 is damaged: event 4: the record breaks off within it");
}

TEST_CASE("batches of a record are the epoch's, each of them once", "[parallel]") {
  const std::vector<std::string> records = fast_second();
  CHECK_THROWS_WITH(Played(kAsp, records, 3),
                    Contains("event 3 of 4 of process 0 computes batch 3, which the epoch has not"));
  CHECK_THROWS_WITH(Played(kAsp, records, 5), Contains("its processes compute 4 of the epoch's 5 batches"));
  CHECK_THROWS_WITH(Played(kAsp, {records[0], records[1]}), Contains("it has 2 processes, the gang has 3"));
  CHECK_THROWS_WITH(Played(kAsp, {records[0], record_of({{kBatch, 1}}), records[2]}),
                    Contains("event 1 of 1 of process 1 computes batch 1 once more"));
  const Deal lists(std::vector<std::int64_t>{2, 2});  // rank 0's are 0 and 2
  CHECK_THROWS_WITH(Played(kAsp, records, lists), Contains("event 1 of 4 of process 0 computes batch 1"));
}

}  // namespace replay_test
