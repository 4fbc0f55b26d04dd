// SPDX-License-Identifier: Apache-2.0
// Colour steps and rotation against torchvision (tests/golden/torch/colour.json).
#include <array>
#include <vector>

#include "data/augment/step.hpp"
#include "support/catch.hpp"
#include "util/files.hpp"
#include "util/shuffle.hpp"

namespace colour_golden_test {

using namespace dlrun;

namespace {

Json reference() { return parse_json(read_file(DLRUN_SOURCE_DIR "/tests/golden/torch/colour.json"), "colour.json"); }

RandomStream stream_of(const Json& item) { return {item.at("seed").get<std::uint64_t>(), {"colour"}}; }

/// With the defaults of every key.
Json whole(const Json& step) {
  Json all = {{"brightness", 0}, {"contrast", 0}, {"saturation", 0}, {"hue", 0}};
  all.update(step);
  return all;
}

}  // namespace

TEST_CASE("colours and rotations are torchvision's", "[data][augment][golden]") {
  const Json all = reference();
  const auto shape = all.at("shape").get<std::vector<std::int64_t>>();
  const data::Image size{shape[0], shape[1], shape[2]};
  for (const Json& item : all.at("cases")) {
    INFO(item.at("step") << " seed " << item.at("seed"));
    auto image = all.at("image").get<std::vector<float>>();
    RandomStream stream = stream_of(item);
    data::make_step(whole(item.at("step")))->apply(image.data(), size, stream);
    double worst = 0;
    for (std::size_t i = 0; i < image.size(); ++i)
      worst = std::max(worst, std::abs(double(image[i]) - item.at("end")[i].get<double>()));
    CHECK(worst <= 2e-6);
  }
  CHECK(all.at("cases").size() >= 28);
}

TEST_CASE("the recorded draws are the streams' own", "[data][augment][golden]") {
  const Json all = reference();
  for (const Json& item : all.at("cases")) {
    RandomStream first = stream_of(item), stream = stream_of(item);
    CHECK(first.uniform() == item.at("first").get<double>());
    std::array<std::size_t, 4> order{0, 1, 2, 3};
    shuffle(order, stream);
    CHECK(order == item.at("order").get<std::array<std::size_t, 4>>());
    for (const Json& drawn : item.at("drawn")) CHECK(stream.uniform() == drawn.get<double>());
  }
}

}  // namespace colour_golden_test
