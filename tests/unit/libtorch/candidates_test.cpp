// SPDX-License-Identifier: Apache-2.0
// Which libtorch is taken, from folders that only look like libtorches.
#include "libtorch/candidates.hpp"

#include "libtorch/installer.hpp"
#include "libtorch/load.hpp"
#include "libtorch/requirement.hpp"
#include "libtorch/version.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace libtorch_candidates_test {

using namespace dlrun;
namespace fs = std::filesystem;

namespace {

const std::string kNeeded = libtorch::needed_version();

/// A folder that looks like the torch package of a wheel; its library is none.
fs::path make_package(const fs::path& folder, const std::string& version) {
  make_folders(folder / "lib");
  write_file(folder / "lib/libtorch_cpu.so", "no library");
  write_file(folder / "lib/libc10.so", "no library");
  write_file(folder / "version.py", "from typing import Optional\n__version__ = '" + version + "'\n");
  return folder;
}

std::string header(const std::string& major, const std::string& minor) {
  return "#define TORCH_VERSION_MAJOR " + major + "\n#define TORCH_VERSION_MINOR " + minor +
         "\n#define TORCH_VERSION_PATCH 0\n#define TORCH_VERSION \\\n  \"x\"\n";
}

/// Origin of the candidate that would be taken; "none" if none fits.
std::string taken(const libtorch::Surroundings& around) {
  for (const libtorch::Candidate& candidate : libtorch::candidates(around)) {
    if (candidate.fits()) return candidate.origin;
  }
  return "none";
}

/// The candidates of one origin.
std::vector<libtorch::Candidate> of(const std::string& origin, const libtorch::Surroundings& around) {
  std::vector<libtorch::Candidate> out;
  for (const libtorch::Candidate& candidate : libtorch::candidates(around)) {
    if (candidate.origin == origin) out.push_back(candidate);
  }
  return out;
}

}  // namespace

TEST_CASE("a version is read from files of a libtorch, without opening it", "[libtorch][version]") {
  const support::TempFolder folder;
  const fs::path torch = folder / "torch";
  make_folders(torch / "include/torch/headeronly");
  CHECK(libtorch::version_of(torch).empty());

  make_folders(folder / "torch-2.9.1.dist-info");
  make_folders(folder / "torchvision-0.1.dist-info");
  CHECK(libtorch::version_of(torch) == "2.9.1");

  write_file(torch / "include/torch/headeronly/version.h", header("2", "10"));
  CHECK(libtorch::version_of(torch) == "2.10.0");

  write_file(torch / "version.py", "__version__ = '2.11.0+cu130'\n");
  CHECK(libtorch::version_of(torch) == "2.11.0+cu130");
  CHECK(libtorch::without_build(libtorch::version_of(torch)) == "2.11.0");
}

TEST_CASE("the first libtorch of the needed version is taken", "[libtorch][candidates]") {
  const support::TempFolder folder;
  libtorch::Surroundings around{.program_folder = folder / "site-packages/dlrun/bin",
                                .chosen = folder / "chosen/torch",
                                .venv = folder / "venv",
                                .conda = folder / "conda",
                                .cache = folder / "cache"};
  CHECK(taken(around) == "none");
  make_package(folder / ("cache/torch-" + kNeeded + "-cpu/torch"), kNeeded);
  CHECK(taken(around) == "cache");
  make_package(folder / "conda/lib/python3.12/site-packages/torch", kNeeded);
  CHECK(taken(around) == "CONDA_PREFIX");
  make_package(folder / "venv/lib/python3.11/site-packages/torch", kNeeded);
  CHECK(taken(around) == "VIRTUAL_ENV");
  const fs::path beside = make_package(folder / "site-packages/torch", kNeeded + "+cpu");
  CHECK(taken(around) == "beside dlrun");
  make_package(folder / "chosen/torch", kNeeded);
  CHECK(taken(around) == "DLRUN_TORCH");

  SECTION("DLRUN_TORCH may name the folder around the package") {
    around.chosen = folder / "chosen";
    CHECK(of("DLRUN_TORCH", around).at(0).folder == folder / "chosen/torch");
  }
  SECTION("another version is passed over, and both are named") {
    make_package(folder / "chosen/torch", "1.13.1+cu117");
    CHECK(taken(around) == "beside dlrun");
    CHECK(of("DLRUN_TORCH", around).at(0).fault == "is 1.13.1+cu117; needed is " + kNeeded);
  }
  SECTION("a package without its library is passed over") {
    fs::remove(beside / "lib/libtorch_cpu.so");
    CHECK(of("beside dlrun", around).at(0).fault == "has no lib/libtorch_cpu.so");
  }
}

TEST_CASE("a build folder's libtorch is a link above its programs", "[libtorch][candidates]") {
  const support::TempFolder folder;
  make_package(folder / "build/torch", kNeeded);
  CHECK(taken({.program_folder = folder / "build/bin", .chosen = {}, .venv = {}, .conda = {}, .cache = {}}) ==
        "beside dlrun");
}

TEST_CASE("the installer lies in an installation or in the checkout", "[libtorch][installer]") {
  const support::TempFolder folder;
  CHECK(libtorch::installer(folder / "build/release/bin").empty());
  make_folders(folder / "third_party");
  write_file(folder / "third_party/install", "checkout");
  CHECK(libtorch::installer(folder / "build/release/bin") == folder / "third_party/install");
  make_folders(folder / "build/release/share/dlrun/third_party");
  write_file(folder / "build/release/share/dlrun/third_party/install", "installation");
  CHECK(libtorch::installer(folder / "build/release/bin") == folder / "build/release/share/dlrun/third_party/install");
}

TEST_CASE("origins that name no place say so", "[libtorch][candidates]") {
  const auto all = libtorch::candidates({});
  REQUIRE(all.size() == 5);
  for (const libtorch::Candidate& candidate : all) {
    CHECK(candidate.folder.empty());
    CHECK_FALSE(candidate.fits());
  }
  CHECK(libtorch::describe(all).empty());
}

TEST_CASE("a refusal names every place, its fault, and the command that installs", "[libtorch][load]") {
  const support::TempFolder folder;
  const fs::path chosen = make_package(folder / "chosen", "1.13.1");
  const fs::path broken = make_package(folder / ("cache/torch-" + kNeeded + "-cpu/torch"), kNeeded);
  const auto all = libtorch::candidates(
      {.program_folder = {}, .chosen = chosen, .venv = folder / "venv", .conda = {}, .cache = folder / "cache"});
  CHECK_NOTHROW(libtorch::require(all));
  try {
    libtorch::load(all);
    FAIL("what is no library was opened");
  } catch (const Error& fault) {
    const std::string text = fault.what();
    CHECK_THAT(text, Contains("needs libtorch " + kNeeded));
    CHECK_THAT(text, Contains("'" + chosen.string() + "' (DLRUN_TORCH) is 1.13.1; needed is " + kNeeded));
    CHECK_THAT(text, Contains("(VIRTUAL_ENV) is not there"));
    CHECK_THAT(text, Contains("'" + broken.string() + "' (cache) cannot be loaded: "));
    CHECK_THAT(fault.hint(), Contains(libtorch::install_command()));
  }
}

}  // namespace libtorch_candidates_test
