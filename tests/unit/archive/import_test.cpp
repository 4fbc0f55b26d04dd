// SPDX-License-Identifier: Apache-2.0
// Archives of a real study, as they are and changed on the way.
#include "archive/import.hpp"

#include <algorithm>
#include <vector>

#include "archive/export.hpp"
#include "archive/manifest.hpp"
#include "archive/tar.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace import_test {

using namespace dlrun;
using namespace dlrun::archive;
using Catch::Matchers::Contains;

namespace {

struct File {
  std::string name, bytes;
};

std::vector<File> members_of(const std::filesystem::path& path) {
  const FileReader file(path);
  TarReader tar(file.descriptor(), path.string());
  std::vector<File> out;
  while (const auto entry = tar.next()) {
    std::string bytes(static_cast<std::size_t>(entry->bytes), '\0');
    std::size_t done = 0;
    while (const std::size_t got = tar.read(bytes.data() + done, bytes.size() - done)) done += got;
    out.push_back({entry->name, bytes});
  }
  return out;
}

void write(const std::filesystem::path& path, const std::vector<File>& members) {
  std::filesystem::remove(path);
  const FileWriter file(path);
  TarWriter tar(file.descriptor(), path.string(), {});
  for (const File& member : members) {
    tar.begin(member.name, static_cast<std::int64_t>(member.bytes.size()));
    tar.write(member.bytes);
  }
  tar.finish();
}

/// A study with three trials, exported.
struct Fixture {
  support::TempFolder folder;
  std::filesystem::path archive = folder / "s.tar";

  Fixture() {
    const auto store = storage::Store::create(folder / "from", support::sample_row(), {});
    for (int trial = 0; trial < 3; ++trial) support::write_trial(*store, trial, 0.5 + 0.1 * trial);
    store->close();
    const FileWriter file(archive);
    export_study({.store = folder / "from", .study = "sample"}, file.descriptor(), "s.tar");
  }
  Imported import(const std::string& name = "") {
    const FileReader file(archive);
    return import_study({.store = folder / "to", .name = name}, file.descriptor(), "s.tar");
  }
  void require_refused(const std::vector<File>& members, const std::string& why) {
    write(archive, members);
    CHECK_THROWS_WITH(import(), Contains(why));
    CHECK_FALSE(std::filesystem::exists(folder / "to" / "studies" / "sample.db"));
  }
};

}  // namespace

TEST_CASE("a study comes in as it went out, once", "[archive][import]") {
  Fixture f;
  const Imported came = f.import();
  CHECK(came.study == "sample");
  CHECK(came.trials == 3);
  CHECK_FALSE(came.is_there);
  CHECK(f.import().is_there);
  CHECK(f.import("other").came_as == "sample");
  const auto store = storage::Store::open(f.folder / "to", "other", {});
  std::int64_t rows = 0;
  store->replay([&](const storage::LogRow&) { ++rows; });
  CHECK(rows == 6);  // a decision and a result of each trial
}

TEST_CASE("another study of the name is not replaced", "[archive][import]") {
  Fixture f;
  storage::Store::create(f.folder / "to", support::sample_row(), {})->close();
  CHECK_THROWS_WITH(f.import(), Contains("another study 'sample' already"));
}

TEST_CASE("an archive that was changed is refused, and nothing comes in", "[archive][import]") {
  Fixture f;
  const std::vector<File> sound = members_of(f.archive);
  REQUIRE(sound.size() == 3);  // manifest, its hash, rows
  std::vector<File> changed = sound;
  SECTION("a byte of the rows") {
    changed[2].bytes[changed[2].bytes.size() / 2] ^= 1;
    f.require_refused(changed, "another content than the manifest says");
  }
  SECTION("a byte of the manifest") {
    changed[0].bytes.replace(changed[0].bytes.find("\"trials\":3"), 10, "\"trials\":4");
    f.require_refused(changed, "is damaged");
  }
  SECTION("a manifest of lies with its hash") {
    changed[0].bytes.replace(changed[0].bytes.find("\"trials\":3"), 10, "\"trials\":4");
    changed[1].bytes = Sha256::hex_of(changed[0].bytes) + "  manifest.json\n";
    f.require_refused(changed, "is not the study that the manifest says");
  }
  SECTION("a member too few") {
    changed.pop_back();
    f.require_refused(changed, "member 'studies/sample.db' is missing");
  }
  SECTION("one too many") {
    changed.push_back({"../outside", "x"});
    f.require_refused(changed, "member '../outside' stands where 'the end' should be");
    CHECK_FALSE(std::filesystem::exists(f.folder / "outside"));
  }
  SECTION("one twice") {
    changed.push_back(sound.back());
    f.require_refused(changed, "member 'studies/sample.db' stands twice");
  }
  SECTION("no manifest first") {
    std::rotate(changed.begin(), changed.begin() + 2, changed.end());
    f.require_refused(changed, "it is no archive of dlrun's");
  }
}

}  // namespace import_test
