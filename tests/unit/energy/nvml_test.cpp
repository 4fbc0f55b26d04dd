// SPDX-License-Identifier: Apache-2.0
// NVIDIA's library, played by one of ours that reads a file.
#include "energy/nvml.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/catch.hpp"
#include "support/temp_folder.hpp"

namespace nvml_test {

using namespace dlrun;
using namespace dlrun::energy;

namespace {

struct Cards {
  support::TempFolder folder;
  explicit Cards(const std::string& text) {
    set(text);
    ::setenv("DLRUN_FAKE_NVML", (folder / "cards").c_str(), 1);
    ::setenv("TMPDIR", folder.path().c_str(), 1);
    ::unsetenv("CUDA_DEVICE_ORDER");
  }
  ~Cards() {
    ::unsetenv("DLRUN_FAKE_NVML");
    ::unsetenv("TMPDIR");
  }
  void set(const std::string& text) const { std::ofstream(folder / "cards") << text; }
  static Counters open(const std::vector<std::string>& gpus, bool claims = false) {
    return open_nvml(DLRUN_FAKE_LIBRARY, gpus, claims);
  }
};

}  // namespace

TEST_CASE("a card's joules are what it has added up since", "[energy][nvml]") {
  const Cards cards("GPU-aa H100 5000000 90000\nGPU-bb H100 7000 80000\n");
  const Counters found = Cards::open({"1", "GPU-aa"});
  REQUIRE(found.counters.size() == 2);
  CHECK(found.reason.empty());
  CHECK(found.counters[0]->source() == Source::gpu);
  CHECK(found.counters[0]->device() == "1");
  CHECK(found.counters[1]->device() == "GPU-aa");
  cards.set("GPU-aa H100 5250000 90000\nGPU-bb H100 7500 80000\n");
  CHECK(found.counters[0]->read_joules(1).value() == Approx(0.5));
  CHECK(found.counters[1]->read_joules(1).value() == Approx(250));
}

TEST_CASE("an older card's joules are the area below its power", "[energy][nvml]") {
  const Cards cards("GPU-aa P100 - 100000\n");
  const Counters found = Cards::open({"0"});
  Counter& counter = *found.counters.at(0);
  cards.set("GPU-aa P100 - 200000\n");
  CHECK(counter.read_joules(2).value() == Approx(300));
  CHECK(counter.read_joules(0.5).value() == Approx(100));
  CHECK_FALSE(counter.read_joules(6));  // nobody looked for too long
  cards.set("GPU-aa P100 - 4000000\n");
  CHECK_FALSE(counter.read_joules(1));
}

TEST_CASE("a card that was reset, jumps, stands still or is gone is not known, and counts again afterwards",
          "[energy][nvml]") {
  const Cards cards("GPU-aa H100 5000000 90000\n");
  const Counters found = Cards::open({"GPU-aa"});
  Counter& counter = *found.counters.at(0);
  SECTION("reset") { cards.set("GPU-aa H100 10 90000\n"); }
  SECTION("jumps") { cards.set("GPU-aa H100 5000000000 90000\n"); }
  SECTION("stands still") {}
  SECTION("gone") { cards.set(""); }
  CHECK_FALSE(counter.read_joules(3));
  cards.set("GPU-aa H100 6000000 90000\n");
  counter.read_joules(1);
  cards.set("GPU-aa H100 6090000 90000\n");
  CHECK(counter.read_joules(1).value() == Approx(90));
}

TEST_CASE("a card is found by how its UUID begins, where only one does", "[energy][nvml]") {
  const Cards cards("GPU-aa1 H100 1 1\nGPU-aa2 H100 1 1\nGPU-bb H100 1 1\n");
  CHECK(Cards::open({"GPU-aa2", "GPU-b"}).counters.size() == 2);
  CHECK_THAT(Cards::open({"GPU-aa"}).reason, Contains("NVML knows no GPU 'GPU-aa'"));
  CHECK_THAT(Cards::open({"3"}).reason, Contains("NVML knows no GPU '3'"));
  CHECK_THAT(Cards::open({"MIG-GPU-bb/1/0"}).reason, Contains("(MIG) is not counted"));
}

TEST_CASE("cards of several kinds have no number that CUDA and NVML agree on", "[energy][nvml]") {
  const Cards cards("GPU-aa H100 1 1\nGPU-bb L4 1 1\n");
  CHECK(Cards::open({"0"}).counters.empty());
  CHECK_THAT(Cards::open({"0"}).reason, Contains("CUDA_DEVICE_ORDER=PCI_BUS_ID"));
  CHECK(Cards::open({"GPU-bb"}).counters.size() == 1);
  ::setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
  CHECK(Cards::open({"0"}).counters.size() == 1);
}

TEST_CASE("a card that tells nothing, and a machine without the library or a driver", "[energy][nvml]") {
  const Cards cards("GPU-aa K80 - -\n");
  CHECK_THAT(Cards::open({"0"}).reason, Contains("tells neither energy nor power"));
  CHECK_THAT(open_nvml("/nowhere/libnvidia-ml.so.1", {"0"}, false).reason, Contains("cannot be opened"));
  ::unsetenv("DLRUN_FAKE_NVML");
  CHECK_THAT(Cards::open({"0"}).reason, Contains("finds no driver"));
}

TEST_CASE("of two drivers that name a card the first counts it", "[energy][nvml]") {
  const Cards cards("GPU-aa H100 1 1\n");
  const Counters first = Cards::open({"0"}, true);
  CHECK(first.counters.size() == 1);
  CHECK_THAT(Cards::open({"GPU-aa"}, true).reason, Contains("another driver"));
  CHECK(Cards::open({"GPU-aa"}, false).counters.size() == 1);
}

// A lock made under umask 077 kept the drivers of all other users from counting, for good.
TEST_CASE("all users may open the lock of a card, and one that is closed is named", "[energy][nvml]") {
  const Cards cards("GPU-aa H100 1 1\n");
  const std::filesystem::path lock = cards.folder / "dlrun-energy-GPU-aa.lock";
  const mode_t before = ::umask(077);
  const Counters found = Cards::open({"0"}, true);
  ::umask(before);
  CHECK(found.counters.size() == 1);
  CHECK((std::filesystem::status(lock).permissions() & std::filesystem::perms(0444)) == std::filesystem::perms(0444));
  std::filesystem::remove(lock);
  REQUIRE(::mknod(lock.c_str(), S_IFSOCK | 0600, 0) == 0);  // nobody can open it, root neither
  for (const bool claims : {true, false}) CHECK_THAT(Cards::open({"0"}, claims).reason, Contains("cannot be opened"));
}

TEST_CASE("the fullest card says how much memory is free", "[energy][nvml]") {
  const Cards cards("GPU-aa H100 1 1\nGPU-bb H100 1 1\n");
  const auto free = [](const std::vector<std::string>& gpus) { return free_gpu_memory(DLRUN_FAKE_LIBRARY, gpus); };
  CHECK_FALSE(free({"0"}));  // a card that does not tell
  ::setenv("DLRUN_FAKE_FREE", "75", 1);
  CHECK(free({"0", "GPU-bb"}).value() == Approx(0.75));
  CHECK_FALSE(free({"0", "2"}));
  CHECK_FALSE(free({}));
  CHECK_FALSE(free_gpu_memory("/nowhere.so", {"0"}));
  ::unsetenv("DLRUN_FAKE_FREE");
}

}  // namespace nvml_test
