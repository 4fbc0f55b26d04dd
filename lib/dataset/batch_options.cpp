// SPDX-License-Identifier: Apache-2.0
// The table of augmentation steps and samplers.
#include "dataset/batch_section.hpp"

namespace dlrun::dataset {

namespace {

Option number(const char* name, double fallback, double low, double high, const char* text) {
  return {.name = name, .type = "float", .fallback = fallback, .low = low, .high = high, .text = text};
}

Option share(double fallback) { return number("p", fallback, 0, 1, "share of the examples it is done to"); }

Option numbers(const char* name, double low, const char* text) {
  return {.name = name, .type = "numbers", .required = true, .low = low, .high = 1e30, .text = text};
}

DataKind step(const char* op, std::vector<Option> options, const char* text) {
  options.push_back(
      {.name = "name", .type = "string", .text = "of the step, names its random stream; default: its op"});
  return {op, std::move(options), text};
}

std::vector<DataKind> moves() {
  return {step("flip",
               {share(0.5),
                {.name = "axis",
                 .type = "enum:horizontal|vertical",
                 .fallback = "horizontal",
                 .text = "left and right change places, or top and bottom"}},
               "mirrors an image"),
          step("crop",
               {{.name = "pad", .type = "int", .fallback = 4, .low = 1, .high = 4096, .text = "pixels of 0 around it"}},
               "pads an image with 0 and cuts out one of its size, anywhere"),
          step("shift", {number("most", 0.1, 0, 1, "share of height and width")},
               "moves an image by whole pixels, up to a share of its size; 0 comes in"),
          step("rotate", {number("degrees", 15, 0, 180, "to either side")},
               "turns an image about its centre, nearest pixel; 0 comes in")};
}

std::vector<DataKind> pixels() {
  return {
      step("cutout",
           {{.name = "size", .type = "int", .fallback = 8, .low = 1, .high = 4096, .text = "side of the square"},
            share(1)},
           "a square around any pixel becomes 0 (DeVries, Taylor 2017)"),
      step("colour",
           {number("brightness", 0, 0, 10, "factor of all light, within 1 -+ this"),
            number("contrast", 0, 0, 10, "distance from the mean grey"),
            number("saturation", 0, 0, 10, "distance from each pixel's grey"),
            number("hue", 0, 0, 0.5, "turn of the colour circle")},
           "changes light and colours, in any order; numbers from 0 to 1, so before normalise"),
      step("grayscale", {share(0.1)}, "three equal channels of grey"),
      step("noise", {number("std", 0.1, 0, 1e30, "standard deviation")}, "adds normal noise to every number"),
      step("normalise", {numbers("mean", -1e30, "of each channel, or one for all"), numbers("std", 1e-30, "as mean")},
           "takes the mean away and divides by std; holds for val and test too")};
}

std::vector<DataKind> mixes() {
  return {step("mixup", {number("alpha", 0.2, 1e-3, 1000, "Beta(alpha, alpha) draws the weight"), share(1)},
               "weighs an example with another, targets too (Zhang et al. 2018)"),
          step("cutmix", {number("alpha", 1, 1e-3, 1000, "Beta(alpha, alpha) draws the area"), share(1)},
               "puts a part of another image in, targets by area (Yun et al. 2019)")};
}

Option augment() {
  Option option{.name = "augment",
                .type = "ops",
                .fallback = Json::array(),
                .text = "what is done to the examples of the training split, one after the other, anew in each epoch"};
  for (std::vector<DataKind> part : {moves(), pixels(), mixes()})
    option.kinds.insert(option.kinds.end(), part.begin(), part.end());
  return option;
}

Option draws() {
  return {.name = "draws",
          .type = "int",
          .low = 1,
          .high = 1e12,
          .text = "examples in an epoch; default: as many as there are"};
}

Option sampler() {
  Option option{.name = "sampler", .type = "op", .fallback = "shuffle", .text = "which training examples an epoch has"};
  option.kinds = {
      {"shuffle", {}, "each once, in an order of its own for every epoch"},
      {"sequential", {}, "each once, in the order of the file"},
      {"weighted",
       {numbers("weights", 0, "of an example of each class, in the order of the classes"), draws()},
       "drawn with replacement"},
      {"balanced", {draws()}, "drawn with replacement, every class as often as every other"},
      {"oversample", {}, "shuffled; examples of small classes several times, until every class is as large"}};
  return option;
}

}  // namespace

std::vector<Option> batch_options() {
  return {augment(),
          sampler(),
          {.name = "drop_last", .type = "bool", .fallback = false, .text = "leave out the last batch if it is smaller"},
          {.name = "prefetch",
           .type = "int-or-enum:auto",
           .fallback = "auto",
           .low = 0,
           .high = 16,
           .text = "threads that prepare batches ahead; auto: one, where that is worth it; never changes a bit"}};
}

}  // namespace dlrun::dataset
