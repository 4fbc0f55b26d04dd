// SPDX-License-Identifier: Apache-2.0
// Processes of a gang on several hosts find each other, and nobody else finds them.
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <future>

#include "support/catch.hpp"
#include "unit/gang/places.hpp"
#include "util/error.hpp"
#include "util/ports.hpp"

namespace door_test {

using namespace gang_test;
using Catch::Matchers::Contains;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kLong{60'000}, kShort{20};

/// A door that is attended until its object ends.
class Attended {
 public:
  explicit Attended(const Meeting& meeting) : door_(open_door(meeting)) {}
  int port() const { return door_.port(); }
  std::optional<Visitor> next() { return door_.next(kLong); }
  bool is_quiet() { return !door_.next(kShort); }

 private:
  Door door_;
};

SecureLines caller(const Meeting& meeting, int port, const std::string& token, int process = 1) {
  auto context =
      std::make_shared<const protocol::TlsContext>(protocol::Side::worker, protocol::read_secret(meeting.key));
  SecureLines lines(connect_to("127.0.0.1", port), context);
  lines.say(text_of({token, process, 7, "n1"}));
  return lines;
}

/// Has the other side hung up, and without a word?
bool is_sent_away(int socket) {
  pollfd item{socket, POLLIN, 0};
  if (::poll(&item, 1, int(kLong.count())) != 1) return false;
  std::array<char, 64> bytes{};
  return ::recv(socket, bytes.data(), bytes.size(), 0) <= 0;
}

}  // namespace

TEST_CASE("hosts have neighbouring ranks, and servers of their own", "[gang]") {
  CHECK(hosts_of(4, 2, 2) == std::vector<int>{0, 0, 1, 1, 0, 1});
  CHECK(hosts_of(5, 1, 2) == std::vector<int>{0, 0, 0, 1, 1, 0});
  CHECK(hosts_of(2, 0, 4) == std::vector<int>{0, 1});
  const Meeting meeting{hosts_of(4, 2, 2)};
  CHECK(meeting.hosts_in_use() == 2);
  CHECK(meeting.first_of(1) == 2);
}

TEST_CASE("who holds the key and names the gang comes in", "[gang]") {
  const support::TempFolder folder;
  const Meeting meeting = meeting_of({0, 1}, folder.path());
  Attended door(meeting);
  auto called = std::async(std::launch::async, [&] {
    SecureLines lines = caller(meeting, door.port(), meeting.token);
    return lines.await(kLong);
  });
  auto visitor = door.next();
  REQUIRE(visitor);
  CHECK(visitor->process == 1);
  CHECK(visitor->port == 7);
  CHECK(visitor->host == "n1");
  CHECK_THAT(visitor->address, Contains("127.0.0.1"));
  visitor->lines.say("welcome");
  CHECK(called.get() == "welcome");
}

TEST_CASE("strangers get nothing, and delay nobody", "[gang]") {
  const support::TempFolder folder, elsewhere;
  const Meeting meeting = meeting_of({0, 1}, folder.path()), other = meeting_of({0, 1}, elsewhere.path());
  Attended door(meeting);
  std::vector<Descriptor> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(connect_to("127.0.0.1", door.port()));
  const Descriptor rude = connect_to("127.0.0.1", door.port());
  const std::string noise(8192, 'x');
  CHECK(::send(rude.fd(), noise.data(), noise.size(), MSG_NOSIGNAL) == 8192);
  auto wrong_key = std::async(std::launch::async, [&] { caller(other, door.port(), other.token).await(kLong); });
  auto wrong_gang = std::async(std::launch::async, [&] { caller(meeting, door.port(), "another").await(kLong); });
  const auto meets = [&](std::future<void>& stranger) {
    while (stranger.wait_for(milliseconds(0)) != std::future_status::ready) CHECK(door.is_quiet());
    CHECK_THROWS_WITH(stranger.get(), Contains("it hangs up"));
  };
  meets(wrong_key);
  meets(wrong_gang);
  CHECK(is_sent_away(rude.fd()));
  auto called = std::async(std::launch::async, [&] { caller(meeting, door.port(), meeting.token).await(kLong); });
  CHECK(door.next().has_value());
  CHECK_THROWS_AS(called.get(), Error);  // sent away with the door's object, which is the test's end of it
}

TEST_CASE("a process that nobody waits for is no end of the roll", "[gang]") {
  const support::TempFolder folder;
  Meeting meeting = meeting_of({0, 1}, folder.path());
  Door door = open_door(meeting);
  meeting.port = door.port();
  const SecureLines ninth = caller(meeting, door.port(), meeting.token, 9);
  auto second = std::async(std::launch::async, [&] { return answer_roll(meeting, 1); });
  const Gathered all = call_roll(door, meeting, [](int) {});
  CHECK(all.links[1].is_open());
  CHECK_FALSE(all.links[0].is_open());
  CHECK(second.get()[0].is_open());
}

TEST_CASE("a process of another host is heard, and noticed when it ends", "[gang]") {
  std::vector<Place> all = places({0, 1, 2});
  const auto lost_peer = [&] {
    try {
      while (all[0].mesh.receive(kLong)) continue;
    } catch (const PeerLost& lost) {
      return lost.peer;
    }
    return 0;
  };
  Packet packet{PacketKind::state};
  packet.message.numbers.assign(3'000'000, 0.5F);
  all[2].mesh.send(0, packet);
  std::thread third([&] { all[2].mesh.flush(kLong); });
  CHECK(all[0].mesh.receive(kLong)->packet.message.numbers == packet.message.numbers);
  third.join();
  all.pop_back();
  CHECK(lost_peer() == 2);
}

TEST_CASE("a roll ends as its watch says", "[gang]") {
  const support::TempFolder folder;
  const Meeting meeting = meeting_of({0, 1}, folder.path());
  Door door = open_door(meeting);
  const auto watch = [](int missing) { throw Error(ErrorKind::outside, std::to_string(missing) + " missing"); };
  CHECK_THROWS_WITH(call_roll(door, meeting, watch), "1 missing");
}

}  // namespace door_test
