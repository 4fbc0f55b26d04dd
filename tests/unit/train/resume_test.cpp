// SPDX-License-Identifier: Apache-2.0
// Wherever a training is cut, stopped, lost or repeated, not one bit of what it leaves may differ.
#include <fstream>

#include "support/catch.hpp"
#include "train/safetensors.hpp"
#include "unit/train/support.hpp"
#include "util/error.hpp"

namespace resume_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

std::vector<trial::Report> joined(const trial::PieceResult& a, const trial::PieceResult& b) {
  std::vector<trial::Report> all = a.reports;
  all.insert(all.end(), b.reports.begin(), b.reports.end());
  return all;
}

/// In pieces of one and three epochs.
void check_pieces(const Json& trial) {
  Fixture fixture(trial);
  const trial::PieceResult whole = fixture.run(fixture.order(0, 4));
  REQUIRE(whole.outcome == trial::Outcome::completed);
  const trial::PieceResult first = fixture.run(fixture.order(0, 1));
  trial::PieceOrder order = fixture.order(1, 4);
  order.resume = artifact(first, "last");
  const trial::PieceResult second = fixture.run(order);
  CHECK(artifact(second, "last") == artifact(whole, "last"));
  CHECK(artifact(second, "best") == artifact(whole, "best"));
  CHECK(joined(first, second) == whole.reports);
}

/// Stops after some steps, then goes on from that attempt's folder.
trial::PieceResult stopped_and_resumed(Fixture& fixture, std::int64_t steps, FakeHost& second) {
  FakeHost first(steps);
  CHECK_THROWS_AS(fixture.run(fixture.order(0, 4, "lost"), first), trial::Stopped);
  trial::PieceOrder order = fixture.order(0, 4, "again");
  order.partial = fixture.folder.make("lost");
  return fixture.run(order, second);
}

