// SPDX-License-Identifier: Apache-2.0
// Files of weights that are not what they seem: each is refused with its tensor named, before a number is copied; and
// what is taken, left fresh or skipped is on record.
#include <cstring>
#include <functional>
#include <limits>
#include <list>

#include "support/catch.hpp"
#include "tensors/weights.hpp"
#include "train/heads.hpp"
#include "train/safetensors.hpp"
#include "unit/train/support.hpp"
#include "util/error.hpp"
#include "util/sha256.hpp"

namespace distrust_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

/// A checkpoint in parts, to be put together otherwise; with a checksum that is right.
struct Parts {
  std::vector<TensorView> tensors;
  tensors::Metadata metadata;
  std::list<std::string> own;  ///< bytes of tensors that were changed

  TensorView& at(const std::string& name) {
    for (TensorView& tensor : tensors) {
      if (tensor.name == name) return tensor;
    }
    throw std::logic_error("no tensor " + name);
  }
  void set_bytes(const std::string& name, std::string bytes) { at(name).bytes = own.emplace_back(std::move(bytes)); }
  void erase(const std::string& name) {
    std::erase_if(tensors, [&](const TensorView& tensor) { return tensor.name == name; });
  }
  void set_state(const std::function<void(Json&)>& change) {
    Json state = Json::parse(metadata.at("state"));
    change(state);
    metadata["state"] = to_text(state);
  }
};

using Change = std::function<void(Parts&)>;

/// A trial of two epochs and the same checkpoint, changed.
class Donor {
 public:
  explicit Donor(const Json& trial = digits_trial()) : fixture(trial), sound(fixture.run(fixture.order(0, 2))) {}

  /// The section `warm_start` that begins with what the change makes of it.
  Json changed(const Change& change, const Json& more = Json::object()) {
    Json section = {{"policy", "best"}, {"donors", {file(change)}}};
    section.update(more);
    return section;
  }
  Json file(const Change& change) {
    const SafeTensors whole(fetch(fixture.setup.artifacts, artifact(sound, "last")), "checkpoint");
    Parts parts{whole.tensors(), whole.metadata(), {}};
    parts.metadata.erase("sha256");
    change(parts);
    const std::string bytes = write_safetensors(parts.tensors, parts.metadata);
    const std::filesystem::path path = fixture.folder.make("files") / "donor.safetensors";
    write_file(path, bytes);
    return {{"from", path.string()}, {"sha256", Sha256::hex_of(bytes)}, {"epoch", 2}, {"horizon", 4}};
  }
  trial::PieceResult begin(const Json& section, const Json& sets = Json::object(), const char* key = "warm_start",
                           std::int64_t epochs = 0) {
    trial::PieceOrder order = fixture.order(0, epochs, "final");
    order.sets = sets;
    order.sets[key] = section;
    return fixture.run(order);
  }
  /// What the change is refused with; "taken" where it is not.
  std::string refusal(const Change& change, const Json& more = Json::object()) {
    try {
      begin(changed(change, more));
      return "taken";
    } catch (const Error& fault) {
      return fault.what();
    }
  }

  Fixture fixture;
  trial::PieceResult sound;
};

const Json kCarry = {{"optimizer", "carry"}};

std::vector<std::string> rules_of(const trial::PieceResult& result) {
  std::vector<std::string> out;
  for (const trial::TensorStart& one : result.start.value().tensors) out.push_back(one.name + ": " + one.rule);
  return out;
}

}  // namespace

TEST_CASE("a donor of other names, shapes or types is refused by name", "[train][distrust]") {
  Donor donor;
  CHECK(donor.refusal([](Parts&) {}) == "taken");
  CHECK_THAT(donor.refusal([](Parts& p) {
    p.at("model.fc1.weight").shape = {64, 32};
  }),
             Contains("E404: 'fc1.weight' is F32 [64, 32] in the file, but F32 [32, 64] in the model"));
  CHECK_THAT(donor.refusal([](Parts& p) { p.at("model.fc1.weight").shape = {2048}; }), Contains("E404"));
  CHECK_THAT(donor.refusal([](Parts& p) { p.erase("model.bn1.running_var"); }),
             Contains("E405: the file has no tensor 'bn1.running_var'"));
  CHECK_THAT(donor.refusal([](Parts& p) { p.at("model.bn1.running_mean").dtype = "I32"; }),
             Contains("E404: 'bn1.running_mean' is I32 [32] in the file, but F32 [32] in the model"));
  CHECK_THAT(donor.refusal([](Parts& p) { p.at("model.head.bias").name = "model.head.bais"; }),
             Contains("E405: the file has no tensor 'head.bias'"));
}

