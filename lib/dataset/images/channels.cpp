// SPDX-License-Identifier: Apache-2.0
#include "dataset/images/channels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "dataset/replace.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

/// The pixels in memory of their own, so that they can be changed.
void own(ImageSet& images) {
  if (!images.mapped) return;
  const std::size_t size = images.labels.size() * std::size_t(images.channels * images.height * images.width);
  const auto* first = reinterpret_cast<const std::uint8_t*>(images.mapped.get());
  images.pixels.assign(first, first + size);
  images.mapped.reset();
}

/// How each channel is replaced, if it is.
std::vector<std::optional<Replacement>> replacements(const Json& data, std::int64_t channels) {
  std::vector<std::optional<Replacement>> out(static_cast<std::size_t>(channels));
  const Json wanted = data.value("replace", Json());
  if (wanted.is_null()) return out;
  for (const auto& [name, how] : wanted.items()) {
    std::int64_t channel = 0;
    while (channel < channels && std::to_string(channel) != name) ++channel;
    if (channel == channels)
      throw DataError("replace." + name, fmt::format("there is no channel '{}'", name),
                      fmt::format("0 to {}", channels - 1));
    out[std::size_t(channel)] = replacement("channel", name, how);
  }
  return out;
}

std::set<std::int64_t> wanted_channels(const Json& list, std::int64_t channels) {
  std::set<std::int64_t> kept;
  for (const Json& entry : list) {
    const bool is_one = entry.is_number_integer() && entry >= 0 && entry < channels;
    if (!is_one)
      throw DataError("channels", fmt::format("there is no channel {}", quoted(entry)),
                      fmt::format("0 to {}", channels - 1));
    if (!kept.insert(entry.get<std::int64_t>()).second)
      throw DataError("channels", fmt::format("channel {} is named twice", quoted(entry)));
  }
  if (kept.empty()) throw DataError("channels", "no channel is left");
  if (std::int64_t(kept.size()) == channels)
    throw DataError("channels", "'channels' names all there are, and so has no effect", "remove it");
  return kept;
}

}  // namespace

options::Table channel_options() {
  return {key(options::Form::columns, "channels", "the channels that are inputs, from 0; default: all"),
          key(options::Form::names, "replace",
              "channels that are to say nothing, {0: mean, 2: permute}: by the mean of the training split, or of "
              "another image of the same split")};
}

void keep_channels(ImageSet& images, const Json& data) {
  const Json list = data.value("channels", Json());
  if (list.is_null()) return;
  const std::set<std::int64_t> kept = wanted_channels(list, images.channels);
  own(images);
  const std::size_t plane = std::size_t(images.height * images.width);
  std::vector<std::uint8_t> pixels;
  pixels.reserve(images.labels.size() * plane * kept.size());
  for (std::size_t row = 0; row < images.labels.size(); ++row) {
    for (const std::int64_t channel : kept) {
      const auto* first = images.pixels.data() + (row * std::size_t(images.channels) + std::size_t(channel)) * plane;
      pixels.insert(pixels.end(), first, first + plane);
    }
  }
  images.pixels = std::move(pixels);
  images.channels = std::int64_t(kept.size());
}

void permute_channels(ImageSet& images, const Json& data, const Rows& splits, std::uint64_t seed) {
  const auto how = replacements(data, images.channels);
  const std::size_t plane = std::size_t(images.height * images.width), width = plane * how.size();
  for (std::size_t c = 0; c < how.size(); ++c) {
    if (how[c] != Replacement::permute) continue;
    own(images);
    const auto first = [&](std::int64_t row) { return images.pixels.data() + std::size_t(row) * width + c * plane; };
    permute_within(splits, seed, std::to_string(c), [&](std::int64_t a, std::int64_t b) {
      if (a != b) std::swap_ranges(first(a), first(a) + plane, first(b));
    });
  }
}

void hold_channels(Array& pixels, std::int64_t channels, const Json& data, const std::vector<std::int64_t>& train) {
  const auto how = replacements(data, channels);
  const std::int64_t plane = pixels.width / channels;
  for (std::size_t c = 0; c < how.size(); ++c) {
    if (how[c] != Replacement::mean) continue;
    std::int64_t sum = 0;
    for (const std::int64_t row : train) {
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(pixels.row(row)) + std::int64_t(c) * plane;
      for (std::int64_t i = 0; i < plane; ++i) sum += bytes[i];
    }
    const double mean = double(sum) / double(std::max<std::int64_t>(1, std::int64_t(train.size()) * plane));
    pixels.shift[c] += static_cast<float>(mean * pixels.scale[c]);
    pixels.scale[c] = 0;
  }
}

}  // namespace dlrun::dataset
