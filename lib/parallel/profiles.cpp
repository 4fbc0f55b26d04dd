// SPDX-License-Identifier: Apache-2.0
#include "parallel/profiles.hpp"

namespace dlrun::parallel {

namespace {

/// Layers with shares of the backward pass by their multiplications.
struct Builder {
  std::vector<Layer> layers;

  /// @param side  of the output, in pixels
  void convolution(int kernel, int in, int out, int side, int parameters_per_channel) {
    const double weights = double(kernel) * kernel * in * out;
    add_layer(weights + double(parameters_per_channel) * out, weights * side * side);
  }
  void dense(int in, int out) { add_layer(double(in) * out + out, double(in) * out); }
  void add_layer(double parameters, double multiplications) { layers.push_back({0, 4 * parameters, multiplications}); }
};

constexpr int kBias = 1, kNorm = 2;  // parameters of a channel

void bottleneck(Builder& net, int in, int width, int side, bool is_first) {
  net.convolution(1, in, width, side, kNorm);
  net.convolution(3, width, width, side, kNorm);
  net.convolution(1, width, 4 * width, side, kNorm);
  if (is_first) net.convolution(1, in, 4 * width, side, kNorm);
}

}  // namespace

double Profile::bytes() const {
  double sum = 0;
  for (const Layer& layer : layers) sum += layer.bytes;
  return sum;
}

Profile resnet50() {
  Builder net;
  net.convolution(7, 3, 64, 112, kNorm);
  constexpr int kBlocks[] = {3, 4, 6, 3};
  int in = 64;
  for (int stage = 0; stage < 4; ++stage) {
    const int width = 64 << stage, side = 56 >> stage;
    for (int block = 0; block < kBlocks[stage]; ++block, in = 4 * width) {
      bottleneck(net, in, width, side, block == 0);
    }
  }
  return {0.43, net.layers};
}

Profile vgg16() {
  Builder net;
  constexpr int kConvolutions[] = {2, 2, 3, 3, 3}, kWidths[] = {64, 128, 256, 512, 512};
  int in = 3;
  for (int stage = 0; stage < 5; ++stage) {
    for (int i = 0; i < kConvolutions[stage]; ++i, in = kWidths[stage]) {
      net.convolution(3, in, kWidths[stage], 224 >> stage, kBias);
    }
  }
  net.dense(25088, 4096);
  net.dense(4096, 4096);
  net.dense(4096, 1000);
  return {0.70, net.layers};
}

}  // namespace dlrun::parallel
