// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <limits>

#include "protocol/messages.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "util/error.hpp"
#include "util/random.hpp"

namespace codec_test {

using namespace dlrun;
using namespace dlrun::protocol;

namespace {

const trial::PieceKey kKey{{trial::TrialId(17), 1, 2}, 3};

trial::PieceOrder an_order() {
  trial::PieceOrder order;
  order.key = kKey;
  order.attempt = 4;
  order.from_step = 1;
  order.to_step = 9;
  order.seed = std::numeric_limits<std::uint64_t>::max();
  order.params = {{"lr", 0.012345678901234567}, {"opt", "sgd"}, {"width", 64}, {"a", 1.5}, {"b", -2.25}, {"c", 3e-7}};
  order.sets = {{"optimizer.lr", 0.012345678901234567}};
  order.task = "test";
  order.resume = std::string(64, 'a');
  order.resume_step = 1;
  order.program = "/run/program.sock";
  order.inherits = true;
  order.shared = trial::StagePlace{5, "/store/stages/5"};
  order.leaves = {{6, "/store/stages/6"}, {7, "/store/stages/7"}};
  order.replays = {{"record", std::string(64, 'e'), 77, 2}};
  order.partial = "/store/trials/17/3";
  order.folder = "/store/trials/17/4";
  return order;
}

trial::PieceResult a_result() {
  trial::PieceResult result;
  result.key = kKey;
  result.attempt = 4;
  result.outcome = trial::Outcome::failed;
  result.cause = trial::Cause::nan;
  result.message = "train.loss is \"nan\" at step 3, \xff";
  result.reports = {{1, {{"train.loss", 0.1}, {"val.loss", std::numeric_limits<double>::infinity()}}}};
  result.artifacts = {{"last", std::string(64, 'b'), 1234, 1}};
  result.start =
      trial::WeightStart{{{"fc.weight", "sliced", std::string(64, 'f'), "old.weight", {4, 3}, {2, 3}}}, {"note"}};
  result.shared = trial::SharedStart{{trial::TrialId(5), 1, 2}, 3};
  result.repeated = 2;
  result.parked_at = "/run/parked.sock";
  result.seconds = 0.25;
  result.peak_rss = 1 << 30;
  result.log_tail = "line\n";
  return result;
}

trial::WorkSetup a_setup() {
  trial::WorkSetup setup;
  setup.study = "digits";
  setup.trial = {{"kind", "function"}, {"op", "branin"}};
  setup.parameters = {{"lr", "optimizer.lr"}};
  setup.metric = "value";
  setup.needed = {"value", "cost"};
  setup.values = "loss";
  setup.maximize = setup.keep_best = true;
  setup.keep_epochs = {2, 4};
  setup.threads = 3;
  setup.devices = 2;
  setup.device = "cuda:1";
  setup.gpu_share = 0.5;
  setup.gpus = 4;
  setup.nodes = 5;
  setup.determinism = "portable";
  setup.artifacts = "/store/artifacts";
  setup.log_bytes = 1000;
  setup.memory_bytes = 2000;
  setup.parked = 6;
  setup.parked_bytes = 3000;
  setup.time_limit = 1.5;
  setup.hang_limit = 2.5;
  setup.silence_limit = 3.5;
  setup.plugins = {{"p", {{"kind", "layer"}}}};
  return setup;
}

std::vector<Message> one_of_each() {
  return {Hello{.version = "0.1.0",
                .role = "worker",
                .worker = 3,
                .pid = 99,
                .host = "node",
                .job = "job 12",
                .session = "its name",
                .token = "a token",
                .is_apart = true,
                .holds = {{kKey, 4}}},
          Welcome{.setup = a_setup(), .heartbeat = 5, .lost_after = 30, .grace = 60, .is_back = true},
          Refused{"another protocol"},
          Assign{an_order()},
          Reported{kKey, 4, {2, {{"val.accuracy", 0.5}}}},
          Result{a_result()},
          Ack{kKey, 4},
          Fenced{kKey, 4},
          Abandon{kKey, 4},
          Heartbeat{123, 456},
          Shutdown{10},
          Control{{{"command", "cancel"}, {"trial", 7}}},
          ControlReply{{{"ok", true}}},
          Prepared{{"2.11.0", "cpu: a processor", 2, "0,1", "libtorch 2.11.0, cpu, 2 threads, avx2"}},
          Watched{kKey,
                  4,
                  {{100, {{"train.loss", 0.5}, {"lr", 0.1}}}, {200, {{"train.loss", 0.25}}}},
                  {{3, false, {{true, 1, 0, 0.5, 0.25, 2, 1, 10, 20, 0, 0, 0}, {.updates = 4}}}}},
          Leave{"asked to end"},
          Ask{std::string(64, 'c')},
          Offer{std::string(64, 'd'), 300'000, kKey, 4},
          Want{std::string(64, 'd'), 262'144},
          Chunk{std::string(64, 'd'), 262'144, std::string("any\nbytes\0{[\xff", 13)},
          Stored{std::string(64, 'd'), "it is missing"},
          EndTrial{trial::TrialId(17)}};
}

template <class T>
T round_trip(const T& message) {
  Decoder decoder;
  decoder.feed(encode(message));
  return std::get<T>(decoder.next().value());
}

std::string printable(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += c >= ' ' && c <= '~' ? std::string(1, c) : fmt::format("<{:02x}>", c & 0xff);
  return text;
}

std::string frame(std::string_view payload, char type, std::uint32_t claimed) {
  std::string bytes = "DLR1";
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(claimed >> 8 * i & 0xff);
  return bytes + type + std::string(payload);
}

std::string frame(std::string_view payload, char type) {
  return frame(payload, type, static_cast<std::uint32_t>(payload.size()));
}

std::string fault_of(const std::string& bytes) {
  Decoder decoder;
  decoder.feed(bytes);
  try {
    decoder.next();
  } catch (const Error& fault) {
    CHECK(fault.kind() == ErrorKind::usage);
    return fault.what();
  }
  return "";
}

}  // namespace

TEST_CASE("every message survives the wire", "[protocol]") {
  for (const Message& message : one_of_each()) {
    const std::string bytes = encode(message);
    Decoder decoder;
    decoder.feed(bytes);
    const auto back = decoder.next();
    REQUIRE(back.has_value());
    CHECK(back->index() == message.index());
    CHECK_FALSE(decoder.next().has_value());
    INFO(bytes);
    if (message.index() != Message(Result{}).index()) CHECK(encode(*back) == bytes);
  }
}

// A field that no side writes would survive the wire, too. DLRUN_APPROVE=1 writes the file anew.
TEST_CASE("the bytes of messages are those of the format", "[protocol][format]") {
  std::string lines;
  for (const Message& message : one_of_each()) lines += printable(encode(message)) + "\n";
  const std::string place = DLRUN_SOURCE_DIR "/tests/golden/messages.txt";
  CHECK(lines == support::golden(place, lines));
}

TEST_CASE("values arrive bit by bit", "[protocol]") {
  const trial::PieceOrder order = round_trip(Assign{an_order()}).order;
  CHECK(order.params == an_order().params);
  CHECK(order.seed == an_order().seed);
  CHECK(order.key == kKey);
  trial::PieceResult sent = a_result();
  sent.message = "no bad byte";
  CHECK(round_trip(Result{sent}).result == sent);
}

TEST_CASE("the type numbers are those of the format", "[protocol][format]") {
  const auto messages = one_of_each();
  REQUIRE(messages.size() == std::variant_size_v<Message>);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    CHECK(messages[i].index() == i);
    CHECK(encode(messages[i])[8] == static_cast<char>(i + 1));
  }
  CHECK(encode(Ack{kKey, 4}) == frame(R"({"attempt":4,"piece":[17,1,2,3]})", 7));
}

TEST_CASE("messages are found however the bytes are cut", "[protocol]") {
  std::string stream;
  for (const Message& message : one_of_each()) stream += encode(message);
  const std::size_t step = GENERATE(1, 2, 7, 64, 100000);
  Decoder decoder;
  std::size_t found = 0;
  for (std::size_t i = 0; i < stream.size(); i += step) {
    decoder.feed(std::string_view(stream).substr(i, step));
    while (const auto message = decoder.next()) CHECK(message->index() == found++);
  }
  CHECK(found == one_of_each().size());
}

TEST_CASE("what is no message is refused with a reason", "[protocol]") {
  CHECK_THAT(fault_of("GET / HTTP/1.1\r\n"), Contains("does not speak"));
  CHECK_THAT(fault_of("D" + std::string(1, '\0')), Contains("does not speak"));
  CHECK_THAT(fault_of(frame("{}", 3, 0xffffffff)), Contains("4294967295 bytes is announced"));
  CHECK_THAT(fault_of(frame("{}", 0)), Contains("type 0"));
  CHECK_THAT(fault_of(frame("{}", 99)), Contains("type 99"));
  CHECK_THAT(fault_of(frame("{", 3)), Contains("malformed message 'refused': it is no valid JSON"));
  CHECK_THAT(fault_of(frame("", 3)), Contains("malformed message 'refused': it is no valid JSON"));
  CHECK_THAT(fault_of(frame("[1]", 3)), Contains("malformed message 'refused'"));
  CHECK_THAT(fault_of(frame(R"({"reason":7})", 3)), Contains("malformed message 'refused'"));
  CHECK_THAT(fault_of(frame(R"({"reason":1e400})", 3)), Contains("malformed message 'refused': it is no valid JSON"));
  CHECK_THAT(fault_of(frame("{\"reason\":\"\xff\"}", 3)), Contains("malformed message 'refused': it is no valid JSON"));
  CHECK_THAT(fault_of(frame(R"({"piece":[1,0,0,0],"attempt":1,"outcome":"lucky"})", 6)), Contains("lucky"));
  CHECK_THAT(fault_of(frame(std::string(1000000, '['), 12)), Contains("nests deeper than 64"));
  CHECK(fault_of(frame(R"({"x":"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["})", 12))
            .empty());
}

TEST_CASE("a real number is no whole one, however large it is", "[protocol]") {
  for (const char* number : {"1e300", "-1e300", "3.5", "1e3", "18446744073709551615"}) {
    INFO(number);
    CHECK_THAT(fault_of(frame(R"({"steps":)" + std::string(number) + R"(,"rss":0})", 10)), Contains("whole number"));
  }
  CHECK(fault_of(frame(R"({"steps":9223372036854775807,"rss":0})", 10)).empty());
}

TEST_CASE("the bytes of a chunk are as they were", "[protocol]") {
  const std::string bytes = GENERATE(std::string(), std::string("\n"), std::string(kMaxFrame - 200, '['));
  const Chunk chunk = round_trip(Chunk{std::string(64, 'a'), 7, bytes});
  CHECK(chunk.bytes == bytes);
  CHECK(chunk.offset == 7);
  CHECK_THAT(fault_of(frame(R"({"sha256":"a","offset":7})", 20)), Contains("'chunk' has no bytes"));
  CHECK_THAT(fault_of(frame("{}\nbytes", 20)), Contains("malformed message 'chunk'"));
}

TEST_CASE("a stranger's first message may not be large", "[protocol]") {
  Decoder decoder(kMaxFirstFrame);
  decoder.feed(frame("{}", 1, kMaxFirstFrame + 1));
  CHECK_THROWS_WITH(decoder.next(), Contains("the limit is 4096"));
}

TEST_CASE("what a worker holds fits into its hello, and no more is read", "[protocol]") {
  Hello hello{.version = "0.1.0", .role = "worker", .host = std::string(200, 'h')};
  hello.session = hello.token = std::string(64, 'a');
  const trial::PieceKey key{{trial::TrialId(99'999'999), 99, 99}, 999};
  hello.holds.assign(kMostHeld, {key, 99});
  CHECK(encode(hello).size() < kMaxFirstFrame);
  Decoder decoder(kMaxFirstFrame);
  decoder.feed(encode(hello));
  CHECK(std::get<Hello>(*decoder.next()).holds == hello.holds);
  hello.holds.push_back({key, 1});
  Decoder another;
  another.feed(encode(hello));
  CHECK_THROWS_WITH(another.next(), Contains("holds more than a worker may"));
}

TEST_CASE("a message above the limit is not sent", "[protocol]") {
  CHECK_THROWS_WITH(encode(Refused{std::string(kMaxFrame, 'x')}), Contains("'refused' has"));
}

namespace {

trial::PieceResult long_result(std::int64_t reports) {
  trial::PieceResult result = a_result();
  result.reports.clear();
  result.message.clear();
  for (std::int64_t step = 1; step <= reports; ++step)
    result.reports.push_back({step, {{"train.loss", 1 / double(step)}, {"val.accuracy", double(step)}}});
  return result;
}

/// Payloads of frames.
std::vector<std::string> payloads(std::string_view frames) {
  std::vector<std::string> all;
  while (!frames.empty()) {
    std::uint32_t length = 0;
    for (std::size_t i = 4; i-- > 0;) length = length << 8 | static_cast<std::uint8_t>(frames[4 + i]);
    all.emplace_back(frames.substr(9, length));
    frames.remove_prefix(9 + length);
  }
  return all;
}

}  // namespace

// A training of 12,000 epochs was lost at its end: its result was longer than a frame may be.
TEST_CASE("a result that is too long for a frame is sent in several", "[protocol]") {
  const trial::PieceResult sent = long_result(50'000);
  const std::string frames = encode(Result{sent});
  const auto parts = payloads(frames);
  REQUIRE(parts.size() > 2);
  for (const std::string& part : parts) CHECK(part.size() <= kMaxFrame);
  Decoder decoder;
  decoder.feed(frames);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Result part = std::get<Result>(decoder.next().value());
    CHECK((part.goes_on && part.result.reports.empty()));
  }
  const Result whole = std::get<Result>(decoder.next().value());
  CHECK_FALSE(whole.goes_on);
  CHECK(trial::to_json(whole.result) == trial::to_json(sent));
}

TEST_CASE("a report that is too long for a frame is sent in several", "[protocol]") {
  trial::PieceResult sent = long_result(2);
  for (int i = 0; i < 50'000; ++i) sent.reports[1].metrics.push_back({fmt::format("a.metric.of.many.{}", i), i / 7.0});
  Decoder decoder;
  decoder.feed(encode(Result{sent}));
  Result whole{{}, true};
  while (whole.goes_on) whole = std::get<Result>(decoder.next().value());
  CHECK(trial::to_json(whole.result) == trial::to_json(sent));
}

TEST_CASE("parts of a result that did not come whole are forgotten", "[protocol]") {
  Result part{long_result(3), true}, other{a_result()};
  other.result.attempt = 5;
  Decoder decoder;
  decoder.feed(encode(part) + encode(other) + encode(Result{long_result(2)}));
  decoder.next();
  CHECK(std::get<Result>(decoder.next().value()).result.reports.size() == 1);
  CHECK(std::get<Result>(decoder.next().value()).result.reports.size() == 2);
}

TEST_CASE("parts of a result have a limit together", "[protocol]") {
  const std::string part = encode(Result{long_result(10'000), true});
  Decoder decoder;
  const auto read_parts = [&] {
    for (std::size_t bytes = 0; bytes <= kMaxResult + kMaxFrame; bytes += part.size()) {
      decoder.feed(part);
      decoder.next();
    }
  };
  CHECK_THROWS_WITH(read_parts(), Contains("too many parts"));
}

TEST_CASE("random bytes and flipped bits never do worse than an error", "[protocol]") {
  RandomStream random(7, {"fuzz"});
  const auto messages = one_of_each();
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = encode(messages[random.below(messages.size())]);
    for (std::uint64_t flips = random.below(4); flips-- > 0;) {
      bytes[random.below(bytes.size())] ^= static_cast<char>(1 << random.below(8));
    }
    if (random.below(4) == 0) {
      for (char& c : bytes) c = static_cast<char>(random.below(256));
    }
    Decoder decoder;
    decoder.feed(bytes);
    try {
      while (decoder.next()) {
      }
    } catch (const Error& fault) {
      REQUIRE(fault.kind() == ErrorKind::usage);
    }
  }
}

TEST_CASE("coding an order and its result costs microseconds", "[.][protocol][bench]") {
  constexpr int kRounds = 20000;
  trial::PieceOrder order = an_order();
  order.resume = order.partial = "";
  trial::PieceResult result;
  result.key = kKey;
  result.reports = {{1, {{"value", 0.123456789}}}};
  const auto cost = [&](const Message& message) {
    const auto start = std::chrono::steady_clock::now();
    Decoder decoder;
    for (int i = 0; i < kRounds; ++i) {
      decoder.feed(encode(message));
      decoder.next();
    }
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / kRounds;
  };
  WARN("assign " << cost(Assign{order}) << " us, result " << cost(Result{result}) << " us, ack " << cost(Ack{kKey, 1})
                 << " us");
}

}  // namespace codec_test