void change_byte(const std::filesystem::path& path, std::int64_t from_end) {
  std::string bytes = read_file(path);
  bytes[bytes.size() - std::size_t(from_end)] ^= 0x10;
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("pieces leave the same bits as one run, for every optimiser and schedule", "[train][resume]") {
  Json trial = digits_trial();
  const Json optimizer = GENERATE(
      Json{{"op", "sgd"}, {"lr", 0.05}}, Json{{"op", "sgd"}, {"lr", 0.05}, {"momentum", 0.9}, {"nesterov", true}},
      Json{{"op", "adam"}, {"lr", 0.01}, {"weight_decay", 0.001}},
      Json{{"op", "adamw"}, {"lr", 0.01}, {"amsgrad", true}}, Json{{"op", "nadam"}, {"lr", 0.01}},
      Json{{"op", "radam"}, {"lr", 0.01}}, Json{{"op", "adamax"}, {"lr", 0.01}},
      Json{{"op", "rmsprop"}, {"lr", 0.001}, {"momentum", 0.9}, {"centered", true}},
      Json{{"op", "adagrad"}, {"lr", 0.01}, {"lr_decay", 0.01}}, Json{{"op", "adadelta"}}, Json{{"op", "lion"}},
      Json{{"op", "muon"}, {"lr", 0.01}}, Json{{"op", "lamb"}, {"lr", 0.01}},
      Json{{"op", "lars"}, {"lr", 1}, {"weight_decay", 0.001}});
  const Json schedule =
      GENERATE(Json{{"op", "constant"}}, Json{{"op", "step"}, {"every", 2}}, Json{{"op", "cosine"}, {"warmup", 1}},
               Json{{"op", "plateau"}, {"patience", 0}, {"factor", 0.5}, {"threshold", 0.2}},
               Json{{"op", "sequence"}, {"parts", {{{"op", "linear"}, {"epochs", 1}}, {{"op", "one_cycle"}}}}});
  trial["optimizer"] = optimizer;
  trial["schedule"] = schedule;
  INFO(optimizer << schedule);
  check_pieces(trial);
}

TEST_CASE("accumulation, averages and clipping leave the same bits in pieces", "[train][resume]") {
  Json trial = digits_trial();
  trial["accumulate"] = GENERATE(1, 3);
  trial["ema"] = {{"decay", 0.9}};
  trial["clip_norm"] = 0.5;
  check_pieces(trial);
  Fixture fixture(trial);
  const trial::PieceResult whole = fixture.run(fixture.order(0, 4));
  for (const std::int64_t steps : {7, 15, 21, 29}) {
    FakeHost first(steps), second;
    const std::string lost = "lost" + std::to_string(steps);
    CHECK_THROWS_AS(fixture.run(fixture.order(0, 4, lost), first), trial::Stopped);
    trial::PieceOrder order = fixture.order(0, 4, "again" + std::to_string(steps));
    order.partial = fixture.folder.make(lost);
    CHECK(artifact(fixture.run(order, second), "last") == artifact(whole, "last"));
  }
}

TEST_CASE("patience ends a trial at the same epoch in pieces as in one run", "[train][resume]") {
  Json trial = digits_trial();
  trial["optimizer"] = {{"op", "sgd"}, {"lr", 1e-300}};  // 0 in float
  trial["model"]["nodes"] = {{{"name", "head"}, {"op", "linear"}, {"out", "classes"}, {"role", "head"}}};
  trial["stop"] = {{"patience", 1}};
  Fixture fixture(trial);
  const trial::PieceResult whole = fixture.run(fixture.order(0, 4));
  CHECK(whole.outcome == trial::Outcome::early);
  CHECK(whole.reports.size() == 3);
  const trial::PieceResult first = fixture.run(fixture.order(0, 2));
  CHECK(first.outcome == trial::Outcome::completed);
  trial::PieceOrder order = fixture.order(2, 4);
  order.resume = artifact(first, "last");
  const trial::PieceResult second = fixture.run(order);
  CHECK(second.outcome == trial::Outcome::early);
  CHECK(joined(first, second) == whole.reports);
  CHECK(artifact(second, "last") == artifact(whole, "last"));
}

TEST_CASE("accumulated batches train as one large batch does", "[train]") {
  Json trial = digits_trial();
  trial["model"]["nodes"] = {{{"name", "head"}, {"op", "linear"}, {"out", "classes"}, {"role", "head"}}};
  trial["batch_size"] = 64;
  Fixture large(trial);
  trial["batch_size"] = 16;
  trial["accumulate"] = 4;
  Fixture small(trial);
  const trial::PieceResult a = large.run(large.order(0, 4)), b = small.run(small.order(0, 4));
  for (const char* name : {"val.loss", "train.loss"}) {
    CHECK(metric(b.reports.back(), name) == Approx(metric(a.reports.back(), name)).epsilon(1e-4));
  }
}

TEST_CASE("the averaged weights are measured, and kept beside the last", "[train]") {
  Json trial = digits_trial();
  Fixture plain(trial);
  trial["ema"] = {{"decay", 0.99}};
  Fixture averaged(trial);
  const trial::PieceResult a = plain.run(plain.order(0, 2)), b = averaged.run(averaged.order(0, 2));
  CHECK(metric(a.reports.back(), "train.loss") == metric(b.reports.back(), "train.loss"));
  CHECK(metric(a.reports.back(), "val.loss") != metric(b.reports.back(), "val.loss"));
  const SafeTensors file(fetch(averaged.setup.artifacts, artifact(b, "last")), "checkpoint");
  CHECK(file.find("average.fc1.weight"));
  CHECK_FALSE(file.find("average.bn1.running_mean"));
  CHECK(file.find("model.fc1.weight")->bytes != file.find("average.fc1.weight")->bytes);
}

TEST_CASE("a convolutional net in pieces leaves the same bits as in one run", "[train][resume]") {
  Json trial = digits_trial();
  trial["model"]["nodes"] = {{{"name", "img"}, {"op", "reshape"}, {"shape", {1, 8, 8}}},
                             {{"name", "conv1"}, {"op", "conv2d"}, {"out", 8}, {"k", 3}, {"pad", "same"}},
                             {{"name", "bn1"}, {"op", "batchnorm"}},
                             {{"name", "act1"}, {"op", "gelu"}},
                             {{"name", "pool1"}, {"op", "maxpool"}, {"k", 2}},
                             {{"name", "drop1"}, {"op", "dropout"}, {"p", 0.1}},
                             {{"name", "flat"}, {"op", "flatten"}},
                             {{"name", "ln"}, {"op", "layernorm"}},
                             {{"name", "head"}, {"op", "linear"}, {"out", "classes"}, {"role", "head"}}};
  trial["clip_norm"] = 1.0;
  check_pieces(trial);
}

TEST_CASE("nets of sequences and graphs in pieces leave the same bits as in one run", "[train][resume]") {
  // The image as eight rows of eight numbers, or as the edges between them; every kind with its dropout on.
  const char* const rows = R"({"name":"rows","op":"reshape","shape":[8,8]},)";
  const std::string layers = GENERATE(
      R"({"op":"lstm","hidden":6,"layers":2,"bidirectional":true,"dropout":0.3,"output":"last"})",
      R"({"op":"gru","hidden":6,"layers":2,"dropout":0.3},{"op":"sequence_pool","mode":"max"})",
      R"({"op":"class_token"},{"op":"positional_encoding","kind":"learned"},
         {"op":"transformer_encoder_layer","heads":2,"feedforward":12,"dropout":0.2,"repeat":2},
         {"op":"sequence_pool","mode":"first"})",
      R"({"op":"multi_head_attention","heads":2,"dropout":0.2,"causal":true},{"op":"sequence_pool","mode":"last"})",
      R"({"op":"transformer_decoder_layer","heads":2,"feedforward":12,"activation":"swiglu","from":["rows","rows"]},
         {"op":"sequence_pool"})",
      R"({"op":"graph_attention","heads":2,"out":4,"dropout":0.2,"from":["rows","rows"]},{"op":"flatten"})",
      R"({"op":"flatten"},{"op":"feature_tokenizer","out":4},{"op":"sequence_pool","mode":"max"})",
      R"({"op":"reshape","shape":[1,8,8]},{"op":"patch_embedding","k":4,"out":8},{"op":"flatten"})");
  INFO(layers);
  Json trial = digits_trial();
  trial["model"]["nodes"] = parse_json(
      "[" + std::string(rows) + layers + R"(,{"name":"head","op":"linear","out":"classes","role":"head"}])", "nodes");
  check_pieces(trial);
}

