// SPDX-License-Identifier: Apache-2.0
// Folders of exports: whole or not at all, and never in place of something else.
#include "exchange/export_folder.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace export_folder_test {

using namespace dlrun;
using exchange::ExportFolder;
using exchange::FolderOptions;

namespace {

FolderOptions options_for(const std::filesystem::path& path) { return {.path = path, .kind = "csv"}; }

void write_export(const FolderOptions& options, const std::string& text) {
  ExportFolder folder(options);
  folder.write("s/trials.csv", text);
  folder.keep();
}

}  // namespace

TEST_CASE("a folder that was not kept is gone", "[exchange][folder]") {
  const support::TempFolder temp;
  {
    ExportFolder folder(options_for(temp / "out"));
    folder.write("a/b/c", "text");
  }
  CHECK(entries_of(temp.path()).empty());
}

// Each killed export left a folder for good.
TEST_CASE("the draft of an export that was killed is removed by the next one", "[exchange][folder]") {
  const support::TempFolder temp;
  const pid_t ended = ::fork();
  if (ended == 0) ::_exit(0);
  REQUIRE(::waitpid(ended, nullptr, 0) == ended);
  const auto make = [&](const std::string& name, const char* file) {
    std::filesystem::create_directory(temp / name);
    write_file(temp / name / file, "csv\n");
    return temp / name;
  };
  const auto killed = make("out.tmp" + std::to_string(ended), ".dlrun-export");
  const auto own = make("other.tmp" + std::to_string(ended), ".dlrun-export");
  const auto mine = make("out.tmp" + std::to_string(ended) + "0", "thesis.txt");
  const auto written = make("out.tmp" + std::to_string(::getppid()), ".dlrun-export");
  write_export(options_for(temp / "out"), "text");
  CHECK_FALSE(std::filesystem::exists(killed));
  for (const auto& kept : {own, mine, written}) CHECK(std::filesystem::exists(kept));
}

TEST_CASE("an earlier export of the same kind is replaced", "[exchange][folder]") {
  const support::TempFolder temp;
  write_export(options_for(temp / "out"), "old");
  write_export(options_for(temp / "out"), "new");
  CHECK(read_file(temp / "out" / "s" / "trials.csv") == "new");
  CHECK(entries_of(temp.path()).size() == 1);
  FolderOptions other = options_for(temp / "out");
  other.kind = "mlflow";
  CHECK_THROWS_AS(ExportFolder(other), Error);
  CHECK(read_file(temp / "out" / "s" / "trials.csv") == "new");
}

TEST_CASE("a folder of somebody else is replaced by force alone", "[exchange][folder]") {
  const support::TempFolder temp;
  std::filesystem::create_directory(temp / "out");
  write_export(options_for(temp / "out"), "into an empty one");
  std::filesystem::create_directory(temp / "mine");
  write_file(temp / "mine" / "thesis.txt", "text");
  FolderOptions options = options_for(temp / "mine");
  CHECK_THROWS_AS(ExportFolder(options), Error);
  CHECK(read_file(temp / "mine" / "thesis.txt") == "text");
  options.may_replace = true;
  write_export(options, "new");
  CHECK_FALSE(std::filesystem::exists(temp / "mine" / "thesis.txt"));
}

TEST_CASE("force replaces neither the store nor the folder we stand in", "[exchange][folder]") {
  const support::TempFolder temp;
  std::filesystem::create_directories(temp / "work" / "dlrun-store");
  FolderOptions options = options_for(temp / "work");
  options.may_replace = true;
  options.store = temp / "work" / "dlrun-store";
  CHECK_THROWS_AS(ExportFolder(options), Error);
  options.store.clear();
  options.path = std::filesystem::current_path();
  CHECK_THROWS_AS(ExportFolder(options), Error);
}

// `export --csv dlrun-store/studies --force` removed all studies: only a folder that holds the store was refused.
TEST_CASE("force replaces no part of the store", "[exchange][folder]") {
  const support::TempFolder temp;
  const std::filesystem::path store = temp / "dlrun-store";
  std::filesystem::create_directories(store / "studies");
  write_file(store / "studies" / "s.db", "rows");
  FolderOptions options = options_for(store / "studies");
  options.may_replace = true;
  options.store = store;
  CHECK_THROWS_WITH(ExportFolder(options), Contains("is a part of the store"));
  CHECK(read_file(store / "studies" / "s.db") == "rows");
  SECTION("also behind a link") {
    std::filesystem::create_directory_symlink(store / "studies", temp / "link");
    options.path = temp / "link";
    CHECK_THROWS_AS(ExportFolder(options), Error);
  }
  SECTION("an earlier export in it is replaced") {
    options.path = store / "tables";
    write_export(options, "old");
    write_export(options, "new");
    CHECK(read_file(store / "tables" / "s" / "trials.csv") == "new");
  }
}

TEST_CASE("a link is followed to its folder, and a file is refused", "[exchange][folder]") {
  const support::TempFolder temp;
  std::filesystem::create_directory(temp / "real");
  std::filesystem::create_directory_symlink(temp / "real", temp / "link");
  write_export(options_for(temp / "link"), "text");
  CHECK(std::filesystem::is_symlink(temp / "link"));
  CHECK(read_file(temp / "real" / "s" / "trials.csv") == "text");
  write_file(temp / "file", "text");
  CHECK_THROWS_AS(ExportFolder(options_for(temp / "file")), Error);
  CHECK_THROWS_AS(ExportFolder(options_for(temp / "nowhere" / "out")), Error);
}

}  // namespace export_folder_test
