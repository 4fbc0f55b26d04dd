// SPDX-License-Identifier: Apache-2.0
// Artifacts of a worker that does not see the store: what it may read and leave, and what counts.
#include "protocol/transfer.hpp"

#include "remote_support.hpp"
#include "trial/artifacts.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace transfer_test {

using namespace dlrun;
using namespace dlrun::executor;

namespace {

/// The artifacts of a store in the fixture's folder.
struct Apart : Fixture {
  std::filesystem::path artifacts = folder / "artifacts";

  /// @param grace  seconds until a worker that does not come back is given up
  explicit Apart(double grace = 1.5) {
    options.setup.trial = {{"kind", "command"}};
    options.setup.artifacts = artifacts.string();
    options.network->staging = folder / "staging";
    options.network->grace = grace;
    make_folders(options.network->staging);
    start();
  }
  std::string put(const std::string& bytes) {
    const std::string sha256 = Sha256::hex_of(bytes);
    make_folders(file(sha256).parent_path());
    write_file(file(sha256), bytes);
    return sha256;
  }
  std::filesystem::path file(const std::string& sha256) const { return trial::artifact_path(artifacts, sha256); }
  /// The worker has this order.
  void assign(Peer& peer, const trial::PieceOrder& order) {
    const auto ready = next<WorkerReady>();
    CHECK(ready.is_apart);
    executor->send(ready.worker, protocol::Assign{order});
    executor->flush();
    REQUIRE(peer.hear<protocol::Assign>());
  }
};

/// Sends what the driver asks for, until it says whether it has it.
std::string hand_over(Peer& peer, const protocol::Offer& offer, const std::string& bytes) {
  peer.say(offer);
  for (std::size_t offset = 0; offset < bytes.size(); offset += protocol::kChunkBytes) {
    const auto want = peer.hear<protocol::Want>();
    REQUIRE(want);
    CHECK(want->offset == static_cast<std::int64_t>(offset));
    peer.say(protocol::Chunk{offer.sha256, want->offset, bytes.substr(offset, protocol::kChunkBytes)});
  }
  return peer.hear<protocol::Stored>()->fault;
}

}  // namespace

