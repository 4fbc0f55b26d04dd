// SPDX-License-Identifier: Apache-2.0
// New arrays of plugins for a trained model: each way in which they fit or do not.
#include <cmath>
#include <limits>

#include "dataset/fresh.hpp"
#include "readings.hpp"
#include "support/catch.hpp"

namespace fresh_readings_test {

using namespace readings_test;

namespace {

std::string numbers_of(const Array& array) {
  std::string text;
  for (std::int64_t e = 0; e < array.examples; ++e) {
    for (std::int64_t i = 0; i < array.width; ++i)
      text += fmt::format(" {:g}", array.element == Element::f32 ? array.number(e, i) : double(array.index(e, i)));
  }
  return text;
}

std::string text_of(const Fresh& fresh) {
  const Dataset& data = fresh.dataset;
  std::string text;
  for (const Array& input : data.inputs) text += "  input" + numbers_of(input) + "\n";
  text += "  targets" + numbers_of(data.targets) + (data.targets.element == Element::f32 ? " (reals)\n" : "\n");
  for (const Array& target : data.several) text += "  of several" + numbers_of(target) + "\n";
  for (const Target& target : data.schema.several) text += "  named " + target.name + "\n";
  return text + fmt::format("  rows {} {} {}\n", data.train.size(), data.val.size(), data.test.size());
}

/// A model's arrays, and chapters about new ones.
class Trained {
 public:
  Trained(const std::vector<Given>& arrays, const Json& more = Json::object(), const Json& texts = Json::object()) {
    place_.write("it", archive(arrays, texts));
    Json data{{"op", "whole_arrays"}, {"path", place_.path("it")}, {"cache", false}};
    data.update(more);
    data_ = located(normalised(data), {});
    load(data_, {}, 7);
  }

  void add(std::string& text, const char* about, const std::vector<Given>& arrays, const Json& texts = Json::object(),
           bool needs_targets = true) const {
    place_.write("new", archive(arrays, texts));
    std::string found;
    const FreshOptions options{.files = {{"path", place_.path("new")}}, .needs_targets = needs_targets};
    const std::string fault = fault_of(place_, [&] { found = text_of(load_fresh(data_, options, 7)); });
    text += std::string(about) + "\n" + (found.empty() ? "  " + fault : found);
  }

  std::unique_ptr<FreshStream> stream(const std::vector<Given>& arrays) const {
    place_.write("new", archive(arrays));
    return open_fresh(data_, {.files = {{"path", place_.path("new")}}}, 7);
  }
  const Place& place() const { return place_; }