TEST_CASE("a header that lies about its tensors is refused", "[train][distrust]") {
  Donor donor;
  CHECK_THAT(donor.refusal([](Parts& p) {
    p.at("model.fc1.weight").shape = {32, 63};
  }),
             Contains("has 8192 bytes, which does not fit its shape"));
  CHECK_THAT(donor.refusal([](Parts& p) { p.at("model.fc1.weight").dtype = "F64"; }),
             Contains("which does not fit its shape"));
  CHECK_THAT(donor.refusal([](Parts& p) { p.at("model.fc1.weight").dtype = "F8"; }), Contains("unknown type 'F8'"));
  CHECK_THAT(donor.refusal([](Parts& p) {
    p.at("model.fc1.weight").shape = {std::int64_t(1) << 62, 64};
  }),
             Contains("impossible shape"));
}

TEST_CASE("weights that are not finite begin no training", "[train][distrust]") {
  Donor donor;
  const auto spoil = [](Parts& p) {
    std::string bytes(p.at("model.head.bias").bytes);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::memcpy(bytes.data() + 8, &nan, sizeof(nan));
    p.set_bytes("model.head.bias", bytes);
  };
  CHECK_THAT(donor.refusal(spoil), Contains("E407: 'head.bias' has 1 number that is not finite"));
  CHECK_THAT(donor.refusal(spoil, {{"policy", "partial"}, {"on_mismatch", "skip"}}), Contains("E407"));
  Json init = donor.file(spoil);
  init["strict"] = false;
  CHECK_THROWS_WITH(donor.begin(init, {}, "init"), Contains("'head.bias' has 1 number that is not finite"));
}

TEST_CASE("an optimiser's state is carried only where all of it fits", "[train][distrust]") {
  Donor donor;
  CHECK(donor.refusal([](Parts&) {}, kCarry) == "taken");
  const std::string slot = "opt.fc1.weight.momentum";
  CHECK_THAT(
      donor.refusal(
          [&](Parts& p) {
            p.at(slot).shape = {64, 32};
          },
          kCarry),
      Contains("E403") && Contains("its tensor '" + slot + "' is F32 [64, 32], but the model's is F32 [32, 64]"));
  CHECK_THAT(donor.refusal([&](Parts& p) { p.erase(slot); }, kCarry),
             Contains("E403") && Contains("it has no tensor '" + slot + "'"));
  CHECK_THAT(donor.refusal([&](Parts& p) { p.at(slot).dtype = "I32"; }, kCarry), Contains("E403"));
  CHECK_THAT(donor.refusal(
                 [&](Parts& p) {
                   p.tensors.push_back({"opt.fc1.weight.more", "F32", {0}, {}});
                 },
                 kCarry),
             Contains("E403"));
  CHECK_THAT(donor.refusal([](Parts& p) { p.set_state([](Json& s) { s["optimizer"] = "adam"; }); }, kCarry),
             Contains("E403") && Contains("its optimizer is 'adam', not 'sgd'"));
  CHECK_THAT(donor.refusal([](Parts& p) { p.metadata["format"] = "dlrun-checkpoint-2"; }, kCarry), Contains("E403"));
  CHECK_THAT(donor.refusal([](Parts& p) { p.metadata["state"] = "{}"; }, kCarry), Contains("its state is malformed"));
}

TEST_CASE("a position that no training reaches is refused", "[train][distrust]") {
  Donor donor;
  const auto [key, value] = GENERATE(table<std::string, int>({{"epoch", -1}, {"batch", -1}, {"step", -5}}));
  const auto lie = [key = key, value = value](Parts& p) { p.set_state([&](Json& state) { state[key] = value; }); };
  CHECK_THAT(donor.refusal(lie, kCarry), Contains("E403") && Contains("which no training reaches"));
}

