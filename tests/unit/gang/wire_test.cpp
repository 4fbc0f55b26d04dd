// SPDX-License-Identifier: Apache-2.0
// Packets, rings and meshes: all that is sent comes, in order, and a peer that ends is noticed after its last word.
#include <cstring>
#include <vector>

#include "gang/mesh.hpp"
#include "gang/ring.hpp"
#include "process/ends.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"

namespace wire_test {

using namespace dlrun;
using namespace dlrun::gang;

namespace {

std::vector<float> numbers(std::size_t count, float first) {
  std::vector<float> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = first + float(i);
  return all;
}

/// Two meshes with each other.
struct Pair {
  Pair() : memory(SharedMemory::make(2)), ends(process::socket_pair()) {
    std::vector<Link> first(2), second(2);
    first[1].socket = std::move(ends.ours);
    second[0].socket = std::move(ends.theirs);
    const SharedMemory shared(memory, 2);
    a = std::make_unique<Mesh>(0, std::move(first), shared);
    b = std::make_unique<Mesh>(1, std::move(second), shared);
  }
  Descriptor memory;
  process::Ends ends;
  std::unique_ptr<Mesh> a, b;
};

Packet packet(std::vector<float> values, std::string text = {}) {
  Packet out{PacketKind::message, 3};
  out.message = {.kind = parallel::Kind::part,
                 .from = 1,
                 .clock = -7,
                 .shard = 2,
                 .samples = 31.5,
                 .weight = 0.25,
                 .wants_reply = true,
                 .numbers = std::move(values),
                 .share = 0.125,
                 .packed = 2,
                 .is_sparse = true,
                 .places = {4, 0, 4'000'000'000}};
  out.text = std::move(text);
  return out;
}

/// Both sides work until the second one has something.
Packet pass(Pair& pair) {
  for (int i = 0; i < 100000; ++i) {
    pair.a->flush(std::chrono::milliseconds(0));
    if (auto received = pair.b->receive(std::chrono::milliseconds(0))) return std::move(received->packet);
  }
  FAIL("nothing came");
  return {};
}

}  // namespace

TEST_CASE("a packet arrives as it was sent, whatever its size", "[gang]") {
  Pair pair;
  for (const std::size_t count : {std::size_t(0), std::size_t(5), std::size_t(300), std::size_t(20'000'000)}) {
    INFO(count);
    pair.a->send(1, packet(numbers(count, 0.5F), "a text"));
    const Packet got = pass(pair);
    CHECK(got.kind == PacketKind::message);
    CHECK(got.to == 3);
    CHECK(got.text == "a text");
    CHECK(got.message.kind == parallel::Kind::part);
    CHECK(got.message.from == 1);
    CHECK(got.message.clock == -7);
    CHECK(got.message.shard == 2);
    CHECK(got.message.samples == 31.5);
    CHECK(got.message.weight == 0.25);
    CHECK(got.message.wants_reply);
    CHECK(got.message.share == 0.125);
    CHECK(got.message.packed == 2);
    CHECK(got.message.is_sparse);
    CHECK((got.message.places == std::vector<std::uint32_t>{4, 0, 4'000'000'000}));
    CHECK((got.message.numbers == numbers(count, 0.5F)));
  }
}

TEST_CASE("packets keep their order, small ones and large ones", "[gang]") {
  Pair pair;
  for (int i = 0; i < 200; ++i) pair.a->send(1, packet(numbers(i % 2 == 0 ? 3 : 100'000, float(i))));
  for (int i = 0; i < 200; ++i) {
    const Packet got = pass(pair);
    REQUIRE(got.message.numbers.size() == (i % 2 == 0 ? 3u : 100'000u));
    REQUIRE(got.message.numbers[2] == float(i) + 2);
  }
}

TEST_CASE("packets that were given back come first", "[gang]") {
  Pair pair;
  for (int i = 0; i < 3; ++i) pair.a->send(1, packet(numbers(1, float(i))));
  std::vector<Mesh::Received> early;
  for (int i = 0; i < 2; ++i) early.push_back({0, pass(pair)});
  pair.b->put_back(std::move(early));
  for (int i = 0; i < 3; ++i) CHECK(pass(pair).message.numbers.front() == float(i));
}

TEST_CASE("a process that ends is noticed once its last packet was taken in", "[gang]") {
  Pair pair;
  pair.a->send(1, packet(numbers(5, 1)));
  REQUIRE(pair.a->flush(std::chrono::milliseconds(5000)));
  pair.a.reset();
  CHECK(pair.b->receive(std::chrono::milliseconds(5000)).has_value());
  try {
    pair.b->receive(std::chrono::milliseconds(5000));
    FAIL("nothing was noticed");
  } catch (const PeerLost& lost) {
    CHECK(lost.peer == 0);
  }
}

TEST_CASE("bytes that are no head of a packet are refused", "[gang]") {
  const std::string sound = head_of(packet(numbers(3, 0)), std::nullopt);
  REQUIRE(read_head(sound).numbers == 3);
  CHECK(read_head(head_of(packet({}), 64)).in_ring == 64u);
  for (const std::size_t place : {0u, 4u, 8u}) {  // magic, kind, kind of message
    std::string broken = sound;
    broken[place] = '\x7f';
    CHECK_THROWS_AS(read_head(broken), Error);
  }
  std::string endless = sound;
  std::memset(endless.data() + 80, 0xff, 8);  // numbers
  CHECK_THROWS_AS(read_head(endless), Error);
  CHECK_THROWS_AS(read_head(sound.substr(1)), Error);
}

TEST_CASE("a ring gives numbers in turn, and says when it has no room", "[gang]") {
  alignas(64) std::byte memory[64 + 1024]{};
  Ring out(memory), in(memory);  // 256 numbers
  CHECK_FALSE(out.put(numbers(257, 0)).has_value());
  for (int round = 0; round < 50; ++round) {
    const auto first = out.put(numbers(100, 1)), second = out.put(numbers(90, 2));
    REQUIRE(first.has_value());
    REQUIRE(second.has_value());
    CHECK_FALSE(out.put(numbers(100, 3)).has_value());
    CHECK((in.pop(*first, 100) == numbers(100, 1)));
    const auto third = out.put(numbers(40, 4));
    CHECK((in.pop(*second, 90) == numbers(90, 2)));
    if (third) CHECK((in.pop(*third, 40) == numbers(40, 4)));
  }
  const auto all = out.put(numbers(256, 5));
  REQUIRE(all.has_value());
  CHECK((in.pop(*all, 256) == numbers(256, 5)));
}

}  // namespace wire_test
