// SPDX-License-Identifier: Apache-2.0
// Counters of the kernel, played by files.
#include "energy/rapl.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/catch.hpp"
#include "support/temp_folder.hpp"

namespace rapl_test {

using namespace dlrun;
using namespace dlrun::energy;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kRange = 262'143'328'850;  ///< microjoules, as of a Xeon

/// A folder as /sys/class/powercap.
struct Powercap {
  support::TempFolder folder;

  void write(const std::string& zone, const char* file, const std::string& text) const {
    std::ofstream(folder / zone / file) << text << '\n';
  }
  void set(const std::string& zone, std::uint64_t microjoules) const {
    write(zone, "energy_uj", std::to_string(microjoules));
  }
  void add(const std::string& zone, const std::string& name, std::uint64_t microjoules) const {
    fs::create_directory(folder / zone);
    write(zone, "name", name);
    write(zone, "max_energy_range_uj", std::to_string(kRange));
    set(zone, microjoules);
  }
};

}  // namespace

TEST_CASE("packages and their memory are counted, what is part of them is not", "[energy][rapl]") {
  const Powercap powercap;
  powercap.add("intel-rapl:0", "package-0", 5'000'000);
  powercap.add("intel-rapl:0:0", "core", 1);
  powercap.add("intel-rapl:0:1", "dram", 7'000'000);
  powercap.add("intel-rapl:1", "package-1-die-0", 0);
  powercap.add("intel-rapl:2", "psys", 9);
  powercap.add("intel-rapl-mmio:0", "package-0", 5'000'000);
  const Counters found = open_rapl(powercap.folder.path(), false);
  REQUIRE(found.counters.size() == 3);
  CHECK(found.reason.empty());
  CHECK(found.counters[0]->source() == Source::cpu);
  CHECK(found.counters[1]->source() == Source::dram);
  CHECK(found.counters[2]->source() == Source::cpu);
  powercap.set("intel-rapl:0", 12'500'000);
  CHECK(found.counters[0]->read_joules(1).value() == Approx(7.5));
}

TEST_CASE("a counter that comes to its end begins again", "[energy][rapl]") {
  const Powercap powercap;
  powercap.add("intel-rapl:0", "package-0", kRange - 2'000'000);
  const Counters found = open_rapl(powercap.folder.path(), false);
  powercap.set("intel-rapl:0", 3'000'000);
  CHECK(found.counters.at(0)->read_joules(0.5).value() == Approx(5));
  powercap.set("intel-rapl:0", 4'000'000);
  CHECK(found.counters.at(0)->read_joules(0.5).value() == Approx(1));
}

TEST_CASE("a counter that was set back, stands still or jumps is not known, and counts again afterwards",
          "[energy][rapl]") {
  const Powercap powercap;
  powercap.add("intel-rapl:0", "package-0", 90'000'000'000);
  const Counters found = open_rapl(powercap.folder.path(), false);
  Counter& counter = *found.counters.at(0);
  SECTION("set back") { powercap.set("intel-rapl:0", 1'000'000); }
  SECTION("stands still") {}
  SECTION("jumps") { powercap.set("intel-rapl:0", 200'000'000'000); }
  SECTION("no number") { powercap.write("intel-rapl:0", "energy_uj", "12a"); }
  SECTION("negative") { powercap.write("intel-rapl:0", "energy_uj", "-5"); }
  SECTION("empty") { std::ofstream(powercap.folder / "intel-rapl:0/energy_uj"); }
  SECTION("gone") { fs::remove_all(powercap.folder / "intel-rapl:0"); }
  CHECK_FALSE(counter.read_joules(3));
  powercap.add("intel-rapl:0", "package-0", 100'000'000'000);
  counter.read_joules(1);
  powercap.set("intel-rapl:0", 100'002'000'000);
  CHECK(counter.read_joules(1).value() == Approx(2));
}

TEST_CASE("a span that may hold several rounds of a counter is not known", "[energy][counter]") {
  CHECK(spent_between({.before = 10, .now = 20'000'010, .range = kRange, .seconds = 60}).value() == Approx(20));
  CHECK_FALSE(spent_between({.before = 10, .now = 20'000'010, .range = kRange, .seconds = 90}));
  CHECK_FALSE(spent_between({.before = 10, .now = 9, .range = 0, .seconds = 1}));
  CHECK_FALSE(spent_between({.before = kRange + 5, .now = 9, .range = kRange, .seconds = 1}));
}

TEST_CASE("a counter that this user may not read is said to be so", "[energy][rapl]") {
  const Powercap powercap;
  powercap.add("intel-rapl:0", "package-0", 5);
  fs::permissions(powercap.folder / "intel-rapl:0/energy_uj", fs::perms::none);
  if (::geteuid() == 0) return;  // root may read everything
  const Counters found = open_rapl(powercap.folder.path(), false);
  CHECK(found.counters.empty());
  CHECK_THAT(found.reason, Contains("may be read by root only"));
}

TEST_CASE("of two drivers on one machine the first counts", "[energy][rapl]") {
  const Powercap powercap;
  powercap.add("intel-rapl:0", "package-0", 5);
  auto first = std::make_unique<Counters>(open_rapl(powercap.folder.path(), true));
  CHECK(first->counters.size() == 1);
  const Counters second = open_rapl(powercap.folder.path(), true);
  CHECK(second.counters.empty());
  CHECK_THAT(second.reason, Contains("another driver on this machine counts"));
  CHECK(open_rapl(powercap.folder.path(), false).counters.size() == 1);
  first.reset();
  CHECK(open_rapl(powercap.folder.path(), true).counters.size() == 1);
}

TEST_CASE("where the kernel shows nothing, nothing is counted", "[energy][rapl]") {
  const support::TempFolder empty;
  CHECK(open_rapl(empty.path(), true).counters.empty());
  CHECK_THAT(open_rapl(empty / "none", true).reason, Contains("shows no CPU package"));
}

}  // namespace rapl_test
