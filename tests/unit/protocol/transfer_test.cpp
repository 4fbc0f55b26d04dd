// SPDX-License-Identifier: Apache-2.0
#include "protocol/transfer.hpp"

#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"

namespace transfer_test {

using namespace dlrun;
using namespace dlrun::protocol;

namespace {

/// An artifact on the one side, and what comes of it on the other.
struct Journey {
  support::TempFolder folder;
  std::string bytes;
  std::string sha256 = Sha256::hex_of(bytes);
  OutgoingArtifact out;
  IncomingArtifact in;

  explicit Journey(std::string text)
      : bytes(std::move(text)), out(sha256, put()), in({sha256, out.bytes()}, folder / "temporary") {}
  std::filesystem::path put() {
    write_file(folder / "source", bytes);
    return folder / "source";
  }
  void finish() { in.finish(folder / "kept" / sha256); }
  std::string kept() const { return read_file(folder / "kept" / sha256); }
};

std::string text_of(std::int64_t size) {
  std::string text;
  while (static_cast<std::int64_t>(text.size()) < size) text += std::to_string(text.size()) + ' ';
  text.resize(static_cast<std::size_t>(size));
  return text;
}

}  // namespace

TEST_CASE("an artifact arrives, however large it is", "[protocol][transfer]") {
  Journey journey(text_of(
      GENERATE(std::int64_t(0), std::int64_t(1), kChunkBytes, kChunkBytes + 1, kAhead, kAhead + 7, 5 * kAhead)));
  std::size_t most = 0;
  while (!journey.in.is_whole()) {
    const auto wants = journey.in.wants();
    most = std::max(most, wants.size());
    REQUIRE_FALSE(wants.empty());
    for (const Want& want : wants) journey.in.write(journey.out.chunk(want.offset));
  }
  CHECK(most <= static_cast<std::size_t>(kAhead / kChunkBytes));
  CHECK(journey.in.wants().empty());
  journey.finish();
  CHECK(journey.kept() == journey.bytes);
  CHECK_FALSE(std::filesystem::exists(journey.folder / "temporary"));
}

TEST_CASE("what is not the next piece is left aside, and asked for again", "[protocol][transfer]") {
  Journey journey(text_of(3 * kChunkBytes));
  REQUIRE(journey.in.wants().size() == 3);
  CHECK(journey.in.wants().empty());
  journey.in.write(journey.out.chunk(kChunkBytes));
  journey.in.write({std::string(64, '0'), 0, std::string(kChunkBytes, 'x')});
  journey.in.write(journey.out.chunk(0));
  journey.in.write(journey.out.chunk(0));
  journey.in.ask_again();
  const auto wants = journey.in.wants();
  REQUIRE(wants.size() == 2);
  CHECK(wants[0].offset == kChunkBytes);
  for (const Want& want : wants) journey.in.write(journey.out.chunk(want.offset));
  journey.in.write(journey.out.chunk(0));  // late
  journey.finish();
  CHECK(journey.kept() == journey.bytes);
}

TEST_CASE("what is not what its name says gets no name", "[protocol][transfer]") {
  Journey journey(text_of(1000));
  Chunk chunk = journey.out.chunk(0);
  SECTION("other bytes") {
    chunk.bytes[500] ^= 1;
    journey.in.write(chunk);
    try {
      journey.finish();
      FAIL("it was taken");
    } catch (const Error& fault) {
      CHECK(fault.kind() == ErrorKind::store);
      CHECK_THAT(fault.what(), Contains(journey.sha256));
    }
  }
  SECTION("fewer or more") {
    chunk.bytes = GENERATE(std::string(), std::string(999, 'x'), std::string(1001, 'x'));
    CHECK_THROWS_WITH(journey.in.write(chunk), Contains("not what was wanted"));
  }
  CHECK_FALSE(std::filesystem::exists(journey.folder / "kept" / journey.sha256));
}

TEST_CASE("only what is there is sent", "[protocol][transfer]") {
  const Journey journey(text_of(1000));
  for (const std::int64_t offset : {-1, 1000, 1 << 30}) {
    CHECK_THROWS_WITH(journey.out.chunk(offset), Contains("outside of the artifact"));
  }
  CHECK_THROWS_AS(OutgoingArtifact("x", journey.folder / "nothing"), Error);
}

TEST_CASE("what did not arrive leaves nothing", "[protocol][transfer]") {
  support::TempFolder folder;
  {
    IncomingArtifact in({std::string(64, '0'), 10}, folder / "temporary");
    CHECK(std::filesystem::exists(folder / "temporary"));
    CHECK_THROWS_AS(IncomingArtifact({std::string(64, '0'), 10}, folder / "temporary"), Error);
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

}  // namespace transfer_test
