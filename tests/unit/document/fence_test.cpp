// SPDX-License-Identifier: Apache-2.0
// Files that a document of somebody else may name.
#include "document/fence.hpp"

#include <unistd.h>

#include "document/load.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace fence_test {

using namespace dlrun;
using namespace dlrun::document;
namespace fs = std::filesystem;

namespace {

/// root/ with a folder, a file and links that lead out, beside a secret.
struct House {
  fs::path path = fs::temp_directory_path() / ("dlrun-fence-" + std::to_string(::getpid()));
  House() {
    fs::remove_all(path);
    fs::create_directories(path / "root" / "inner");
    fs::create_directories(path / "rooted");
    write_file(path / "secret.yaml", "secret: 1\n", {.durable = false});
    write_file(path / "root" / "own.yaml", "a: 1\n", {.durable = false});
    fs::create_symlink(path / "secret.yaml", path / "root" / "link.yaml");
    fs::create_symlink(path, path / "root" / "up");
    fs::create_symlink(path / "secret.yaml", path / "root" / "inner" / "deep.csv");
    fs::create_symlink("circle", path / "root" / "circle");
  }
  ~House() { fs::remove_all(path); }
  Fence fence() const { return Fence({path / "root"}); }
  std::string faults_of(const std::string& text) const {
    LoadOptions options{.file = path / "root" / "study.yaml"};
    options.text = text;
    options.fence = fence();
    Diagnostics faults;
    const Loaded loaded = load(options, faults);
    if (loaded.root) require_inside(*loaded.root, *options.fence, {path / "root"}, faults);
    return faults.has_errors() ? faults.render_errors() : "";
  }
};

}  // namespace

TEST_CASE("a fence admits what lies below its folder, links followed", "[document][fence]") {
  const House house;
  const Fence fence = house.fence();
  for (const char* in : {"", "own.yaml", "inner", "new/file", "inner/../own.yaml", "up/root/own.yaml"})
    CHECK(fence.admits(house.path / "root" / in));
  for (const char* out : {"..", "../secret.yaml", "link.yaml", "up/secret.yaml", "up/new", "../rooted/x", "circle"})
    CHECK_FALSE(fence.admits(house.path / "root" / out));
  CHECK_FALSE(fence.admits("/etc/passwd"));
  CHECK(Fence({house.path / "root/"}).admits(house.path / "root" / "own.yaml"));
}

TEST_CASE("values that lead out are faults at their place", "[document][fence]") {
  const House house;
  const auto out = GENERATE(values<std::string>({"/etc/passwd", "../secret.yaml", "link.yaml", "up/secret.yaml", "up",
                                                 "inner/../../secret.yaml", "../nothing", "inner/deep.csv"}));
  CHECK_THAT(house.faults_of("trial:\n  - {data: {path: '" + out + "'}}\n"), Contains("leads out of the folders"));
}

TEST_CASE("a file of a named folder is a value too", "[document][fence]") {
  const House house;
  CHECK(house.faults_of("file: deep.csv\n").empty());  // there is no such file beside the study
  CHECK_THAT(house.faults_of("path: inner\nfile: deep.csv\n"), Contains("leads out of the folders"));
}

TEST_CASE("values that name no file, or one within, are none", "[document][fence]") {
  const House house;
  CHECK(house.faults_of("a: relu\nb: own.yaml\nc: inner\nd: val/loss\ne: 0.5\nf: ''\ng: new.csv\n").empty());
  CHECK(house.faults_of("a: '" + std::string(10'000, '/') + "'\n").empty());  // longer than any path
}

TEST_CASE("extends reads nothing outside, and does not tell what is there", "[document][fence]") {
  const House house;
  for (const char* name : {"link", "../secret", "up/secret.yaml", "../nothing"}) {
    const std::string faults = house.faults_of("extends: " + std::string(name) + "\n");
    CHECK_THAT(faults, Contains("there is no file"));
    CHECK(faults.find("secret: 1") == std::string::npos);
  }
  CHECK(house.faults_of("extends: own\nb: 2\n").empty());
}

TEST_CASE("the file itself must lie within", "[document][fence]") {
  const House house;
  LoadOptions options{.file = house.path / "root" / "link.yaml"};
  options.fence = house.fence();
  Diagnostics faults;
  CHECK_THROWS_AS(load(options, faults), Error);
}

}  // namespace fence_test
