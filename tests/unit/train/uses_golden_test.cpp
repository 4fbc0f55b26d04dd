// SPDX-License-Identifier: Apache-2.0
// Trained trials put to use as they were: metrics of splits and of new files, predictions in every format, and what a
// check and a profile say of a model. DLRUN_APPROVE=1 writes the file anew.
#include <ATen/ATen.h>

#include "support/catch.hpp"
#include "train/build.hpp"
#include "train/profile.hpp"
#include "train/use.hpp"
#include "unit/train/told.hpp"

namespace uses_golden_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

/// A trial that was trained for two epochs, and its uses.
struct Store {
  explicit Store(const Json& patch = Json::object()) : fixture(Json()), told(fixture) {
    fixture.setup.trial = table_trial(fixture.folder.make("data"));
    fixture.setup.trial.merge_patch(patch);
    fixture.setup.keep_best = false;
    order = fixture.order(0, 2);
    order.resume = artifact(fixture.run(order), "last");
  }

  void use(const std::string& name, const trial::UseOptions& options) {
    tell(told, name, [&] {
      std::string rows;
      const trial::PredictionFile file{[&](std::string_view more) { rows += more; },
                                       [&](std::string_view begin) { rows.replace(0, begin.size(), begin); }};
      const trial::Use use = use_trial(fixture.setup, order, options, file);
      told.line(fmt::format("{} examples", use.examples));
      for (const trial::Metric& metric : use.metrics) told.line(fmt::format("{} {:.5g}", metric.name, metric.value));
      if (!use.prepared.is_null()) told.json("prepared", use.prepared);
      write(rows, options.output_format);
    });
  }
  /// The text, or the sizes of the arrays.
  void write(const std::string& rows, const std::string& format) {
    if (rows.empty()) return;
    if (format == "csv" || format == "jsonl") return told.line(rows);
    if (format == "npy") return write_array(rows);
    const SafeTensors file(rows, "predictions");
    for (const auto& [name, text] : file.metadata()) told.line(name + " = " + text);
    for (const TensorView& tensor : file.tensors()) {
      Sizes sizes;
      add_numbers(tensor, sizes);
      told.line(fmt::format("{} {} {} {}", tensor.name, tensor.dtype, to_text(Json(tensor.shape)), text_of(sizes)));
    }
  }
  void write_array(const std::string& bytes) {
    const std::size_t end = bytes.find('\n') + 1;
    told.line(fmt::format("header of {}: {}", end, bytes.substr(10, end - 11)));
    const bool is_double = bytes.find("<f8") != std::string::npos;
    Sizes sizes;
    add_numbers({"numbers", is_double ? "F64" : "F32", {}, std::string_view(bytes).substr(end)}, sizes);
    told.line(text_of(sizes));
  }

  Fixture fixture;
  Told told;
  trial::PieceOrder order;
};

/// Rows that the training has not seen, three of which have what it has not either.
std::filesystem::path write_new(const Store& store, const std::string& name, const std::string& rows) {
  const std::filesystem::path path = store.fixture.folder.make("data") / name;
  write_file(path, rows);
  return path;
}

void measure(Store& store) {
  for (const char* split : {"train", "val", "test"}) store.use(split, {.split = split});
  store.use("more metrics", {.split = "val", .metrics = {"kappa", "brier", "accuracy", "top_2"}});
  store.use("no metric", {.split = "val", .metrics = {"kapa"}});
  store.use("metric of numbers", {.split = "val", .metrics = {"mae"}});
  store.use("no output", {.split = "val", .metrics = {"kind.kappa"}});
  store.use("how it is prepared", {.describes = true});
  const std::string csv = "id,a,b,c,d,kind\nx1,10,20,30,40,red\n\"x,2\",50,60,70,80,green\nx3,90,5,1,2,blue\n";
  const std::string path = write_new(store, "new.csv", csv);
  store.use("new rows", {.files = {{"path", path}}, .metrics = {"brier"}});
  store.use("no file", {.files = {{"path", "/nowhere/new.csv"}}});
  const std::string narrow = write_new(store, "narrow.csv", "a,b,c,kind\n1,2,3,red\n");
  store.use("new rows without a column", {.files = {{"path", narrow}}});
  store.order.resume = std::string(64, 'c');
  store.use("no checkpoint", {.split = "val"});
}