TEST_CASE("stopped at any step, it goes on from there to the same bits", "[train][resume]") {
  Fixture fixture;
  const trial::PieceResult whole = fixture.run(fixture.order(0, 4));
  const std::int64_t steps = GENERATE(0, 1, 7, 19, 20, 21, 45, 70);
  FakeHost host;
  const trial::PieceResult result = stopped_and_resumed(fixture, steps, host);
  CHECK(artifact(result, "last") == artifact(whole, "last"));
  CHECK(artifact(result, "best") == artifact(whole, "best"));
  CHECK(result.reports == whole.reports);
  CHECK_THAT(host.lines.front(), Contains("resumed from"));
}

TEST_CASE("augmented and sampled batches are the same after a stop, and prepared ahead", "[train][resume]") {
  Json trial = digits_trial();
  trial["data"]["augment"] = {{{"op", "noise"}, {"std", 0.1}}, {{"op", "mixup"}, {"alpha", 0.4}, {"p", 0.7}}};
  trial["data"]["sampler"] = "balanced";
  trial["data"]["prefetch"] = 0;
  Fixture fixture(trial);
  const trial::PieceResult whole = fixture.run(fixture.order(0, 4));
  trial["data"]["prefetch"] = 2;
  Fixture ahead(trial);
  FakeHost host;
  const trial::PieceResult result = stopped_and_resumed(ahead, GENERATE(1, 20, 47), host);
  CHECK(artifact(result, "last") == artifact(whole, "last"));
  CHECK(artifact(result, "best") == artifact(whole, "best"));
  CHECK(result.reports == whole.reports);
}

