// SPDX-License-Identifier: Apache-2.0
// Several outputs of a model and several targets of its data, in a study.
#include "study_file.hpp"

namespace outputs_test {

using namespace dlrun;
using namespace dlrun::spec;
using Catch::Matchers::Contains;

namespace {

constexpr const char* kBoth = R"(study: trees
objective: {metric: val.kind.accuracy}
space:
  lr: {at: optimizer.lr, type: float, low: 1e-4, high: 1e-1, scale: log}
  share: {at: loss.width.weight, type: float, low: 0.01, high: 1}
  wide: {at: loss.width.op, choices: [mse, huber]}
trial:
  data: {op: csv, path: trees.csv, target: {kind: kind, width: width}, task: {width: regression}}
  model:
    nodes:
      - {name: fc1, op: linear, out: 8}
      - {name: side, op: linear, out: classes}
      - {name: act1, op: relu, from: fc1}
      - {name: head, op: linear, out: classes}
      - {name: number, op: linear, out: targets, from: act1}
    outputs: {kind: head, width: number, early: {from: side, target: kind, auxiliary: true}}
  loss: {kind: cross_entropy, width: {op: mse, weight: 0.5}, early: {op: cross_entropy, weight: 0.3}}
)";

std::string with(std::string from, const std::string& to) {
  std::string text = kBoth;
  return text.replace(text.find(from), from.size(), to);
}

std::string errors_with(const std::string& from, const std::string& to) { return StudyFile(with(from, to)).errors(); }

}  // namespace

TEST_CASE("losses and metrics of outputs are filled in by their targets", "[spec][outputs]") {
  const StudyFile file(kBoth);
  const StudySpec spec = file.read();
  const Json& trial = spec.json["trial"];
  CHECK(trial["metrics"] == Json{{"kind", {"accuracy"}}, {"width", {"mae"}}});
  CHECK(trial["loss"]["kind"] ==
        Json{{"op", "cross_entropy"}, {"class_weights", nullptr}, {"label_smoothing", 0.0}, {"weight", 1.0}});
  CHECK(trial["loss"]["width"] == Json{{"op", "mse"}, {"delta", 1.0}, {"weight", 0.5}});  // huber's delta, to choose
  REQUIRE(spec.base_model->outputs.size() == 3);
  CHECK(spec.base_model->find("head")->out == model::Shape{2});
  CHECK(spec.base_model->find("number")->out == model::Shape{1});
  CHECK(spec.data->several.size() == 2);
}

TEST_CASE("without losses each output has the one of its target, and the weight 1", "[spec][outputs]") {
  std::string text = with(kBoth + std::string(kBoth).find("  loss:"), "");
  text.erase(text.find("  share:"), text.find("trial:") - text.find("  share:"));
  const Json loss = StudyFile(text).read().json["trial"]["loss"];
  CHECK(loss["width"] == Json{{"op", "mse"}, {"weight", 1.0}});
  CHECK(loss["early"]["op"] == "cross_entropy");
}

TEST_CASE("what outputs learn is part of a study's identity", "[spec][outputs]") {
  const std::string hash = StudyFile(kBoth).read().hash;
  CHECK(StudyFile(kBoth).read().hash == hash);
  CHECK(StudyFile(with("weight: 0.5", "weight: 0.6")).read().hash != hash);
  CHECK(StudyFile(with("auxiliary: true", "auxiliary: false")).read().hash != hash);
}

TEST_CASE("every fault of outputs, targets, losses and metrics has its place", "[spec][outputs]") {
  CHECK_THAT(errors_with("kind: head,", "kind: heat,"), Contains("16:21: error: there is no layer 'heat'"));
  CHECK_THAT(errors_with("target: kind, aux", "target: kin, aux"), Contains("error: the data has no target 'kin'"));
  CHECK_THAT(errors_with(", width: number", ""), Contains("8:57: error: no output learns the target 'width'"));
  CHECK_THAT(errors_with(", early: {op: cross_entropy, weight: 0.3}", ""),
             Contains("17:3: error: the output 'early' has no loss"));
  CHECK_THAT(errors_with("loss: {kind", "loss: {kin: mse, kind"),
             Contains("17:10: error: the model has no output 'kin'"));
  CHECK_THAT(errors_with("width: {op: mse", "width: {op: focal"), Contains("error: focal is a loss for classes"));
  CHECK_THAT(errors_with("  loss:", "  metrics: {early: [accuracy]}\n  loss:"),
             Contains("17:13: error: the output 'early' is auxiliary and never measured"));
  CHECK_THAT(errors_with("  loss:", "  metrics: {width: [accuracy]}\n  loss:"),
             Contains("error: accuracy is for classes, but the data has numbers as targets"));
  CHECK_THAT(errors_with("kind: head, width", "kind: head, mae: head, width"),
             Contains("error: an output cannot be named 'mae', as a metric is"));
  CHECK_THAT(errors_with("val.kind.accuracy", "val.accuracy"), Contains("error: trials do not report 'val.accuracy'"));
  CHECK_THAT(errors_with("val.kind.accuracy", "val.early.loss"),
             Contains("error: trials do not report 'val.early.loss'"));
  CHECK_THAT(errors_with("at: loss.width.weight", "at: loss.widht.weight"),
             Contains("did you mean 'loss.width.weight'?"));
}

TEST_CASE("several targets need outputs, one target names none", "[spec][outputs]") {
  std::string text = kBoth;
  const std::size_t at = text.find("    outputs:");
  text.erase(at, text.find("  loss:") - at);
  CHECK_THAT(StudyFile(text).errors(),
             Contains("9:3: error: the data has the targets 'kind' and 'width', but the model names no outputs"));
  text = with("target: {kind: kind, width: width}, task: {width: regression}", "target: kind");
  CHECK_THAT(StudyFile(text).errors(), Contains("error: the data's one target has no name"));
}

TEST_CASE("outputs of one target without a name all learn it", "[spec][outputs]") {
  std::string text = kTrees;
  text.replace(text.find("val.accuracy"), 12, "val.main.accuracy");
  text += "    outputs: {main: head, side: {from: extra, auxiliary: true}}\n";
  const std::string layer = "      - {name: extra, op: linear, out: classes, from: fc1}\n";
  text.insert(text.find("      - {name: act1"), layer);
  text.replace(text.find("op: relu"), 8, "op: relu, from: fc1");
  const StudySpec spec = StudyFile(text).read();
  CHECK(spec.json["trial"]["loss"].size() == 2);
  CHECK(spec.json["trial"]["metrics"] == Json{{"main", {"accuracy"}}});
}

}  // namespace outputs_test
