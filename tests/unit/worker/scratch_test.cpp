// SPDX-License-Identifier: Apache-2.0
#include "worker/scratch.hpp"

#include "worker/courier.hpp"

#include "support.hpp"
#include "support/catch.hpp"
#include "trial/artifacts.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace scratch_test {

using namespace dlrun;
using namespace dlrun::worker;

namespace {

const std::string kA(64, 'a'), kB(64, 'b'), kC(64, 'c');

trial::WorkSetup their_setup() {
  trial::WorkSetup setup;
  setup.artifacts = "/store/artifacts";
  setup.trial = {{"kind", "train"}};
  return setup;
}

Json stored(const std::string& sha256) {
  return {{"from", "/store/artifacts/" + sha256.substr(0, 2) + "/" + sha256 + ".safetensors"}, {"sha256", sha256}};
}

trial::PieceOrder their_order() {
  trial::PieceOrder order = order_in("/store/studies/s/trials/17/p0.a1", Json::object());
  order.partial = "/store/studies/s/trials/17/p0.a0";
  order.shared = trial::StagePlace{1, "/store/studies/s/stages/x"};
  order.leaves = {{2, "/store/studies/s/stages/y"}};
  return order;
}

}  // namespace

TEST_CASE("what a piece reads of the store is found in its order", "[worker][scratch]") {
  trial::WorkSetup setup = their_setup();
  trial::PieceOrder order = their_order();
  CHECK(trial::artifacts_read(setup, order).empty());
  setup.trial["init"] = {{"from", "/home/me/weights.safetensors"}, {"sha256", kA}};
  CHECK(trial::artifacts_read(setup, order).empty());  // a file of the user's
  setup.trial["init"] = stored(kA);
  setup.trial["warm_start"] = {{"policy", "soup"},
                               {"donors", {{{"sha256", kB}}, {{"sha256", kB}}, {{"from", "/x"}, {"sha256", kC}}}}};
  CHECK(trial::artifacts_read(setup, order) == std::vector{kA, kB});
  order.sets["init"] = stored(kC);
  CHECK(trial::artifacts_read(setup, order) == std::vector{kC, kB});
  order.from_step = 1;  // a program that left no checkpoint begins again
  CHECK(trial::artifacts_read(setup, order) == std::vector{kC, kB});
  order.resume = kA;
  CHECK(trial::artifacts_read(setup, order) == std::vector{kA});
  order.resume = "../../etc/passwd";
  CHECK(trial::artifacts_read(setup, order).empty());
}

TEST_CASE("no path of an order leads out of the worker's own folder", "[worker][scratch]") {
  TempFolder folder;
  const Scratch scratch(folder.path() / "new" / "folder");
  trial::WorkSetup setup = their_setup();
  setup.trial["init"] = stored(kA);
  const trial::WorkSetup ours = scratch.setup(setup);
  CHECK(ours.artifacts == (scratch.path() / "artifacts").string());
  CHECK(ours.trial["init"]["from"] == trial::artifact_file(ours, kA).string());
  CHECK(ours.trial["init"]["sha256"] == kA);
  trial::PieceOrder order = their_order();
  order.sets["init"] = stored(kB);
  const trial::PieceOrder own = scratch.order(setup, order);
  CHECK_THAT(trial::to_json(own).dump(), !Contains("/store/"));
  CHECK_THAT(own.folder, Catch::Matchers::StartsWith(scratch.path().string()));
  order.attempt = 2;
  CHECK(scratch.order(setup, order).folder != own.folder);
}

TEST_CASE("a worker's own folder keeps what is read again, and goes with it", "[worker][scratch]") {
  TempFolder folder;
  {
    const Scratch scratch(folder.path()), other(folder.path());
    CHECK(scratch.path() != other.path());
    const trial::WorkSetup ours = scratch.setup(their_setup());
    for (const std::string& sha256 : {kA, kB}) {
      make_folders(trial::artifact_file(ours, sha256).parent_path());
      write_file(trial::artifact_file(ours, sha256), "x");
    }
    make_folders(scratch.path() / "attempts" / "17");
    scratch.keep_only({kB, kC});
    CHECK_FALSE(std::filesystem::exists(trial::artifact_file(ours, kA)));
    CHECK(std::filesystem::exists(trial::artifact_file(ours, kB)));
    CHECK(std::filesystem::is_empty(scratch.path() / "attempts"));
  }
  CHECK(std::filesystem::is_empty(folder.path()));
  write_file(folder.path() / "file", "x");
  CHECK_THROWS_AS(Scratch(folder.path() / "file" / "deeper"), Error);
}

// The driver refused it, which counted as the machine's fault: the piece was trained again and again.
TEST_CASE("an artifact that may not travel is known before it is offered", "[worker][scratch]") {
  trial::PieceResult result;
  CHECK(Courier::size_fault(result).empty());
  result.artifacts = {{"best", kA, 100}, {"last", kB, protocol::kMostBytes}};
  CHECK(Courier::size_fault(result).empty());
  result.artifacts.push_back({"epoch", kC, protocol::kMostBytes + 1});
  CHECK(Courier::size_fault(result) ==
        "its artifact 'epoch' has 4294967297 bytes, but workers with --scratch hand over at most 4294967296");
}

}  // namespace scratch_test
