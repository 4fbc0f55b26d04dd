// SPDX-License-Identifier: Apache-2.0
// Bytes of event files against those of TensorBoard's own writer (tests/golden/tensorboard/record.py).
#include "exchange/event_file.hpp"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <sstream>

#include "exchange/crc32c.hpp"
#include "exchange/hparams.hpp"
#include "support/catch.hpp"
#include "util/files.hpp"

namespace event_file_test {

using namespace dlrun;
using namespace dlrun::exchange;

namespace {

constexpr double kTime = 1764150000.25;

std::string golden(const std::string& name) {
  std::istringstream lines(read_file(DLRUN_SOURCE_DIR "/tests/golden/tensorboard/events.txt"));
  std::string key, value;
  while (lines >> key >> value) {
    if (key == name) return value;
  }
  return "no golden " + name;
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

std::vector<HParam> columns() {
  HParam lr{.name = "lr", .description = "optimizer.lr", .low = 0.0001, .high = 0.1};
  HParam act{.name = "act", .type = HParamType::text, .choices = {"relu", "ta\"nh \U0001f600"}};
  HParam bias{.name = "bias", .type = HParamType::boolean, .choices = {false, true}};
  return {lr, act, bias};
}

}  // namespace

TEST_CASE("checksums are those of RFC 3720", "[exchange][crc]") {
  CHECK(crc32c("123456789") == 0xE3069283);
  CHECK(crc32c("") == 0);
  CHECK(crc32c(std::string(32, '\0')) == 0x8A9136AA);
  CHECK(crc32c(std::string(32, '\xFF')) == 0x62A8AB43);
  std::string ascending;
  for (char c = 0; c < 32; ++c) ascending += c;
  CHECK(crc32c(ascending) == 0x46DD794E);
}

TEST_CASE("events have the bytes of TensorBoard's writer", "[exchange][tensorboard][golden]") {
  CHECK(hex(version_event(kTime)) == golden("version"));
  CHECK(hex(scalar_event({kTime, 3, "val.accuracy", 0.9888})) == golden("scalar"));
  CHECK(hex(scalar_event({kTime, 300000, "löss", 1e-8})) == golden("far"));
  CHECK(hex(scalar_event({kTime, 0, "loss", 0})) == golden("first"));
  CHECK(hex(scalar_event({kTime, 1, "loss", -std::numeric_limits<double>::infinity()})) == golden("infinite"));
}

TEST_CASE("the table of hparams has the bytes of TensorBoard's writer", "[exchange][tensorboard][golden]") {
  const Message table = experiment_message(kTime, columns(), {"objective/val.accuracy", "train.loss", "size"});
  CHECK(hex(hparams_event(kTime, kExperimentTag, table)) == golden("experiment"));
  const SessionStart start{"digits/17", kTime, {{"act", "relu"}, {"bias", false}, {"lr", 0.012}}};
  CHECK(hex(hparams_event(kTime, kSessionStartTag, session_start_message(start))) == golden("start"));
  const auto end = [](SessionStatus status) {
    return hex(hparams_event(kTime, kSessionEndTag, session_end_message(status, 1764150009.5)));
  };
  CHECK(end(SessionStatus::success) == golden("end"));
  CHECK(end(SessionStatus::failure) == golden("failed"));
  CHECK(end(SessionStatus::unknown) == golden("pruned"));
}

TEST_CASE("lengths above 127 take two bytes", "[exchange][protobuf]") {
  CHECK(hex(Message().add_bytes(1, std::string(300, 'a')).bytes()).substr(0, 8) ==
        "0aac0261");  // protobuf's guide: 300
  CHECK(hex(Message().add_integer(1, 150).bytes()) == "089601");
  CHECK(hex(Message().add_integer(1, -1).bytes()) == "08ffffffffffffffffff01");
}

}  // namespace event_file_test