 private:
  Place place_;
  Json data_;
};

void require_golden(const char* file, const std::string& text) {
  CHECK(text == support::golden(fs::path(DLRUN_READINGS) / file, text));
}

Given reals(const char* name, std::vector<std::int64_t> shape, int count, double from = 0) {
  return {name, "F32", std::move(shape), counted(count, from)};
}
Given wholes(const char* name, std::vector<std::int64_t> shape, std::vector<double> numbers) {
  return {name, "I64", std::move(shape), std::move(numbers)};
}

const Given kX = reals("inputs/x", {12, 2, 3}, 72), kY = wholes("targets/", {12}, labels(12, 3));

}  // namespace

TEST_CASE("new inputs have shape and kind of the trained ones", "[readings][fresh]") {
  std::string text;
  const Trained trained({kX, kY}, {{"scale", 2.0}});
  const Given y = wholes("targets/", {1}, {2});
  trained.add(text, "one example", {reals("inputs/x", {1, 2, 3}, 6), y});
  trained.add(text, "sizes in another order", {reals("inputs/x", {1, 3, 2}, 6), y});
  trained.add(text, "other sizes", {reals("inputs/x", {1, 2, 4}, 8), y});
  trained.add(text, "no sizes", {reals("inputs/x", {1}, 1), y});
  trained.add(text, "whole numbers", {wholes("inputs/x", {1, 2, 3}, counted(6)), y});
  trained.add(text, "no examples", {reals("inputs/x", {0, 2, 3}, 0), y});
  trained.add(text, "texts", {wholes("inputs/x", {1, 2, 3}, labels(6, 2)), y}, {{"inputs/x", {"a", "b"}}});
  trained.add(text, "too many inputs", {reals("inputs/x", {2, 2, 3}, 12), y});
  Given broken = reals("inputs/x", {2, 2, 3}, 12);
  broken.numbers[9] = std::numeric_limits<double>::quiet_NaN();
  trained.add(text, "a gap", {broken, wholes("targets/", {2}, {0, 1})});
  trained.add(text, "without targets", {reals("inputs/x", {2, 2, 3}, 12), y}, Json::object(), false);
  const Trained turned({reals("inputs/x", {12, 3, 2}, 72), kY});
  turned.add(text, "sizes in ascending order", {reals("inputs/x", {1, 2, 3}, 6), y});
  const Trained two({kX, reals("inputs/z", {12}, 12), kY});
  two.add(text, "inputs of different numbers of examples",
          {reals("inputs/x", {1, 2, 3}, 6), reals("inputs/z", {2}, 2), y});
  require_golden("fresh_inputs.txt", text);
}

TEST_CASE("new whole numbers are no reals, and new indices were seen in training", "[readings][fresh]") {
  std::string text;
  const Given y = wholes("targets/", {1}, {2});
  const Trained whole({wholes("inputs/x", {12, 2}, counted(24)), kY});
  whole.add(text, "reals for whole numbers", {reals("inputs/x", {1, 2}, 2), y});
  whole.add(text, "whole numbers of any size", {wholes("inputs/x", {1, 2}, {-5, 1000}), y});
  const Trained indices({wholes("inputs/x", {12, 2}, labels(24, 4)), kY}, {{"indices", {"x"}}});
  indices.add(text, "known indices", {wholes("inputs/x", {1, 2}, {0, 3}), y});
  indices.add(text, "an index too large", {wholes("inputs/x", {1, 2}, {0, 4}), y});
  indices.add(text, "an index below 0", {wholes("inputs/x", {1, 2}, {-1, 9}), y});
  const Trained flat({reals("inputs/x", {12}, 12), kY});
  flat.add(text, "one number an example", {reals("inputs/x", {1}, 1, 5), y});
  flat.add(text, "one number in a list", {reals("inputs/x", {1, 1}, 1, 5), y});
  flat.add(text, "two numbers", {reals("inputs/x", {1, 2}, 2), y});
  require_golden("fresh_kinds.txt", text);
}

TEST_CASE("new labels are classes that the model knows", "[readings][fresh]") {
  std::string text;
  const Given x = reals("inputs/x", {2, 2, 3}, 12);
  const Trained trained({kX, kY});
  trained.add(text, "known labels", {x, wholes("targets/", {2}, {2, 0})});
  trained.add(text, "labels in a list", {x, wholes("targets/", {2, 1}, {2, 0})});
  trained.add(text, "a label too large", {x, wholes("targets/", {2}, {2, 3})});
  trained.add(text, "a label below 0", {x, wholes("targets/", {2}, {-1, 0})});
  trained.add(text, "an ignored label", {x, wholes("targets/", {2}, {0, -100})});
  trained.add(text, "reals", {x, reals("targets/", {2}, 2)});
  trained.add(text, "two labels each", {x, wholes("targets/", {2, 2}, {0, 1, 2, 0})});
  trained.add(text, "no labels", {x, wholes("targets/", {0}, {})});
  trained.add(text, "too few labels", {x, wholes("targets/", {1}, {0})});
  trained.add(text, "texts", {x, wholes("targets/", {2}, {1, 0})}, {{"targets/", {"1", "2"}}});
  const Trained places({kX, wholes("targets/", {12, 2}, labels(24, 3))});
  places.add(text, "labels of positions", {x, wholes("targets/", {2, 2}, {0, -100, 2, 1})});
  places.add(text, "a position's label too large", {x, wholes("targets/", {2, 2}, {0, 1, 3, 1})});
  places.add(text, "another length", {x, wholes("targets/", {2, 3}, labels(6, 3))});
  places.add(text, "no length", {x, wholes("targets/", {2}, {0, 1})});
  require_golden("fresh_labels.txt", text);
}

TEST_CASE("new texts are numbered as the trained ones", "[readings][fresh]") {
  std::string text;
  const Given x = reals("inputs/x", {2, 2, 3}, 12), two = wholes("targets/", {2}, {1, 0});
  const Trained trained({kX, kY}, Json::object(), {{"targets/", {"cat", "dog", "eel"}}});
  trained.add(text, "some of the classes", {x, two}, {{"targets/", {"cat", "eel"}}});
  trained.add(text, "one that is new", {x, two}, {{"targets/", {"cat", "fox"}}});
  trained.add(text, "numbers for texts", {x, two});
  Json names = Json::array();
  for (int i = 0; i < 21; ++i) names.push_back("c" + std::to_string(100 + i));
  const Trained many({reals("inputs/x", {42, 2, 3}, 252), wholes("targets/", {42}, labels(42, 21))}, Json::object(),
                     {{"targets/", names}});
  many.add(text, "many classes", {x, two}, {{"targets/", {"c100", "other"}}});
  names.erase(20);
  const Trained fewer({reals("inputs/x", {40, 2, 3}, 240), wholes("targets/", {40}, labels(40, 20))}, Json::object(),
                      {{"targets/", names}});
  fewer.add(text, "twenty classes", {x, two}, {{"targets/", {"c100", "other"}}});
  require_golden("fresh_texts.txt", text);
}

TEST_CASE("new values are reals of the trained width", "[readings][fresh]") {
  std::string text;
  const Given x = reals("inputs/x", {2, 2, 3}, 12);
  const Trained one({kX, reals("targets/", {12}, 12)});
  one.add(text, "one value", {x, reals("targets/", {2}, 2, 7)});
  one.add(text, "whole numbers", {x, wholes("targets/", {2}, {7, 8})});
  one.add(text, "two values", {x, reals("targets/", {2, 2}, 4)});
  Given gap = reals("targets/", {2}, 2);
  gap.numbers[1] = std::numeric_limits<double>::infinity();
  one.add(text, "an infinite value", {x, gap});
  one.add(text, "texts", {x, wholes("targets/", {2}, {1, 0})}, {{"targets/", {"a", "b"}}});
  const Trained two({kX, reals("targets/", {12, 2}, 24)});
  two.add(text, "two wanted values", {x, wholes("targets/", {2, 2}, counted(4))});
  two.add(text, "one of two values", {x, reals("targets/", {2}, 2)});
  const Trained several({kX, reals("targets/a", {12, 2}, 24), wholes("targets/b", {12}, labels(12, 3))});
  several.add(text, "several", {x, reals("targets/a", {2, 2}, 4), wholes("targets/b", {2}, {2, 1})});
  several.add(text, "several, one wrong", {x, reals("targets/a", {2, 2}, 4), wholes("targets/b", {2}, {2, 3})});
  several.add(text, "several, one short", {x, reals("targets/a", {2, 2}, 4), wholes("targets/b", {1}, {2})});
  several.add(text, "several, none needed", {x, reals("targets/a", {2, 2}, 4)}, Json::object(), false);
  require_golden("fresh_values.txt", text);
}

TEST_CASE("new arrays come in parts of about 16 MiB", "[readings][fresh]") {
  constexpr std::int64_t kWide = 256, kRows = 8000;
  const Trained trained(
      {{"inputs/x", "U8", {6, 16, 16}, std::vector<double>(6 * kWide, 1)}, wholes("targets/", {6}, labels(6, 2))},
      {{"cache", false}});
  Given x{"inputs/x", "U8", {kRows, 16, 16}, std::vector<double>(kRows * kWide, 1)},
      y = wholes("targets/", {kRows}, labels(kRows, 2));
  x.numbers[7680 * kWide] = 9, y.numbers[7680] = 1;
  const auto stream = trained.stream({x, y});
  const Fresh first = stream->next().value(), second = stream->next().value();
  CHECK(first.dataset.test.size() == 7680);  // 2^24 bytes by 8 * 256 + 1 are 8187 rows, 15 times 512 at most
  CHECK(second.dataset.test.size() == 320);
  CHECK(second.dataset.inputs[0].number(0, 0) == 9);
  CHECK(second.dataset.targets.index(0, 0) == 1);
  CHECK(second.dataset.targets.index(1, 0) == 1);
  CHECK_FALSE(stream->next());
  y.numbers[7685] = 2;
  const auto broken = trained.stream({x, y});
  broken->next();
  CHECK(fault_of(trained.place(), [&] { broken->next(); }) ==
        "usage at 'data', place '': \"targets\" in 'DIR/new' has the label 2 in example 7685, but the model knows 0 to "
        "1 []\n");
}

TEST_CASE("a number that is not finite is told by its place in the whole", "[readings][fresh]") {
  constexpr std::int64_t kWide = 2048, kRows = 1100;
  const Trained trained({{"inputs/x", "F32", {6, kWide}, counted(6 * kWide)}, reals("targets/", {6}, 6)});
  Given x{"inputs/x", "F32", {kRows, kWide}, std::vector<double>(kRows * kWide, 1)},
      y = reals("targets/", {kRows}, kRows);
  y.numbers[1050] = std::nan("");
  const auto fault = [&] {
    return fault_of(trained.place(), [&] {
      const auto stream = trained.stream({x, y});
      while (stream->next()) {
      }
    });
  };
  CHECK_THAT(fault(), Contains("\"targets\" in 'DIR/new' has NaN in example 1050"));
  y.numbers[1050] = 0;
  x.numbers[1051 * kWide + 3] = std::nan("");
  CHECK_THAT(fault(), Contains("\"x\" in 'DIR/new' has NaN in example 1051, number 3"));
}

}  // namespace fresh_readings_test
