// SPDX-License-Identifier: Apache-2.0
// Results of whole pieces as they were: reports, log, curves, artifacts and files of small trials that each have one
// setting of their own, and the messages of trials that cannot be trained. DLRUN_APPROVE=1 writes the files anew.
#include <ATen/ATen.h>

#include "support/catch.hpp"
#include "unit/train/told.hpp"

namespace results_golden_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

/// Patches of the trial on the table, of the setup and of the order.
struct Row {
  const char* name;
  const char* trial = "{}";
  const char* setup = "{}";
  const char* order = "{}";
};

constexpr Row kSound[] = {
    {"plain"},
    {"least loss", "{}", R"({"metric": "val.loss", "maximize": false})"},
    {"nothing but the last", "{}", R"({"keep_best": false})"},
    {"kept epochs", "{}", R"({"keep_epochs": [1, 2, 3]})"},
    {"kept epochs, no best", "{}", R"({"keep_epochs": [2], "keep_best": false})"},
    {"stops", R"({"epochs": 9, "stop": {"patience": 1, "min_delta": 0.3}})", "{}", R"({"to": 9})"},
    {"stops by another metric", R"({"epochs": 9, "stop": {"patience": 0, "metric": "val.accuracy"}})", "{}",
     R"({"to": 9})"},
    {"shorter than its piece", R"({"epochs": 2})", "{}", R"({"to": 5})"},
    {"longer than its piece", R"({"epochs": 5})", "{}", R"({"to": 2})"},
    {"no epoch", "{}", "{}", R"({"to": 0})"},
    {"another seed", "{}", "{}", R"({"seed": 8})"},
    {"another replicate", R"({"first_replicate": 3})"},
    {"second replicate", "{}", "{}", R"({"piece": [0, 1, 0, 0]})"},
    {"sets", "{}", "{}", R"({"sets": {"optimizer.lr": 0.2, "model.nodes.fc.out": 3}})"},
    {"no validation", R"({"data": {"split": {"train": 0.8, "val": 0, "test": 0.2}}})",
     R"({"metric": "train.loss", "maximize": false})"},
    {"a fold", R"({"data": {"split": {"folds": 4, "fold": 2, "train": null, "val": null, "test": null}}})"},
    {"groups", R"({"data": {"drop": ["size"], "split": {"group": "team"}}})", R"({"values": "val.loss"})"},
    {"values of accuracy", "{}", R"({"values": "val.accuracy"})"},
    {"values of the loss", "{}", R"({"values": "val.loss", "keep_best": false})"},
    {"values by leaving out", R"({"metrics": ["accuracy", "kappa", "f1_macro"]})", R"({"values": "val.f1_macro"})"},
    {"values without a meaning", R"({"metrics": ["accuracy", "auc"]})", R"({"values": "val.auc"})"},
    {"values of another metric", "{}", R"({"values": "val.recall_macro"})"},
    {"smoothed", R"({"ema": {"decay": 0.8}})"},
    {"equal mean", R"({"swa": {"start": 0.3, "lr": 0.02}, "schedule": null})"},
    {"frozen", R"({"optimizer": {"groups": [{"match": "fc", "frozen": true}, {"match": "head.bias", "lr": 0.1}]}})"},
    {"decay", R"({"optimizer": {"weight_decay": 0.1, "no_decay": ["bias", "norm"], "nesterov": true}})"},
    {"adam, clipped", R"({"optimizer": {"op": "adam", "lr": 0.02, "momentum": null}, "clip_norm": 0.3,
                         "clip_value": 0.1, "log": {"every": 2}})"},
    {"accumulated", R"({"accumulate": 3, "log": {"every": 1}})"},
    {"plateau", R"({"schedule": {"op": "plateau", "patience": 0, "threshold": 0.5}, "log": {"every": 3}})"},
    {"adascale", R"({"accumulate": 2, "lr_scaling": {"op": "adascale"}, "log": {"every": 1}})"},
    {"lena", R"({"accumulate": 2, "lr_scaling": {"op": "lena"}, "log": {"every": 2}})"},
    {"root", R"({"accumulate": 2, "lr_scaling": {"op": "sqrt"}, "log": {"every": 2}})"},
    {"bf16", R"({"precision": "bf16"})"},
    {"fp16", R"({"precision": "fp16", "log": {"every": 2}})"},
    {"fp16 that overflows", R"({"precision": "fp16", "log": {"every": 1}, "loss": {"op": "sum", "parts":
                             [{"op": "cross_entropy", "weight": 30000}]}})"},
    {"two threads", "{}", R"({"threads": 2})"},
    {"balanced", R"({"data": {"sampler": "balanced", "drop_last": true}, "loss": {"op": "cross_entropy",
                    "class_weights": "balanced", "label_smoothing": 0.1}})"},
    {"noise", R"({"data": {"augment": [{"op": "noise"}, {"op": "mixup", "p": 0.5}]}})"},
    {"numbers", R"({"data": {"target": "size", "task": "regression", "drop": ["kind", "team"]},
                   "metrics": ["mae", "r2", "max_error"]})",
     R"({"metric": "val.mae", "maximize": false,
                   "values": "val.mae"})"},
    {"numbers by leaving out", R"({"data": {"target": "size", "task": "regression", "drop": ["kind", "team"]},
                   "metrics": ["rmse", "r2"]})",
     R"({"metric": "val.r2", "values": "val.r2"})"},
    {"two outputs", R"({"data": {"target": {"kind": "kind", "size": "size"}, "drop": ["team"]},
                       "model": {"nodes": [{"name": "fc", "op": "linear", "out": 6}, {"name": "act", "op": "tanh"},
                         {"name": "one", "op": "linear", "out": "classes"},
                         {"name": "two", "op": "linear", "out": "targets", "from": "act"}],
                         "outputs": {"kind": "one", "size": "two"}},
                       "loss": {"kind": "cross_entropy", "size": {"op": "huber", "weight": 0.5}}})",
     R"({"metric": "val.kind.accuracy", "values": "val.size.mae"})"},
    {"diverges", R"({"optimizer": {"lr": 1e30}})"},
    {"diverges when measured", R"({"optimizer": {"lr": 1e30}, "epochs": 1, "batch_size": 36})"},
    {"one batch", R"({"batch_size": 100, "data": {"drop_last": true}})"},
    {"a rate for each tensor", R"({"optimizer": {"op": "lars", "lr": 1}, "schedule": {"op": "one_cycle"}})"}};

