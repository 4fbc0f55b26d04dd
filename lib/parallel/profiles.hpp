// SPDX-License-Identifier: Apache-2.0
// Published networks as the timing mode needs them: their layers, and seconds of one gradient.
#pragma once
#include "parallel/layers.hpp"

namespace dlrun::parallel {

/// A network on the machines of Ko et al., IPDPS 2021: one TITAN V for each rank, TensorFlow 1.12.
struct Profile {
  double gradient_s = 0;  ///< time of a batch, without communication
  std::vector<Layer> layers;

  double bytes() const;
};

/// ResNet-50 (He et al., CVPR 2016) for images of 224², without its classifier, as that paper counts it: 23.5 million
/// parameters, 94 MB. A batch of 128 takes 0.43 s.
Profile resnet50();

/// VGG-16 (Simonyan, Zisserman, ICLR 2015): 138 million parameters, 528 MiB, of which the first dense layer has 74 %.
/// A batch of 96 takes 0.70 s.
Profile vgg16();

}  // namespace dlrun::parallel
