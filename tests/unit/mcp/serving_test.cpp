// SPDX-License-Identifier: Apache-2.0
// Lines of a stream, and the loop around the server.
#include "mcp/serving.hpp"

#include <unistd.h>

#include <array>
#include <thread>

#include "support/catch.hpp"

namespace serving_test {

using namespace dlrun;
using namespace dlrun::mcp;

namespace {

/// Replies of a server without tools to a stream of bytes.
std::vector<Json> replies_to(const std::string& bytes) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  std::thread writer([&] {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t done = ::write(ends[1], bytes.data() + at, bytes.size() - at);
      if (done <= 0) break;
      at += std::size_t(done);
    }
    ::close(ends[1]);
  });
  Server server({"test", "1", ""}, {}, {});
  std::vector<Json> out;
  serve(
      ends[0],
      [&](const std::string& line) {
        REQUIRE(line.back() == '\n');
        out.push_back(Json::parse(line));
        return true;
      },
      server);
  writer.join();
  ::close(ends[0]);
  return out;
}

std::string ping(int id) { return R"({"jsonrpc":"2.0","method":"ping","id":)" + std::to_string(id) + "}\n"; }

std::string cancel(int id) {
  return R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" + std::to_string(id) + "}}\n";
}

}  // namespace

TEST_CASE("bytes that are no JSON get a fault, and the next line is read", "[mcp][serving]") {
  const auto replies = replies_to("{\"a\":\n\n  \r\nnull\n" + ping(1) + "\xff\xfe\n" + ping(2).substr(0, 10));
  REQUIRE(replies.size() == 5);
  CHECK(replies[0]["error"]["code"] == -32700);
  CHECK(replies[0]["id"].is_null());
  CHECK(replies[1]["error"]["code"] == -32600);
  CHECK(replies[2]["id"] == 1);
  CHECK(replies[3]["error"]["code"] == -32700);
  CHECK(replies[4]["error"]["code"] == -32700);
}

TEST_CASE("a line that is too long is dropped, not kept", "[mcp][serving]") {
  const auto replies = replies_to(std::string(5 * kLongestLine, 'x') + "\n" + ping(1));
  REQUIRE(replies.size() == 2);
  CHECK(replies[0]["error"]["code"] == -32600);
  CHECK(replies[1]["id"] == 1);
  LineSplitter splitter(10);
  splitter.feed("12345678901", 11);
  splitter.feed("2\n1234567890\r\n", 14);
  CHECK(splitter.next().value().is_too_long);
  CHECK(splitter.next().value().is_too_long);  // the carriage return counts while the line is open
  splitter.feed("end", 3);
  splitter.finish();
  CHECK(splitter.next().value().text == "end");
}

TEST_CASE("JSON that nests deeply is a fault", "[mcp][serving]") {
  const auto replies = replies_to(std::string(100'000, '[') + "\n" + ping(1));
  REQUIRE(replies.size() == 2);
  CHECK(replies[0]["error"]["code"] == -32700);
}

TEST_CASE("a request that is cancelled while it waits gets no reply", "[mcp][serving]") {
  Inbox inbox;
  for (int id : {1, 2, 3}) inbox.add({ping(id)});
  inbox.add({cancel(2)});
  inbox.add({cancel(9)});
  inbox.add({R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":[]})"});
  CHECK(inbox.size() == 3);  // the last one cancels nothing, and the server ignores it
  CHECK(inbox.next().value().message["id"] == 1);
  CHECK(inbox.next().value().message["id"] == 3);
}

TEST_CASE("many requests at once are all answered, in their order", "[mcp][serving]") {
  std::string bytes;
  for (int i = 0; i < 3000; ++i) bytes += ping(i);
  const auto replies = replies_to(bytes);
  REQUIRE(replies.size() == 3000);
  for (int i = 0; i < 3000; ++i) CHECK(replies[std::size_t(i)]["id"] == i);
}

}  // namespace serving_test
