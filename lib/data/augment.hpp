// SPDX-License-Identifier: Apache-2.0
// The steps of `augment:` on one example after the other. What chance decides of an example is a function of (seed,
// step's name, replicate, epoch, row, turn) alone, never of batches, threads or the order of calls.
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "data/augment/step.hpp"
#include "dataset/array.hpp"
#include "dataset/dataset.hpp"

namespace dlrun::data {

/// One appearance of a row in an epoch: with replacement a row may come several times, each with a turn of its own.
struct Appearance {
  std::int64_t row = 0;
  std::int64_t turn = 0;  ///< 0 for the first
};

/// How an example is mixed with another.
struct Mixing {
  std::int64_t partner = -1;  ///< place in the epoch's order; -1: not mixed
  double share = 1;           ///< weight of the example's own target
  bool is_cut = false;        ///< cutmix: the box is of the partner; else all is weighed
  Box box;
};

class Augment {
 public:
  /// @param steps  `augment` of a normalised section; null: none
  /// @param rows   of the data set, which keep the turns of a row apart
  Augment(const Json& steps, const dataset::Schema& schema, std::int64_t rows, std::uint64_t seed, int replicate);
  ~Augment();

  bool is_empty() const { return steps_.empty() && mixes_.empty(); }
  bool mixes() const { return !mixes_.empty(); }

  /// Streams for an epoch, counted from 1. Not while examples are made.
  void begin_epoch(std::int64_t epoch);

  /// Writes an example with all steps but mixing. Several threads may.
  /// @param to  array.width numbers
  void make(const dataset::Array& array, Appearance which, float* to) const;

  /// @param count  appearances in the epoch, of which one is the partner
  Mixing mixing(Appearance which, std::int64_t count) const;
  /// Puts the partner, made by make(), into the example.
  void mix(const Mixing& mixing, const float* partner, float* example) const;

 private:
  struct Mix;

  RandomStream stream_of(const RandomStream& base, Appearance which) const;

  Image image_;
  std::int64_t rows_;
  std::uint64_t seed_;
  int replicate_;
  std::vector<std::unique_ptr<Step>> steps_;
  std::vector<std::string> names_;
  /// First step that normalises: moves behind it fill with 0, those before it with the array's black.
  std::size_t normalised_ = std::numeric_limits<std::size_t>::max();
  std::vector<RandomStream> streams_;  ///< stream of each step, at its beginning
  std::vector<Mix> mixes_;
};

/// The steps of `augment` that hold for every split: normalise.
class Normalise {
 public:
  Normalise(const Json& steps, const dataset::Schema& schema);
  ~Normalise();
  bool is_empty() const { return steps_.empty(); }
  /// Changes an example in place. @param example  numbers of one input
  void apply(float* example) const;

 private:
  Image image_;
  std::vector<std::unique_ptr<Step>> steps_;
};

}  // namespace dlrun::data