TEST_CASE("a damaged newest checkpoint gives way to the one before it", "[train][resume]") {
  Fixture fixture;
  const trial::PieceResult whole = fixture.run(fixture.order(0, 4));
  FakeHost first(70);
  CHECK_THROWS_AS(fixture.run(fixture.order(0, 4, "lost"), first), trial::Stopped);
  const auto files = CheckpointFolder::newest_first(fixture.folder.make("lost"));
  REQUIRE(files.size() == 2);
  std::size_t damaged = 1;
  SECTION("truncated") { std::filesystem::resize_file(files[0], 1000); }
  SECTION("empty") { std::filesystem::resize_file(files[0], 0); }
  SECTION("a bit of the data flipped") { change_byte(files[0], 100); }
  SECTION("a bit of the header flipped") { change_byte(files[0], std::int64_t(read_file(files[0]).size()) - 40); }
  SECTION("both") {
    change_byte(files[0], 100);
    std::filesystem::resize_file(files[1], 1000);
    damaged = 2;
  }
  trial::PieceOrder order = fixture.order(0, 4, "again");
  order.partial = fixture.folder.make("lost");
  FakeHost host;
  const trial::PieceResult result = fixture.run(order, host);
  CHECK(artifact(result, "last") == artifact(whole, "last"));
  CHECK(artifact(result, "best") == artifact(whole, "best"));
  CHECK(result.reports == whole.reports);
  for (std::size_t i = 0; i < damaged; ++i) CHECK_THAT(host.lines[i], Contains("not resumed from"));
}

TEST_CASE("a lost best checkpoint is trained again", "[train][resume]") {
  Fixture fixture;
  const trial::PieceResult whole = fixture.run(fixture.order(0, 4));
  FakeHost first(70);
  CHECK_THROWS_AS(fixture.run(fixture.order(0, 4, "lost"), first), trial::Stopped);
  for (int epoch = 1; epoch <= 4; ++epoch) {
    std::filesystem::remove(CheckpointFolder::best_path(fixture.folder.make("lost"), epoch));
  }
  trial::PieceOrder order = fixture.order(0, 4, "again");
  order.partial = fixture.folder.make("lost");
  const trial::PieceResult result = fixture.run(order);
  CHECK(artifact(result, "last") == artifact(whole, "last"));
  CHECK(artifact(result, "best") == artifact(whole, "best"));
}

TEST_CASE("checkpoints of another trial in the folder are not taken", "[train][resume]") {
  Fixture fixture;
  const trial::PieceResult whole = fixture.run(fixture.order(0, 4));
  trial::PieceOrder other = fixture.order(0, 4, "lost");
  other.sets = {{"optimizer.lr", 0.01}};
  FakeHost first(50);
  CHECK_THROWS_AS(fixture.run(other, first), trial::Stopped);
  trial::PieceOrder order = fixture.order(0, 4, "again");
  order.partial = fixture.folder.make("lost");
  FakeHost host;
  CHECK(artifact(fixture.run(order, host), "last") == artifact(whole, "last"));
  CHECK_THAT(host.lines.front(), Contains("other settings"));
}

