// SPDX-License-Identifier: Apache-2.0
// The kinds for series, images and volumes: what is wrong with a wrong one, and what stays of the attributes. Their
// shapes are compared with PyTorch's in tests/golden/torch.
#include "graphs.hpp"
#include "support/catch.hpp"

namespace kinds_test {

using namespace dlrun;
using namespace dlrun::model;
using Catch::Matchers::Contains;

namespace {

const Shape kSeries{4, 11}, kImage{4, 7, 6}, kVolume{4, 3, 5, 4};

/// The only fault of one layer, but for the output's width.
std::string fault_of(const std::string& attributes, const Shape& in) {
  std::vector<std::string> faults;
  for (const std::string& fault : faults_of(R"({"nodes":[{"name":"n",)" + attributes + "}]}", input_of(in))) {
    if (fault.find("the model's output") == std::string::npos) faults.push_back(fault);
  }
  CAPTURE(faults);
  REQUIRE(faults.size() == 1);
  return faults[0];
}

Node node_of(const std::string& attributes, const Shape& in) {
  return part_of(R"([{"name":"n",)" + attributes + "}]", input_of(in)).nodes.at(0);
}

}  // namespace

TEST_CASE("convolutions want as many directions as their name says", "[model][kinds]") {
  CHECK(fault_of(R"("op":"conv1d","out":2,"k":3)", kImage) ==
        "nodes.0: 'n': conv1d needs an input [channels, length], but gets [4, 7, 6] (change the shape before it, {op: "
        "reshape, shape: [channels, length]}, or take conv2d)");
  CHECK_THAT(fault_of(R"("op":"conv_transpose1d","out":2,"k":3)", kVolume), Contains("or take conv_transpose3d)"));
  CHECK_THAT(fault_of(R"("op":"conv1d","out":2,"k":3)", {4}), Contains("shape: [channels, length]})"));
  CHECK_THAT(fault_of(R"("op":"conv3d","out":2,"k":3)", kSeries),
             Contains("conv3d needs an input [channels, depth, height, width], but gets [4, 11]"));
  CHECK_THAT(fault_of(R"("op":"conv_transpose2d","out":2,"k":3)", kSeries), Contains("[channels, height, width]"));
  CHECK_THAT(fault_of(R"("op":"conv1d","out":2,"k":[3,3])", kSeries),
             Contains("nodes.0.k: 'n': 'k' has 2 numbers, but the input [4, 11] has 1 directions"));
  CHECK_THAT(fault_of(R"("op":"conv3d","out":2,"k":4)", kVolume),
             Contains("nodes.0.k: 'n': a window of [4, 4, 4] does not fit into the input [4, 3, 5, 4]"));
}

TEST_CASE("groups: in convolves each channel by itself", "[model][kinds]") {
  const Node node = node_of(R"("op":"conv2d","out":8,"k":3,"groups":"in")", kImage);
  CHECK(node.attributes["groups"] == 4);
  CHECK(node.tensors[0].shape == Shape{8, 1, 3, 3});
  CHECK_THAT(fault_of(R"("op":"conv2d","out":6,"k":3,"groups":"in")", kImage),
             Contains("nodes.0.groups: 'n': 4 groups do not divide 4 input and 6 output channels"));
}

TEST_CASE("transposed convolutions", "[model][kinds]") {
  CHECK_THAT(fault_of(R"("op":"conv_transpose1d","out":2,"k":3,"stride":2,"output_padding":2)", kSeries),
             Contains("nodes.0.output_padding: 'n': 2 is not below stride 2 or dilation 1"));
  CHECK_THAT(fault_of(R"("op":"conv_transpose1d","out":2,"k":1,"pad":6)", kSeries),
             Contains("nodes.0.pad: 'n': a pad of 6 leaves nothing of 11"));
  CHECK(node_of(R"("op":"conv_transpose2d","out":6,"k":2,"stride":2)", kImage).operations == 4 * 7 * 6 * 6 * 4);
}

TEST_CASE("norms", "[model][kinds]") {
  CHECK_THAT(fault_of(R"("op":"groupnorm","groups":3)", kImage),
             Contains("nodes.0.groups: 'n': 3 groups do not divide 4 channels"));
  CHECK_THAT(fault_of(R"("op":"groupnorm","groups":4)", {4}), Contains("would hold a single number"));
  CHECK_THAT(fault_of(R"("op":"instancenorm")", {4}), Contains("nodes.0: 'n': instancenorm needs an input [channels"));
  CHECK_THAT(fault_of(R"("op":"instancenorm","momentum":0.3)", kImage),
             Contains("nodes.0.momentum: 'n': without running statistics nothing reads `momentum`"));
  CHECK(node_of(R"("op":"layernorm","shape":[6])", kImage).tensors[0].shape == Shape{6});
  CHECK_THAT(fault_of(R"("op":"layernorm","shape":[7])", kImage),
             Contains("nodes.0.shape: 'n': the spec says shape: [7], but it is [4,7,6]"));
}

TEST_CASE("pools of any directions", "[model][kinds]") {
  CHECK_THAT(fault_of(R"("op":"maxpool","k":2)", {4}), Contains("maxpool needs an input [channels, length]"));
  CHECK_THAT(fault_of(R"("op":"avgpool","k":3,"pad":2)", kSeries), Contains("a pad of [2] is more than half"));
  CHECK(node_of(R"("op":"maxpool","k":2,"ceil_mode":true)", kImage).out == Shape{4, 4, 3});
  CHECK(node_of(R"("op":"maxpool","k":2,"stride":3,"pad":1,"ceil_mode":true)", {1, 5}).out == Shape{1, 2});
  CHECK_THAT(fault_of(R"("op":"avgpool","k":2,"dilation":2)", kImage), Contains("avgpool has no 'dilation'"));
}

TEST_CASE("sizes that change without weights", "[model][kinds]") {
  CHECK_THAT(fault_of(R"("op":"upsample")", kImage), Contains("upsample needs either `scale` or `size`"));
  CHECK_THAT(fault_of(R"("op":"upsample","scale":2,"size":4)", kImage), Contains("nodes.0.size"));
  CHECK_THAT(fault_of(R"("op":"upsample","scale":2,"mode":"linear")", kImage),
             Contains("nodes.0.mode: 'n': linear is for 1 directions"));
  CHECK_THAT(fault_of(R"("op":"upsample","scale":2,"align_corners":true)", kImage),
             Contains("nodes.0.align_corners: 'n': nearest has no corners to align"));
  CHECK_THAT(fault_of(R"("op":"pixel_shuffle","factor":3)", kImage),
             Contains("nodes.0.factor: 'n': 4 channels cannot be dealt out to 9 places"));
  CHECK_THAT(fault_of(R"("op":"pixel_unshuffle","factor":2)", kImage), Contains("2 divides not both sizes"));
  CHECK_THAT(fault_of(R"("op":"pad","pad":[1,2])", kImage), Contains("nodes.0.pad: 'n': 'pad' has 2 numbers"));
  CHECK_THAT(fault_of(R"("op":"pad","pad":6,"mode":"reflect")", kImage),
             Contains("nodes.0.pad: 'n': reflect can pad a size of 6 by at most 5, not 6"));
  CHECK_THAT(fault_of(R"("op":"pad","pad":1,"mode":"replicate","value":1)", kImage),
             Contains("nodes.0.value: 'n': replicate takes its values from the input"));
}

TEST_CASE("parts, orders and summaries", "[model][kinds]") {
  CHECK_THAT(fault_of(R"("op":"split","parts":3,"index":0)", kImage),
             Contains("nodes.0.parts: 'n': 3 parts of one size do not make up 4"));
  CHECK_THAT(fault_of(R"("op":"split","parts":2,"index":2)", kImage),
             Contains("nodes.0.index: 'n': there are 2 parts, so the last is 1, not 2"));
  CHECK_THAT(fault_of(R"("op":"split","sizes":[1,2],"index":0)", kImage), Contains("[1, 2] make up 3, not 4"));
  CHECK_THAT(fault_of(R"("op":"split","index":0)", kImage), Contains("split needs either `parts` or `sizes`"));
  CHECK_THAT(fault_of(R"("op":"slice","start":3,"stop":3)", kImage), Contains("nothing lies from 3 to before 3"));
  CHECK_THAT(fault_of(R"("op":"slice","stop":12,"dim":1)", kSeries), Contains("12 is past the end of a size of 11"));
  CHECK_THAT(fault_of(R"("op":"permute","dims":[0,0,1])", kImage), Contains("is no order of the sizes of [4, 7, 6]"));
  CHECK_THAT(fault_of(R"("op":"transpose","dims":[0,2])", kSeries), Contains("the input [4, 11] has no dim 2"));
  CHECK_THAT(fault_of(R"("op":"mean","dim":[1,1])", kImage), Contains("[1, 1] names a size twice"));
  CHECK_THAT(fault_of(R"("op":"sum","dim":3)", kImage), Contains("the input [4, 7, 6] has no dim 3"));
  CHECK_THAT(fault_of(R"("op":"scale","factor":2,"dim":0)", kImage), Contains("a fixed factor is one for all"));
  CHECK_THAT(fault_of(R"("op":"glu")", kSeries), Contains("glu halves size 1 of [4, 11], which is odd"));
  CHECK_THAT(fault_of(R"("op":"hardtanh","min":2)", kSeries), Contains("nodes.0.min: 'n': 2 is not below 1"));
}

TEST_CASE("add stretches a size of 1 only where it is told to", "[model][kinds]") {
  const std::string nodes =
      R"([{"name":"m","op":"mean","dim":[1,2],"keepdim":true},{"name":"s","op":"add","from":["x","m"])";
  CHECK(part_of(nodes + R"(,"broadcast":true}])", input_of(kImage)).find("s")->out == kImage);
  CHECK_THROWS_WITH(part_of(nodes + "}]", input_of(kImage)), Contains("cannot add 'x' [4, 7, 6] and 'm' [4, 1, 1]"));
}

TEST_CASE("layers that change nothing do not count in the hash", "[model][kinds]") {
  const auto hash = [](const std::string& node) {
    return structural_hash(
        part_of(R"([{"name":"c","op":"conv2d","out":2,"k":3})" + node + R"(,{"op":"relu"}])", input_of(kImage)));
  };
  const std::string same = GENERATE(R"("op":"drop_path","p":0)", R"("op":"scale","factor":1)",
                                    R"("op":"permute","dims":[0,1,2])", R"("op":"transpose","dims":[1,1])");
  CHECK(hash(",{" + same + "}") == hash(""));
  CHECK(hash(R"(,{"op":"scale","factor":2})") != hash(""));
}

}  // namespace kinds_test
