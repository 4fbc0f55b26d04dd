// SPDX-License-Identifier: Apache-2.0
// The table of augmentation steps and samplers.
#include "dataset/batch_section.hpp"
#include "dataset/partition_section.hpp"

namespace dlrun::dataset {

namespace {

options::Key number(const char* name, double fallback, double low, double high, const char* text) {
  return real(name, text).from(low).to(high).with(fallback);
}

options::Key share(double fallback) { return number("p", fallback, 0, 1, "share of the examples it is done to"); }

options::Key numbers(const char* name, double low, const char* text) {
  return key(options::Form::numbers, name, text).from(low).to(1e30).must();
}

options::Variant step(const char* op, options::Table options, const char* text) {
  options.push_back(options::text("name", "of the step, names its random stream; default: its op"));
  return {op, text, std::move(options)};
}

std::vector<options::Variant> moves() {
  return {
      step("flip",
           {share(0.5), choice("axis", "left and right change places, or top and bottom", {"horizontal", "vertical"})
                            .with("horizontal")},
           "mirrors an image"),
      step("crop", {integer("pad", "black pixels around it; behind normalise they are 0").from(1).to(4096).with(4)},
           "pads an image with black and cuts out one of its size, anywhere"),
      step("shift", {number("most", 0.1, 0, 1, "share of height and width")},
           "moves an image by whole pixels, up to a share of its size; black comes in, behind normalise 0"),
      step("rotate", {number("degrees", 15, 0, 180, "to either side")},
           "turns an image about its centre, nearest pixel; 0 comes in, the mean of standardised data")};
}

std::vector<options::Variant> pixels() {
  return {
      step("cutout", {integer("size", "side of the square").from(1).to(4096).with(8), share(1)},
           "a square around any pixel becomes 0, the mean of standardised data (DeVries, Taylor 2017)"),
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

std::vector<options::Variant> mixes() {
  return {step("mixup", {number("alpha", 0.2, 1e-3, 1000, "Beta(alpha, alpha) draws the weight"), share(1)},
               "weighs an example with another, targets too (Zhang et al. 2018)"),
          step("cutmix", {number("alpha", 1, 1e-3, 1000, "Beta(alpha, alpha) draws the area"), share(1)},
               "puts a part of another image in, targets by area (Yun et al. 2019)")};
}

options::Key augment() {
  std::vector<options::Variant> steps = moves();
  for (const std::vector<options::Variant>& further : {pixels(), mixes()})
    steps.insert(steps.end(), further.begin(), further.end());
  return list("augment", "what is done to the examples of the training split, one after the other, anew in each epoch",
              variant("augment", "", std::move(steps)))
      .with(Json::array());
}

options::Key draws() {
  return integer("draws", "examples in an epoch; default: as many as there are").from(1).to(1e12);
}

options::Key sampler() {
  return variant(
             "sampler", "which training examples an epoch has",
             {{"shuffle", "each once, in an order of its own for every epoch", {}},
              {"sequential", "each once, in the order of the file", {}},
              {"weighted",
               "drawn with replacement",
               {numbers("weights", 0, "of an example of each class, in the order of the classes"), draws()}},
              {"balanced", "drawn with replacement, every class as often as every other", {draws()}},
              {"oversample", "shuffled; examples of small classes several times, until every class is as large", {}}})
      .with("shuffle");
}

}  // namespace

options::Table batch_options() {
  return {
      augment(), sampler(), partition_option(),
      boolean("drop_last", "leave out the last batch if it is smaller").with(false),
      integer("prefetch", "threads that prepare batches ahead; auto: one, where that is worth it; never changes a bit")
          .or_word("auto")
          .from(0)
          .to(16)
          .with("auto")};
}

}  // namespace dlrun::dataset