constexpr Row kUnsound[] = {
    {"optimizer", R"({"optimizer": {"op": "sdg"}})"},
    {"rate", R"({"optimizer": {"lr": -1}})"},
    {"schedule", R"({"schedule": {"op": "cosin"}})"},
    {"loss", R"({"loss": "crossentropy"})"},
    {"loss of numbers", R"({"loss": "mse"})"},
    {"metric", R"({"metrics": ["acuracy"]})"},
    {"metric of numbers", R"({"metrics": ["r2"]})"},
    {"metric of two classes", R"({"metrics": ["f1"]})"},
    {"batch size", R"({"batch_size": 0})"},
    {"epochs", R"({"epochs": 0})"},
    {"clip", R"({"clip_norm": 0})"},
    {"decay", R"({"ema": {"decay": 1.5}})"},
    {"two averages", R"({"ema": {"decay": 0.9}, "swa": {"start": 0.5}})"},
    {"precision", R"({"precision": "fp8"})"},
    {"kind of layer", R"({"model": {"nodes": [{"name": "fc", "op": "lineal", "out": 3}]}})"},
    {"width", R"({"model": {"nodes": [{"name": "fc", "op": "linear", "out": 4}]}})"},
    {"no table", R"({"data": {"path": "/nowhere/table.csv"}})"},
    {"no column", R"({"data": {"target": "kinds"}})"},
    {"objective", "{}", R"({"metric": "val.f1"})"},
    {"objective without validation", R"({"data": {"split": {"train": 0.8, "val": 0, "test": 0.2}}})"},
    {"patience without a metric", R"({"stop": {"patience": 1, "metric": "val.mae"}})"},
    {"device", "{}", R"({"device": "gpu"})"},
    {"number of a device", "{}", R"({"device": "cuda:x"})"},
    {"task", "{}", "{}", R"({"task": "tests"})"},
    {"nothing to go on from", "{}", "{}", R"({"from": 1})"},
    {"no hash", "{}", "{}", R"({"from": 1, "resume": "last"})"},
    {"nothing to test", "{}", "{}", R"({"task": "test"})"},
    {"place", "{}", "{}", R"({"sets": {"model.nodes.fc9.out": 3}})"},
    {"data of its own", "{}", "{}", R"({"sets": {"data.target": "kinds"}})"},
    {"weights", R"({"init": {"from": "/nowhere/weights.safetensors", "strict": true, "sha256": ""}})"},
    {"ranks", R"({"parallel": {"op": "bsp", "ranks": 0}})"},
    {"ranks and gains", R"({"parallel": {"op": "asp", "ranks": 2}, "lr_scaling": {"op": "adascale"}})"},
    {"gains of codes", R"({"parallel": {"op": "ar_sgd", "ranks": 2, "codec": "bf16"},
                          "lr_scaling": {"op": "adascale"}})"},
    {"more ranks than rows", R"({"parallel": {"op": "bsp", "ranks": 40}, "data": {"partition": "fixed_random"}})"}};

Json json_of(const char* text) { return parse_json(text, "a row"); }

void write_piece(Told& told, const Row& row) {
  Fixture fixture{Json()};
  fixture.setup.trial = table_trial(fixture.folder.make("data"));
  fixture.setup.trial.merge_patch(json_of(row.trial));
  Json setup = trial::to_json(fixture.setup), order = trial::to_json(fixture.order(0, 3));
  setup.update(json_of(row.setup)), order.update(json_of(row.order));
  fixture.setup = trial::work_setup(setup);
  Told own(fixture);
  tell(own, row.name, [&] {
    FakeHost host;
    const trial::PieceResult result = fixture.run(trial::piece_order(order), host);
    own.result(result);
    own.host(host, &result);
    own.files(fixture.folder.make("a1"));
  });
  told.lines(own.text());
}

template <std::size_t N>
void check(const std::string& name, const Row (&rows)[N]) {
  const Fixture fixture;
  Told told(fixture);
  for (const Row& row : rows) write_piece(told, row);
  check_golden(name, told.text());
}

}  // namespace

TEST_CASE("results of pieces are as they were", "[train][golden]") { check("results", kSound); }

TEST_CASE("trials that cannot be trained say so in the words they had", "[train][golden]") {
  check("refusals", kUnsound);
}

}  // namespace results_golden_test
