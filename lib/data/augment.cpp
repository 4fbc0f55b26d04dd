// SPDX-License-Identifier: Apache-2.0
#include "data/augment.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace dlrun::data {

namespace {

/// Words of a step's stream that belong to one appearance: enough for normal noise on 8 million numbers.
constexpr int kWordsLog2 = 24;

Image image_of(const dataset::Schema& schema) {
  const std::vector<std::int64_t>& shape = schema.input();
  if (shape.size() == 3) return {shape[0], shape[1], shape[2]};
  std::int64_t all = 1;
  for (const std::int64_t size : shape) all *= size;
  const std::int64_t channels = shape.empty() ? 1 : shape[0];
  return {channels, 1, all / channels};
}

bool is_mix(const Json& step) { return step.at("op") == "mixup" || step.at("op") == "cutmix"; }

/// The box of CutMix as torchvision.transforms.v2.CutMix draws it, for the share that is kept.
Box draw_box(double kept, const Image& image, RandomStream& stream) {
  const auto x = std::int64_t(stream.below(std::uint64_t(image.width)));
  const auto y = std::int64_t(stream.below(std::uint64_t(image.height)));
  const double half = 0.5 * std::sqrt(1 - kept);
  const auto across = std::int64_t(half * double(image.width)), down = std::int64_t(half * double(image.height));
  return {std::max<std::int64_t>(y - down, 0), std::min(y + down, image.height), std::max<std::int64_t>(x - across, 0),
          std::min(x + across, image.width)};
}

}  // namespace

struct Augment::Mix {
  explicit Mix(const Json& step)
      : name(step.at("name")), is_cut(step.at("op") == "cutmix"), alpha(step.at("alpha")), p(step.at("p")) {}

  std::string name;
  bool is_cut;
  double alpha, p;
  RandomStream stream{0, {}};
};

Augment::Augment(const Json& steps, const dataset::Schema& schema, std::int64_t rows, std::uint64_t seed, int replicate)
    : rows_(rows), seed_(seed), replicate_(replicate) {
  if (!steps.is_array() || steps.empty()) return;
  image_ = image_of(schema);
  for (const Json& step : steps) {
    if (is_mix(step)) {
      mixes_.emplace_back(step);
    } else {
      if (step.at("op") == "normalise") normalised_ = std::min(normalised_, steps_.size());
      steps_.push_back(make_step(step));
      names_.push_back(step.at("name"));
    }
  }
  begin_epoch(1);
}

Augment::~Augment() = default;

void Augment::begin_epoch(std::int64_t epoch) {
  const std::string replicate = std::to_string(replicate_), number = std::to_string(epoch);
  streams_.clear();
  for (const std::string& name : names_)
    streams_.emplace_back(RandomStream(seed_, {"augment", name, replicate, number}));
  for (Mix& mix : mixes_) mix.stream = RandomStream(seed_, {"augment", mix.name, replicate, number});
}

RandomStream Augment::stream_of(const RandomStream& base, Appearance which) const {
  RandomStream stream = base;
  stream.seek(std::uint64_t(which.row + which.turn * rows_) << kWordsLog2);
  return stream;
}

void Augment::make(const dataset::Array& array, Appearance which, float* to) const {
  Placing placing = Placing::whole(image_);
  std::size_t k = 0;
  for (; k < steps_.size(); ++k) {
    const auto* move = dynamic_cast<const Move*>(steps_[k].get());
    if (move == nullptr) break;
    RandomStream stream = stream_of(streams_[k], which);
    move->place(placing, image_, stream);
  }
  copy_placed(array, which.row, placing, image_, to);
  for (; k < steps_.size(); ++k) {
    RandomStream stream = stream_of(streams_[k], which);
    const auto* move = k < normalised_ ? dynamic_cast<const Move*>(steps_[k].get()) : nullptr;
    move ? move->move(to, image_, stream, array.shift) : steps_[k]->apply(to, image_, stream);
  }
}

Mixing Augment::mixing(Appearance which, std::int64_t count) const {
  for (const Mix& mix : mixes_) {
    RandomStream stream = stream_of(mix.stream, which);
    if (stream.uniform() >= mix.p) continue;
    Mixing mixing;
    mixing.partner = std::int64_t(stream.below(std::uint64_t(count)));
    mixing.share = draw_beta(mix.alpha, stream);
    mixing.is_cut = mix.is_cut;
    if (!mix.is_cut) return mixing;
    mixing.box = draw_box(mixing.share, image_, stream);
    mixing.share = 1 - double(mixing.box.area()) / double(image_.pixels());
    return mixing;
  }
  return {};
}

void Augment::mix(const Mixing& mixing, const float* partner, float* example) const {
  if (!mixing.is_cut) {
    const auto share = float(mixing.share), rest = float(1 - mixing.share);
    for (std::int64_t i = 0; i < image_.size(); ++i) example[i] = share * example[i] + rest * partner[i];
    return;
  }
  const Box& box = mixing.box;
  for (std::int64_t c = 0; c < image_.channels; ++c) {
    for (std::int64_t y = box.top; y < box.bottom; ++y) {
      const std::int64_t line = c * image_.pixels() + y * image_.width;
      std::copy(partner + line + box.left, partner + line + box.right, example + line + box.left);
    }
  }
}

Normalise::Normalise(const Json& steps, const dataset::Schema& schema) {
  if (!steps.is_array()) return;
  for (const Json& step : steps) {
    if (step.at("op") == "normalise") steps_.push_back(make_step(step));
  }
  if (!steps_.empty()) image_ = image_of(schema);
}

Normalise::~Normalise() = default;

void Normalise::apply(float* example) const {
  RandomStream unused(0, {});
  for (const std::unique_ptr<Step>& step : steps_) step->apply(example, image_, unused);
}

}  // namespace dlrun::data
