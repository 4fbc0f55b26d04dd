// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "trial/runner.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "worker/trainer.hpp"

namespace trainer_library_test {

using namespace dlrun;

namespace {

class QuietHost final : public trial::Host {
 public:
  void report(const trial::Report&) override { ++reports; }
  void step() override {}
  bool is_stopping() const override { return stops; }
  void log(const std::string&) override {}
  int reports = 0;
  bool stops = false;
};

trial::WorkSetup setup_in(const std::filesystem::path& folder) {
  trial::WorkSetup setup;
  setup.trial = {{"kind", "train"},
                 {"data",
                  {{"op", "csv"},
                   {"path", DLRUN_SOURCE_DIR "/examples/digits/data/digits.csv.gz"},
                   {"header", false},
                   {"target", -1}}},
                 {"model",
                  {{"nodes",
                    {{{"name", "fc1"}, {"op", "linear"}, {"out", 16}},
                     {{"name", "act1"}, {"op", "relu"}},
                     {{"name", "head"}, {"op", "linear"}, {"out", "classes"}}}}}},
                 {"optimizer", {{"op", "sgd"}, {"lr", 0.05}}},
                 {"epochs", 2}};
  setup.metric = "val.accuracy";
  setup.maximize = true;
  setup.artifacts = folder / "artifacts";
  return setup;
}

trial::PieceOrder order_in(const std::filesystem::path& folder) {
  trial::PieceOrder order;
  order.key.member.trial = trial::TrialId(0);
  order.to_step = 2;
  order.seed = 7;
  order.folder = folder / "attempt";
  make_folders(order.folder);
  return order;
}

/// "DEFAULT", "AVX2" or "AVX512": at::get_cpu_capability of the libtorch that the trainer brought.
std::string cpu_capability() {
  void* torch = ::dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD);
  REQUIRE(torch);
  const auto ask = reinterpret_cast<std::string (*)()>(::dlsym(torch, "_ZN2at18get_cpu_capabilityB5cxx11Ev"));
  REQUIRE(ask);
  return ask();
}

}  // namespace

TEST_CASE("the trainer library trains behind its one symbol", "[trainer][native]") {
  const support::TempFolder folder;
  const auto runner = worker::make_trainer(worker::program_folder(), setup_in(folder.path()));
  QuietHost host;
  const trial::PieceResult result = runner->run(order_in(folder.path()), host);
  CHECK(result.outcome == trial::Outcome::completed);
  CHECK(result.reports.size() == 2);
  CHECK(host.reports == 2);
  REQUIRE(result.artifacts.size() == 1);
  CHECK(std::filesystem::exists(folder.path() / "artifacts" / result.artifacts[0].sha256.substr(0, 2) /
                                (result.artifacts[0].sha256 + ".safetensors")));
}

TEST_CASE("errors and stops cross the library's border as what they are", "[trainer][native]") {
  const support::TempFolder folder;
  trial::WorkSetup setup = setup_in(folder.path());
  QuietHost host;
  SECTION("a stop") {
    host.stops = true;
    CHECK_THROWS_AS(worker::make_trainer(worker::program_folder(), setup)->run(order_in(folder.path()), host),
                    trial::Stopped);
  }
  SECTION("a wrong configuration") {
    setup.trial["optimizer"] = {{"op", "sdg"}};
    try {
      worker::make_trainer(worker::program_folder(), setup)->run(order_in(folder.path()), host);
      FAIL("no error");
    } catch (const Error& fault) {
      CHECK(fault.kind() == ErrorKind::usage);
      CHECK(fault.what() == std::string("optimizer.op: there is no 'sdg'"));
      CHECK(fault.hint() == "did you mean 'sgd'?");
    }
  }
  SECTION("a device that is not there") {
    setup.device = "gpu";
    CHECK_THROWS_WITH(worker::make_trainer(worker::program_folder(), setup), Contains("there is no 'gpu'"));
  }
}

TEST_CASE("a portable study caps the instruction set before libtorch looks", "[trainer][portable]") {
  const support::TempFolder folder;
  trial::WorkSetup setup = setup_in(folder.path());
  setup.determinism = "portable";
  const auto runner = worker::make_trainer(worker::program_folder(), setup);
  QuietHost host;
  CHECK(runner->run(order_in(folder.path()), host).outcome == trial::Outcome::completed);
  CHECK((cpu_capability() == "AVX2" || cpu_capability() == "DEFAULT"));
}

}  // namespace trainer_library_test