TEST_CASE("sums of another kind of data are refused", "[train][distrust]") {
  Json trial = digits_trial();
  trial["metrics"] = {"accuracy", "f1_macro"};
  Donor donor(trial);
  const auto lie = [](Parts& p) {
    p.set_state([](Json& state) {
      state["batch"] = 1;
      state["sums"] = SplitSums({{.metrics = {"accuracy", "f1_macro"}}}, {.classes = 3}, true).to_json();
    });
  };
  CHECK_THAT(donor.refusal(lie, kCarry), Contains("E403"));
}

TEST_CASE("floats of another width are taken, and that is said", "[train][distrust]") {
  Donor donor;
  const trial::PieceResult start = donor.begin(donor.changed([](Parts& p) {
    const std::string_view bytes = p.at("model.head.bias").bytes;
    std::string wide(2 * bytes.size(), '\0');
    for (std::size_t i = 0; i < bytes.size() / 4; ++i) {
      float number;
      std::memcpy(&number, bytes.data() + 4 * i, 4);
      const double same = number;
      std::memcpy(wide.data() + 8 * i, &same, 8);
    }
    p.set_bytes("model.head.bias", wide);
    p.at("model.head.bias").dtype = "F64";
  }));
  REQUIRE(start.start->notes.size() == 1);
  CHECK(start.start->notes[0].ends_with("1 of its tensors is F64, taken as float32"));
  const SafeTensors before(fetch(donor.fixture.setup.artifacts, artifact(donor.sound, "last")), "checkpoint"),
      after(fetch(donor.fixture.setup.artifacts, artifact(start, "last")), "checkpoint");
  CHECK(after.find("model.head.bias")->bytes == before.find("model.head.bias")->bytes);
}

TEST_CASE("what a file has more than the model is on record", "[train][distrust]") {
  Donor donor;
  const auto more = [](Parts& p) { p.tensors.push_back({"model.side.weight", "F32", {0, 3}, {}}); };
  const trial::PieceResult start = donor.begin(donor.changed(more));
  REQUIRE(start.start->tensors.size() == 9);
  const trial::TensorStart& last = start.start->tensors.back();
  CHECK(last.name == "side.weight");
  CHECK(last.rule == "skipped");
  CHECK(last.from == std::vector<std::int64_t>{0, 3});
  CHECK(last.to.empty());
}

TEST_CASE("weights by `init` are on record, tensor by tensor", "[train][distrust]") {
  Donor donor;
  Json init = donor.file([](Parts& p) {
    p.erase("model.head.bias");
    p.at("model.fc1.weight").shape = {64, 32};
    p.tensors.push_back({"model.side.weight", "F32", {0, 3}, {}});
  });
  init["strict"] = false;
  const trial::PieceResult start = donor.begin(init, {}, "init");
  CHECK(rules_of(start) == std::vector<std::string>{"fc1.weight: fresh", "bn1.weight: copied", "bn1.bias: copied",
                                                    "bn1.running_mean: copied", "bn1.running_var: copied",
                                                    "bn1.num_batches_tracked: copied", "head.weight: copied",
                                                    "head.bias: fresh", "side.weight: skipped"});
  CHECK(start.start->tensors[0].source == "of another shape or kind");
  CHECK(init["sha256"] == start.start->tensors[1].donor);
  CHECK_FALSE(donor.sound.start);
}

TEST_CASE("the loss scale belongs to the precision, not to who trained before", "[train][distrust][precision]") {
  const auto state_of = [](const Fixture& fixture, const trial::PieceResult& result) {
    const SafeTensors file(fetch(fixture.setup.artifacts, artifact(result, "last")), "checkpoint");
    return Json::parse(file.metadata().at("state"));
  };
  Donor plain;
  const Json carried = plain.changed([](Parts&) {}, kCarry);
  CHECK(state_of(plain.fixture, plain.begin(carried, {{"precision", "fp16"}})).contains("loss_scale"));
  Json trial = digits_trial();
  trial["precision"] = "fp16";
  Donor half(trial);
  const Json back = half.changed([](Parts&) {}, kCarry);
  CHECK_FALSE(state_of(half.fixture, half.begin(back, {{"precision", "fp32"}})).contains("loss_scale"));
}

}  // namespace distrust_test