TEST_CASE("a worker apart reads what its orders read and nothing else", "[executor][remote][apart]") {
  Apart f(300);
  const std::string bytes(300'000, 'x');
  const std::string mine = f.put(bytes), other = f.put("of another trial"), gone(64, '0');
  Peer peer(f);
  peer.join_apart();
  trial::PieceOrder one = order(1), two = order(2);
  one.resume = mine;
  two.resume = gone;
  f.assign(peer, one);
  f.executor->send(0, protocol::Assign{two});
  f.executor->flush();
  REQUIRE(peer.hear<protocol::Assign>());
  SECTION("its own") {
    peer.say(protocol::Ask{mine});
    CHECK(peer.hear<protocol::Offer>()->bytes == 300'000);
    peer.say(protocol::Want{mine, protocol::kChunkBytes});
    CHECK(peer.hear<protocol::Chunk>()->bytes == bytes.substr(protocol::kChunkBytes));
    peer.say(protocol::Want{mine, 300'000});
    CHECK_FALSE(peer.hear<protocol::Chunk>());  // hung up
  }
  SECTION("another trial's, and paths") {
    const std::string path = f.file(mine).string();
    const std::string asked = GENERATE_COPY(as<std::string>{}, other, "../s.key", "", path);
    peer.say(protocol::Ask{asked});
    CHECK_THAT(peer.hear<protocol::Stored>()->fault, Contains("no order of this worker reads it"));
  }
  SECTION("one that is missing") {
    peer.say(protocol::Ask{gone});
    CHECK_THAT(peer.hear<protocol::Stored>()->fault, Contains("missing in the store"));
  }
  SECTION("its own, once it has answered") {
    peer.say(protocol::Result{result_of(one)});
    f.next<ResultCame>();
    peer.say(protocol::Ask{mine});
    CHECK_THAT(peer.hear<protocol::Stored>()->fault, Contains("no order of this worker reads it"));
  }
  SECTION("more than it takes") {
    peer.say(protocol::Ask{mine});
    REQUIRE(peer.hear<protocol::Offer>());
    std::string flood;
    for (int i = 0; i < 300; ++i) flood += protocol::encode(protocol::Want{mine, 0});
    peer.say(flood);
    while (peer.hear<protocol::Chunk>()) {
    }
    CHECK(f.executor->alive() == 1);  // hung up; it may come back
  }
}

TEST_CASE("a result counts when its artifacts are in the store", "[executor][remote][apart]") {
  Apart f;
  const std::string bytes = std::string(3'000'000, 'y') + "end";
  const std::string sha256 = Sha256::hex_of(bytes);
  const auto size = static_cast<std::int64_t>(bytes.size());
  Peer peer(f);
  peer.join_apart();
  f.assign(peer, order(1));
  trial::PieceResult result = result_of(order(1));
  result.artifacts = {{"last", sha256, size, 1}};
  const protocol::Offer offer{sha256, size, order(1).key, 1};
  SECTION("handed over") {
    CHECK(hand_over(peer, offer, bytes).empty());
    CHECK(read_file(f.file(sha256)) == bytes);
    peer.say(offer);  // again: it is there
    CHECK(peer.hear<protocol::Stored>()->fault.empty());
    peer.say(protocol::Result{result});
    CHECK(f.next<ResultCame>().result == result);
  }
  SECTION("not handed over") {
    peer.say(protocol::Result{result});
    const auto came = f.next<ResultCame>().result;
    CHECK(came.outcome == trial::Outcome::failed);
    CHECK(came.cause == trial::Cause::worker_lost);
    CHECK_THAT(came.message, Contains("did not hand over artifact '" + sha256));
  }
  SECTION("other bytes than it claims") {
    std::string others = bytes;
    others[1'000'000] = 'z';
    CHECK_THAT(hand_over(peer, offer, others), Contains("has the content of " + Sha256::hex_of(others)));
    CHECK_FALSE(std::filesystem::exists(f.file(sha256)));
  }
  SECTION("not what was wanted") {
    peer.say(offer);
    REQUIRE(peer.hear<protocol::Want>());
    peer.say(protocol::Chunk{sha256, 0, "short"});
    CHECK_FALSE(peer.hear<protocol::Stored>());  // hung up
    f.next<WorkerEnded>();                       // it does not come back
  }
  SECTION("half of it, then the worker is gone") {
    peer.say(offer);
    REQUIRE(peer.hear<protocol::Want>());
    peer.say(protocol::Chunk{sha256, 0, bytes.substr(0, protocol::kChunkBytes)});
    peer.say(protocol::Leave{"it is tired"});
    f.next<WorkerEnded>();
    CHECK_FALSE(std::filesystem::exists(f.file(sha256)));
  }
  SECTION("what may not be kept") {
    const auto [wrong, reason] = GENERATE_COPY(table<protocol::Offer, std::string>({
        {{"../../key", 3, order(1).key, 1}, "no SHA-256"},
        {{sha256, 3, order(1).key, 2}, "no such attempt"},
        {{sha256, 3, order(2).key, 1}, "no such attempt"},
        {{sha256, protocol::kMostBytes + 1, order(1).key, 1}, "at most 4294967296"},
        {{sha256, -1, order(1).key, 1}, "-1 bytes"},
    }));
    peer.say(wrong);
    CHECK_THAT(peer.hear<protocol::Stored>()->fault, Contains(reason));
  }
  CHECK(std::filesystem::is_empty(f.options.network->staging));
}

TEST_CASE("a worker that sees the store has nothing to hand over", "[executor][remote][apart]") {
  Apart f;
  Peer peer(f);
  peer.be_welcomed("one");
  CHECK_FALSE(f.next<WorkerReady>().is_apart);
  peer.say(protocol::Ask{f.put("bytes")});
  CHECK_FALSE(peer.hear<protocol::Stored>());  // hung up
}

TEST_CASE("an artifact goes on where its connection broke", "[executor][remote][apart]") {
  Apart f;
  const std::string bytes(600'000, 'y');
  const protocol::Offer offer{Sha256::hex_of(bytes), 600'000, order(1).key, 1};
  std::optional<Peer> first(std::in_place, f);
  first->join_apart();
  f.assign(*first, order(1));
  first->say(offer);
  REQUIRE(first->hear<protocol::Want>());
  first->say(protocol::Chunk{offer.sha256, 0, bytes.substr(0, protocol::kChunkBytes)});
  for (int i = 0; i < 5; ++i) f.turn();
  first.reset();
  Peer second(f);
  second.join_apart();
  second.say(offer);
  for (std::int64_t offset = protocol::kChunkBytes; offset < 600'000; offset += protocol::kChunkBytes) {
    CHECK(second.hear<protocol::Want>()->offset == offset);
    second.say(protocol::Chunk{offer.sha256, offset, bytes.substr(std::size_t(offset), protocol::kChunkBytes)});
  }
  CHECK(second.hear<protocol::Stored>()->fault.empty());
  CHECK(read_file(f.file(offer.sha256)) == bytes);
}

TEST_CASE("a disk that takes no more ends the driver", "[executor][remote][apart]") {
  Apart f;
  Peer peer(f);
  peer.join_apart();
  f.assign(peer, order(1));
  std::filesystem::remove_all(f.options.network->staging);
  peer.say(protocol::Offer{std::string(64, 'a'), 3, order(1).key, 1});
  try {
    peer.hear<protocol::Stored>();
    FAIL("it went on");
  } catch (const Error& fault) {
    CHECK(fault.kind() == ErrorKind::outside);
    CHECK_THAT(fault.what(), Contains("cannot write"));
  }
}

}  // namespace transfer_test
