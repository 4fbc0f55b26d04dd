// SPDX-License-Identifier: Apache-2.0
// Every step of augmentation against a plain reference that draws from the same stream.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "data/augment.hpp"
#include "support/catch.hpp"

namespace augment_test {

using namespace dlrun;
using dataset::Array;

namespace {

constexpr std::int64_t kRows = 6;
constexpr data::Image kImage{3, 5, 7};

dataset::Schema schema() {
  dataset::Schema s;
  s.inputs = {{"x", {3, 5, 7}}};
  s.classes = 2;
  return s;
}

/// Bytes of which every one in an image is different; numbers are a tenth of them, and 1 in black.
Array images() {
  std::vector<std::uint8_t> bytes;
  for (std::int64_t i = 0; i < kRows * kImage.size(); ++i) bytes.push_back(std::uint8_t(1 + i * 2 % 251));
  Array array = Array::of(std::move(bytes), kImage.size());
  array.scale = {0.1f};
  array.shift = {1};
  return array;
}

std::vector<float> row_of(const Array& array, std::int64_t row) {
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < array.width; ++i) numbers.push_back(array.number(row, i));
  return numbers;
}

float& at(std::vector<float>& image, std::int64_t c, std::int64_t y, std::int64_t x) {
  return image[std::size_t(c * kImage.pixels() + y * kImage.width + x)];
}

Json steps(const char* text) {
  Json list = parse_json(text, "steps");
  for (Json& step : list) {
    if (!step.contains("name")) step["name"] = step["op"];
  }
  return list;
}

data::Augment augment(const char* text, std::uint64_t seed = 7, int replicate = 0) {
  return {steps(text), schema(), kRows, seed, replicate};
}

std::vector<float> made(const data::Augment& augment, std::int64_t row, std::int64_t turn = 0) {
  std::vector<float> numbers(std::size_t(kImage.size()), -99.0f);
  augment.make(images(), {row, turn}, numbers.data());
  return numbers;
}

/// The stream a step draws from for a row.
RandomStream stream_of(const char* name, std::int64_t row, const char* epoch = "1") {
  RandomStream stream(7, {"augment", name, "0", epoch});
  stream.seek(std::uint64_t(row) << 24);
  return stream;
}

std::vector<float> mirrored(std::vector<float> image, bool is_vertical) {
  std::vector<float> result = image;
  for (std::int64_t c = 0; c < kImage.channels; ++c) {
    for (std::int64_t y = 0; y < kImage.height; ++y) {
      for (std::int64_t x = 0; x < kImage.width; ++x)
        at(result, c, y, x) =
            is_vertical ? at(image, c, kImage.height - 1 - y, x) : at(image, c, y, kImage.width - 1 - x);
    }
  }
  return result;
}

/// Moved down and to the right; `fill` comes in.
std::vector<float> moved(std::vector<float> image, std::int64_t down, std::int64_t right, float fill) {
  std::vector<float> result = image;
  for (std::int64_t c = 0; c < kImage.channels; ++c) {
    for (std::int64_t y = 0; y < kImage.height; ++y) {
      for (std::int64_t x = 0; x < kImage.width; ++x) {
        const bool is_inside = y - down >= 0 && y - down < kImage.height && x - right >= 0 && x - right < kImage.width;
        at(result, c, y, x) = is_inside ? at(image, c, y - down, x - right) : fill;
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("no step: the row as it stands", "[data][augment]") {
  CHECK(augment("[]").is_empty());
  CHECK(made(augment(R"([{"op":"flip","p":0.0,"axis":"horizontal"}])"), 2) == row_of(images(), 2));
}

TEST_CASE("flip mirrors about half of the images", "[data][augment]") {
  const bool is_vertical = GENERATE(false, true);
  const data::Augment flip = augment(is_vertical ? R"([{"op":"flip","p":0.5,"axis":"vertical"}])"
                                                 : R"([{"op":"flip","p":0.5,"axis":"horizontal"}])");
  int count = 0;
  for (std::int64_t row = 0; row < kRows; ++row) {
    const std::vector<float> plain = row_of(images(), row);
    const bool is_flipped = stream_of("flip", row).uniform() < 0.5;
    CHECK(made(flip, row) == (is_flipped ? mirrored(plain, is_vertical) : plain));
    count += is_flipped ? 1 : 0;
  }
  CHECK(count > 0);
  CHECK(count < kRows);
}

TEST_CASE("crop pads with black and cuts anywhere", "[data][augment]") {
  const data::Augment crop = augment(R"([{"op":"crop","pad":2}])");
  std::set<std::pair<std::int64_t, std::int64_t>> places;
  for (std::int64_t row = 0; row < kRows; ++row) {
    RandomStream stream = stream_of("crop", row);
    const auto top = std::int64_t(stream.below(5)), left = std::int64_t(stream.below(5));
    CHECK(made(crop, row) == moved(row_of(images(), row), 2 - top, 2 - left, 1));
    places.insert({top, left});
  }
  CHECK(places.size() > 2);
}

TEST_CASE("shift moves by whole pixels", "[data][augment]") {
  const data::Augment shift = augment(R"([{"op":"shift","most":0.4}])");
  for (std::int64_t row = 0; row < kRows; ++row) {
    RandomStream stream = stream_of("shift", row);
    const auto right = std::llround((2 * stream.uniform() - 1) * 0.4 * 7),
               down = std::llround((2 * stream.uniform() - 1) * 0.4 * 5);
    CHECK(made(shift, row) == moved(row_of(images(), row), down, right, 1));
  }
}

TEST_CASE("moves in a row are one pass with the outcome of several", "[data][augment]") {
  const char* moves = R"([{"op":"crop","pad":3},{"op":"flip","p":0.6,"axis":"horizontal"},{"op":"shift","most":0.3},
                          {"op":"flip","p":0.6,"axis":"vertical","name":"upside"},{"op":"crop","pad":1,"name":"again"}])";
  const data::Augment together = augment(moves);
  for (std::int64_t row = 0; row < kRows; ++row) {
    std::vector<float> image = row_of(images(), row);
    RandomStream crop = stream_of("crop", row), shift = stream_of("shift", row), again = stream_of("again", row);
    const auto top = std::int64_t(crop.below(7)), left = std::int64_t(crop.below(7));
    image = moved(image, 3 - top, 3 - left, 1);
    if (stream_of("flip", row).uniform() < 0.6) image = mirrored(image, false);
    const auto right = std::llround((2 * shift.uniform() - 1) * 0.3 * 7),
               down = std::llround((2 * shift.uniform() - 1) * 0.3 * 5);
    image = moved(image, down, right, 1);
    if (stream_of("upside", row).uniform() < 0.6) image = mirrored(image, true);
    const auto up = std::int64_t(again.below(3)), side = std::int64_t(again.below(3));
    CHECK(made(together, row) == moved(image, 1 - up, 1 - side, 1));
  }
}

TEST_CASE("a move pads with black behind other steps too", "[data][augment]") {
  const char* const move = GENERATE(R"({"op":"crop","pad":3})", R"({"op":"shift","most":0.5})",
                                    R"({"op":"flip","p":0.5,"axis":"vertical"})");
  const std::string still = R"({"op":"noise","std":0.0})";
  const data::Augment alone = augment((std::string("[") + move + "]").c_str());
  const data::Augment behind = augment(("[" + still + "," + move + "]").c_str());
  for (std::int64_t row = 0; row < kRows; ++row) CHECK(made(behind, row) == made(alone, row));
}

TEST_CASE("a move behind a normalisation moves its numbers, and 0 comes in", "[data][augment]") {
  const data::Augment late = augment(R"([{"op":"normalise","mean":[2],"std":[4]},{"op":"crop","pad":2}])");
  RandomStream stream = stream_of("crop", 3);
  const auto top = std::int64_t(stream.below(5)), left = std::int64_t(stream.below(5));
  std::vector<float> image = row_of(images(), 3);
  for (float& number : image) number = (number - 2) / 4;
  CHECK(made(late, 3) == moved(image, 2 - top, 2 - left, 0));
}

TEST_CASE("cutout blackens a square around any pixel", "[data][augment]") {
  const data::Augment cutout = augment(R"([{"op":"cutout","size":3,"p":1.0}])");
  for (std::int64_t row = 0; row < kRows; ++row) {
    RandomStream stream = stream_of("cutout", row);
    stream.uniform();
    const auto middle_y = std::int64_t(stream.below(5)), middle_x = std::int64_t(stream.below(7));
    std::vector<float> image = row_of(images(), row);
    for (std::int64_t c = 0; c < 3; ++c) {
      for (std::int64_t y = 0; y < 5; ++y) {
        for (std::int64_t x = 0; x < 7; ++x) {
          if (std::abs(y - middle_y) <= 1 && std::abs(x - middle_x) <= 1) at(image, c, y, x) = 0;
        }
      }
    }
    CHECK(made(cutout, row) == image);
  }
}

TEST_CASE("normalise takes mean and deviation of each channel", "[data][augment]") {
  std::vector<float> image = row_of(images(), 1);
  const float mean[] = {0.4914f, 0.4822f, 0.4465f}, deviation[] = {0.247f, 0.2435f, 0.2616f};
  for (std::int64_t c = 0; c < 3; ++c) {
    for (std::int64_t i = 0; i < 35; ++i) {
      float& number = image[std::size_t(c * 35 + i)];
      number = (number - mean[c]) / deviation[c];
    }
  }
  const char* text = R"([{"op":"normalise","mean":[0.4914,0.4822,0.4465],"std":[0.247,0.2435,0.2616]}])";
  CHECK(made(augment(text), 1) == image);
  std::vector<float> measured = row_of(images(), 1);
  data::Normalise(steps(text), schema()).apply(measured.data());
  CHECK(measured == image);
  CHECK(data::Normalise(steps(R"([{"op":"noise","std":1}])"), schema()).is_empty());
}

TEST_CASE("noise is normal and new in every epoch", "[data][augment]") {
  data::Augment noise = augment(R"([{"op":"noise","std":0.5}])");
  const std::vector<float> plain = row_of(images(), 0), first = made(noise, 0);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const double difference = double(first[i]) - double(plain[i]);
    sum += difference;
    squares += difference * difference;
  }
  CHECK(std::abs(sum / 105) < 0.2);
  CHECK(std::sqrt(squares / 105) == Approx(0.5).epsilon(0.25));
  noise.begin_epoch(2);
  CHECK(made(noise, 0) != first);
  noise.begin_epoch(1);
  CHECK(made(noise, 0) == first);
}

TEST_CASE("rotate turns about the centre", "[data][augment]") {
  const data::Augment rotate = augment(R"([{"op":"rotate","degrees":180.0}])");
  bool found = false;
  for (std::int64_t row = 0; row < kRows; ++row) {
    const double angle = (2 * stream_of("rotate", row).uniform() - 1) * M_PI;
    std::vector<float> image = row_of(images(), row), expected(image.size());
    for (std::int64_t y = 0; y < 5; ++y) {
      for (std::int64_t x = 0; x < 7; ++x) {  // where the pixel was before it was turned by `angle`
        const auto from_x =
            std::int64_t(std::nearbyint(std::cos(angle) * double(x - 3) - std::sin(angle) * double(y - 2) + 3));
        const auto from_y =
            std::int64_t(std::nearbyint(std::sin(angle) * double(x - 3) + std::cos(angle) * double(y - 2) + 2));
        const bool is_inside = from_x >= 0 && from_x < 7 && from_y >= 0 && from_y < 5;
        for (std::int64_t c = 0; c < 3; ++c) at(expected, c, y, x) = is_inside ? at(image, c, from_y, from_x) : 0;
        found |= is_inside && (from_x != x || from_y != y);
      }
    }
    CHECK(made(rotate, row) == expected);
  }
  CHECK(found);
}

TEST_CASE("what is drawn depends on seed, replicate, name, epoch, row and turn alone", "[data][augment]") {
  const char* text = R"([{"op":"noise","std":1}])";
  const std::vector<float> first = made(augment(text), 3);
  CHECK(made(augment(text), 3) == first);
  CHECK(made(augment(text, 8), 3) != first);
  CHECK(made(augment(text, 7, 1), 3) != first);
  CHECK(made(augment(R"([{"op":"noise","std":1,"name":"other"}])"), 3) != first);
  CHECK(made(augment(text), 3, 1) != first);
  CHECK(made(augment(R"([{"op":"flip","p":0.0,"axis":"horizontal"},{"op":"noise","std":1}])"), 3) == first);
}

TEST_CASE("a Beta number has its mean and variance", "[data][augment]") {
  const double alpha = GENERATE(0.05, 0.2, 1.0, 4.0);
  RandomStream stream(3, {"beta"});
  double sum = 0, squares = 0;
  constexpr int kCount = 20000;
  for (int i = 0; i < kCount; ++i) {
    const double x = data::draw_beta(alpha, stream);
    REQUIRE((x >= 0 && x <= 1));
    sum += x;
    squares += (x - 0.5) * (x - 0.5);
  }
  CHECK(sum / kCount == Approx(0.5).margin(0.012));
  CHECK(squares / kCount == Approx(1 / (4 * (2 * alpha + 1))).epsilon(0.03));
  RandomStream tiny(3, {"tiny"});
  CHECK(std::isfinite(data::draw_beta(1e-3, tiny)));
}

TEST_CASE("mixup weighs two examples, cutmix puts one into the other", "[data][augment]") {
  const std::vector<float> own = row_of(images(), 0), partner = row_of(images(), 1);
  const data::Augment mixup = augment(R"([{"op":"mixup","alpha":1.0,"p":1.0}])"),
                      cutmix = augment(R"([{"op":"cutmix","alpha":1.0,"p":1.0}])");
  CHECK(mixup.mixes());
  for (std::int64_t row = 0; row < kRows; ++row) {
    const data::Mixing weighed = mixup.mixing({row, 0}, 50), cut = cutmix.mixing({row, 0}, 50);
    CHECK((weighed.partner >= 0 && weighed.partner < 50));
    std::vector<float> example = own;
    mixup.mix(weighed, partner.data(), example.data());
    for (std::size_t i = 0; i < own.size(); ++i)
      CHECK(example[i] == Approx(weighed.share * own[i] + (1 - weighed.share) * partner[i]).epsilon(1e-6));
    example = own;
    cutmix.mix(cut, partner.data(), example.data());
    std::int64_t replaced = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      CHECK((example[i] == own[i] || example[i] == partner[i]));
      replaced += example[i] == partner[i] ? 1 : 0;
    }
    CHECK(replaced == 3 * cut.box.area());
    CHECK(cut.share == 1 - double(cut.box.area()) / 35);
  }
}

TEST_CASE("of several mixing steps the first that applies is done", "[data][augment]") {
  const data::Augment both = augment(R"([{"op":"mixup","alpha":1.0,"p":0.5},{"op":"cutmix","alpha":1.0,"p":0.5}])");
  int weighed = 0, cut = 0, none = 0;
  for (std::int64_t row = 0; row < 400; ++row) {
    const data::Mixing mixing = both.mixing({row, 0}, 400);
    ++(mixing.partner < 0 ? none : mixing.is_cut ? cut : weighed);
  }
  CHECK(weighed > 160);
  CHECK(cut > 70);
  CHECK(none > 70);
}

}  // namespace augment_test
