// SPDX-License-Identifier: Apache-2.0
// Manifests that are read and refused: no name in one leads out of the store.
#include "archive/manifest.hpp"

#include "support/catch.hpp"
#include "util/error.hpp"

namespace manifest_test {

using namespace dlrun;
using namespace dlrun::archive;
using Catch::Matchers::Contains;

namespace {

const std::string kHash(kHashLength, 'a');

/// A manifest of a study and one more member.
Manifest manifest_with(const Member& member) {
  Manifest out;
  out.dlrun = "0.1.0";
  out.schema = 14;
  out.studies = {{"s", "h", "2026-11-20T10:00:00Z", "finished", 1, 2, kHash}};
  out.members = {{"studies/s.db", 10, kHash}, member};
  return out;
}

}  // namespace

TEST_CASE("a manifest says what was written", "[archive][manifest]") {
  const Manifest read = manifest_from(text_of(manifest_with({"artifacts/" + kHash + ".safetensors", 7, kHash})));
  CHECK(read.studies.front().name == "s");
  CHECK(read.studies.front().log_rows == 2);
  CHECK(read.members.back().bytes == 7);
  CHECK(artifact_of(read.members.back()) == kHash + ".safetensors");
  CHECK(artifact_of(read.members.front()).empty());
}

TEST_CASE("a name that is none of ours is refused", "[archive][manifest]") {
  const std::string name = GENERATE(
      std::string("../x"), std::string("/etc/passwd"), std::string("artifacts/../../x"), std::string("artifacts/"),
      "artifacts/" + kHash.substr(1), "artifacts/" + kHash + "a", "artifacts/" + kHash + "/../../x",
      "artifacts/" + kHash + "./x", "artifacts/" + kHash + ".PT", "artifacts/A" + kHash.substr(1),
      "artifacts/g" + kHash.substr(1), "artifacts/" + kHash + "." + std::string(40, 'x'), "./artifacts/" + kHash,
      std::string("studies/other.db"), std::string("studies/s.db-wal"), std::string("studies/../s.db"));
  CHECK_THROWS_WITH(manifest_from(text_of(manifest_with({name, 7, kHash}))),
                    Contains("neither a study nor an artifact"));
}

TEST_CASE("a study's name is no path", "[archive][manifest]") {
  const std::string name = GENERATE("../s", "a/b", "", ".");
  Manifest manifest = manifest_with({"artifacts/" + kHash, 7, kHash});
  manifest.studies[0].name = name;
  manifest.members[0].name = member_of(name);
  CHECK_THROWS_WITH(manifest_from(text_of(manifest)), Contains("names a study '" + name + "'"));
}

TEST_CASE("sizes, hashes and members that cannot be are refused", "[archive][manifest]") {
  const std::string name = "artifacts/" + kHash;
  const auto refused = [](const Manifest& manifest, const std::string& why) {
    CHECK_THROWS_WITH(manifest_from(text_of(manifest)), Contains(why));
  };
  refused(manifest_with({name, -1, kHash}), "-1 bytes");
  refused(manifest_with({name, (std::int64_t(1) << 62) - 9, kHash}), "bytes");  // with the study's ten beyond 2^62
  CHECK_NOTHROW(manifest_from(text_of(manifest_with({name, (std::int64_t(1) << 62) - 10, kHash}))));
  refused(manifest_with({name, 7, kHash.substr(1)}), "no SHA-256");
  refused(manifest_with({name, 7, std::string(kHashLength, 'b')}), "another content than its name says");
  refused(manifest_with({"studies/s.db", 7, kHash}), "twice");
  Manifest manifest = manifest_with({name, 7, kHash});
  manifest.format = kFormat + 1;
  refused(manifest, "format 2");
  manifest.format = kFormat;
  manifest.members.erase(manifest.members.begin());
  refused(manifest, "no member of study 's'");
}

}  // namespace manifest_test