TEST_CASE("a checkpoint of another piece is not taken", "[train][resume]") {
  Fixture fixture;
  FakeHost lost(50), host;  // in the third epoch: one has 20 steps
  CHECK_THROWS_AS(fixture.run(fixture.order(0, 4, "lost"), lost), trial::Stopped);
  trial::PieceOrder order = fixture.order(0, 1, "short");
  const trial::PieceResult alone = fixture.run(order);
  SECTION("of a later one") {
    order = fixture.order(0, 1, "again");
    order.partial = fixture.folder.make("lost");
    const trial::PieceResult result = fixture.run(order, host);
    CHECK(result.artifacts == alone.artifacts);
    CHECK(result.reports == alone.reports);
    CHECK(host.reports.size() == 1);
  }
  SECTION("of an earlier one") {
    order = fixture.order(3, 4, "again");
    order.resume = artifact(fixture.run(fixture.order(0, 3, "first")), "last");
    order.partial = fixture.folder.make("lost");
    CHECK(fixture.run(order, host).outcome == trial::Outcome::completed);
    CHECK(host.reports.size() == 1);  // the fourth epoch alone is trained
  }
  CHECK_THAT(host.lines.front(), Contains("it is at epoch 2, outside of this piece"));
}

TEST_CASE("the newest sound checkpoint is taken", "[train][resume]") {
  Fixture fixture;
  FakeHost host;
  stopped_and_resumed(fixture, 50, host);
  CHECK_THAT(host.lines.front(), Contains("epoch 2, step 48"));  // an epoch has 20 steps and one part to validate
  CHECK(host.reports.size() == 2);
}

TEST_CASE("how often it saves changes no bit", "[train][resume]") {
  Fixture often, never(digits_trial(), {.least = std::chrono::hours(1)});
  CHECK(artifact(often.run(often.order(0, 4)), "last") == artifact(never.run(never.order(0, 4)), "last"));
  CHECK(CheckpointFolder::newest_first(never.folder.make("a1")).empty());
  CHECK(CheckpointFolder::newest_first(often.folder.make("a1")).size() == 2);
}

TEST_CASE("a trial gives the same bits after other trials in the same process", "[train][resume]") {
  Fixture fixture;
  const std::string first = artifact(fixture.run(fixture.order(0, 4)), "last");
  for (const int width : {8, 100, 33}) {
    trial::PieceOrder other = fixture.order(0, 2);
    other.sets = {{"model.nodes.fc1.out", width}, {"optimizer", {{"op", "adam"}, {"lr", 0.01}}}};
    CHECK(fixture.run(other).outcome == trial::Outcome::completed);
  }
  CHECK(artifact(fixture.run(fixture.order(0, 4, "a2")), "last") == first);
}

TEST_CASE("an artifact that is damaged, missing or another trial's is refused", "[train][resume]") {
  Fixture fixture;
  trial::PieceOrder order = fixture.order(1, 2);
  order.resume = artifact(fixture.run(fixture.order(0, 1)), "last");
  const std::filesystem::path path = artifact_path(fixture.setup.artifacts, order.resume);
  SECTION("damaged") {
    change_byte(path, 50);
    CHECK_THROWS_WITH(fixture.run(order), Contains("is damaged"));
  }
  SECTION("truncated") {
    std::filesystem::resize_file(path, 100);
    CHECK_THROWS_WITH(fixture.run(order), Contains("is damaged"));
  }
  SECTION("missing") {
    std::filesystem::remove(path);
    CHECK_THROWS_WITH(fixture.run(order), Contains("is missing"));
  }
  SECTION("no hash") {
    order.resume = "../../etc/passwd";
    CHECK_THROWS_WITH(fixture.run(order), Contains("is no SHA-256"));
  }
  SECTION("of another model") {
    order.sets = {{"model.nodes.fc1.out", 16}};
    CHECK_THROWS_WITH(fixture.run(order), Contains("cannot be restored"));
  }
  SECTION("of another seed") {
    order.seed = 8;
    CHECK_THROWS_WITH(fixture.run(order), Contains("its seed is 7, not 8"));
  }
  SECTION("at another epoch") {
    order.from_step = 3;
    order.to_step = 4;
    CHECK_THROWS_WITH(fixture.run(order), Contains("is at epoch 1, but the piece begins at 3"));
  }
  SECTION("none given") {
    order.resume.clear();
    CHECK_THROWS_WITH(fixture.run(order), Contains("needs an artifact"));
  }
}

}  // namespace resume_test
