// SPDX-License-Identifier: Apache-2.0
// A training over several devices has the bits of one device.
#include <map>

#include "support/catch.hpp"
#include "train/safetensors.hpp"
#include "unit/train/support.hpp"

namespace placed_training_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

Json branches() {
  Json trial = digits_trial();
  trial["epochs"] = 2;
  trial["model"]["nodes"] = {{{"name", "a"}, {"op", "linear"}, {"out", 24}},
                             {{"name", "t"}, {"op", "tanh"}},
                             {{"name", "b"}, {"op", "linear"}, {"out", 24}, {"from", "input"}},
                             {{"name", "bn"}, {"op", "batchnorm"}},
                             {{"name", "drop"}, {"op", "dropout"}, {"p", 0.2}},
                             {{"name", "sum"}, {"op", "add"}, {"from", {"t", "drop"}}},
                             {{"name", "head"}, {"op", "linear"}, {"out", "classes"}, {"role", "head"}}};
  return trial;
}

std::optional<double> metric(const trial::Report& report, const std::string& name) {
  for (const trial::Metric& one : report.metrics) {
    if (one.name == name) return one.value;
  }
  return std::nullopt;
}

/// Bytes of every tensor of the last checkpoint: weights, running statistics, state of the optimiser.
std::map<std::string, std::string> tensors_of(Fixture& fixture, const trial::PieceResult& result) {
  const SafeTensors file(fetch(fixture.setup.artifacts, artifact(result, "last")), "checkpoint");
  std::map<std::string, std::string> all;
  for (const auto& tensor : file.tensors()) all.emplace(tensor.name, tensor.bytes);
  return all;
}

}  // namespace

TEST_CASE("a placed training ends with the tensors of one device", "[train][placed]") {
  Fixture alone(branches());
  const trial::PieceResult expected = alone.run(alone.order(0, 2));
  Json trial = branches();
  trial["placement"] =
      GENERATE(Json{{"op", "auto"}}, Json{{"op", "auto"}, {"placer", "round-robin"}, {"order", "bfs"}},
               Json{{"op", "file"},
                    {"path", "p.json"},
                    {"nodes", {{"a", 0}, {"t", 2}, {"b", 1}, {"bn", 1}, {"drop", 0}, {"sum", 2}, {"head", 0}}}});
  Fixture placed(trial);
  placed.setup.devices = 3;
  const trial::PieceResult found = placed.run(placed.order(0, 2));
  const auto tensors = tensors_of(placed, found);
  CHECK(tensors.size() > 10);
  CHECK((tensors == tensors_of(alone, expected)));
  CHECK(metric(found.reports.back(), "val.loss") == metric(expected.reports.back(), "val.loss"));
  CHECK(metric(found.reports.back(), "placement.seconds").value_or(0) > 0);
  CHECK_FALSE(metric(expected.reports.back(), "placement.seconds"));
}

// An epoch has 20 batches, of which three make a step: the last step has two.
TEST_CASE("a training through a pipeline ends with the tensors of one device", "[train][placed][pipeline]") {
  Json trial = branches();
  trial["accumulate"] = 3;
  trial["epochs"] = 4;
  trial["swa"] = {{"start", 0.5}};  // statistics of batch norm are measured anew
  Fixture alone(trial);
  const trial::PieceResult expected = alone.run(alone.order(0, 4));
  const Json nodes = {{"a", 0}, {"t", 0}, {"b", 0}, {"bn", 1}, {"drop", 1}, {"sum", 1}, {"head", 2}};
  trial["placement"] = GENERATE_COPY(Json{{"op", "auto"}, {"schedule", "1f1b"}},
                                     Json{{"op", "auto"}, {"placer", "split"}, {"schedule", "gpipe"}},
                                     Json{{"op", "file"}, {"path", "p.json"}, {"nodes", nodes}, {"schedule", "gpipe"}},
                                     Json{{"op", "file"}, {"path", "p.json"}, {"nodes", nodes}, {"schedule", "1f1b"}});
  Fixture placed(trial);
  placed.setup.devices = 3;
  const trial::PieceResult found = placed.run(placed.order(0, 4));
  CHECK((tensors_of(placed, found) == tensors_of(alone, expected)));
  CHECK(metric(found.reports.back(), "train.loss") == metric(expected.reports.back(), "train.loss"));
  CHECK(metric(found.reports.back(), "placement.seconds").value_or(0) > 0);
}

}  // namespace placed_training_test