void predict(Store& store) {
  const std::string path =
      write_new(store, "new.csv", "id,a,b,c,d\nx1,10,20,30,40\n\"x,2\",50,60,70,80\n\"x\"\"3\",90,5,1,2\n");
  for (const char* format : {"csv", "jsonl", "npy", "safetensors"}) {
    for (const bool wants_logits : {false, true}) {
      trial::UseOptions options{
          .split = "test", .predicts = true, .output_format = format, .wants_logits = wants_logits};
      store.use(fmt::format("{}{}", format, wants_logits ? " of logits" : ""), options);
      options.split.clear();
      options.files = {{"path", path}};
      options.id = "id";
      store.use(fmt::format("{}{} of new rows", format, wants_logits ? " of logits" : ""), options);
    }
  }
}

Json numbers() {
  return parse_json(R"({"data": {"target": "size", "task": "regression", "drop": ["kind", "team"]}, "loss": "mse"})",
                    "numbers");
}

Json two_outputs() {
  return parse_json(R"({"data": {"target": {"kind": "kind", "size": "size"}, "drop": ["team"]},
      "model": {"nodes": [{"name": "fc", "op": "linear", "out": 6}, {"name": "act", "op": "tanh"},
        {"name": "one", "op": "linear", "out": "classes"},
        {"name": "two", "op": "linear", "out": "targets", "from": "act"},
        {"name": "side", "op": "linear", "out": "classes", "from": "act"}],
        "outputs": {"kind": "one", "size": "two", "early": {"from": "side", "target": "kind", "auxiliary": true}}}})",
                    "outputs");
}

/// A profile without its times.
void profile(Store& store, const Json& patch) {
  store.fixture.setup.trial.merge_patch(patch);
  const trial::ModelProfile found =
      profile_trial(store.fixture.setup, store.fixture.order(0, 1), {.steps = 6, .warmup = 1});
  store.told.line(fmt::format("profile of {} examples, {} steps", found.batch, found.steps));
  for (const trial::LayerProfile& layer : found.layers)
    store.told.line(fmt::format("{} {}: {} parameters, {} bytes, {} operations", layer.name, layer.op, layer.parameters,
                                layer.activation, layer.operations));
  for (const trial::PhaseProfile& phase : found.phases) store.told.line(phase.name);
}

void build(Store& store, const std::string& name, const char* patch) {
  trial::WorkSetup setup = store.fixture.setup;
  setup.trial.merge_patch(parse_json(patch, "a patch"));
  store.told.title(name);
  store.told.json("built", trial::to_json(build_trial(setup, store.fixture.order(0, 1))));
}

void look_at(Store& store) {
  tell(store.told, "profile", [&] { profile(store, Json::object()); });
  tell(store.told, "profile of one rank", [&] { profile(store, {{"parallel", {{"op", "bsp"}, {"ranks", 2}}}}); });
  tell(store.told, "profile of what diverges", [&] { profile(store, {{"optimizer", {{"lr", 1e30}}}}); });
  store.fixture.setup.trial.merge_patch({{"parallel", nullptr}, {"optimizer", {{"lr", 0.05}}}});
  build(store, "sound", "{}");
  build(store, "too narrow", R"({"model": {"nodes": [{"name": "fc", "op": "linear", "out": 4}]}})");
  build(store, "dead", R"({"model": {"nodes": [{"name": "fc", "op": "linear", "out": 4},
    {"name": "cut", "op": "threshold", "threshold": 1e6, "value": 1.0},
    {"name": "head", "op": "linear", "out": "outputs"}]}})");
  build(store, "not finite", R"({"model": {"nodes": [{"name": "fc", "op": "linear", "out": 4},
    {"name": "huge", "op": "scale", "factor": 1e6, "repeat": 9},
    {"name": "head", "op": "linear", "out": "outputs"}]}})");
  build(store, "no kind", R"({"model": {"nodes": [{"name": "fc", "op": "liner", "out": 4}]}})");
  build(store, "no metric", R"({"metrics": ["nothing"]})");
}

}  // namespace

TEST_CASE("trained trials are measured as they were", "[train][golden]") {
  Store store;
  measure(store);
  check_golden("measured", store.told.text());
}

TEST_CASE("trained trials foretell as they did", "[train][golden]") {
  Store classes, values(numbers()), both(two_outputs());
  for (Store* store : {&classes, &values, &both}) predict(*store);
  check_golden("predictions", classes.told.text() + values.told.text() + both.told.text());
}

TEST_CASE("checks and profiles of a model say what they said", "[train][golden]") {
  Store store;
  look_at(store);
  check_golden("models", store.told.text());
}

}  // namespace uses_golden_test
