// SPDX-License-Identifier: Apache-2.0
// The contract of metrics, as include/dlrun/plugin/metric.hpp states it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "train/contracts/contract.hpp"
#include "train/contracts/draws.hpp"
#include "train/metrics.hpp"

namespace dlrun::train::contracts {

namespace {

constexpr std::int64_t kSplit = 60;    ///< examples of a split
constexpr double kSumRounding = 1e-5;  ///< a sum of float32 numbers in another order
constexpr std::int64_t kCuts[] = {1, 7, kSplit};

/// A split with predictions that are partly right.
struct TestedSplit {
  std::string text;  ///< "60 examples of 3 classes"
  std::int64_t classes = 0, width = 1;
  at::Tensor predictions, targets;
};

at::Tensor hot(const at::Tensor& labels, std::int64_t width) {
  if (width == 1) return labels.unsqueeze(1).to(at::kFloat);
  return at::one_hot(labels, width).to(at::kFloat);
}

TestedSplit labelled(std::int64_t classes, std::int64_t width) {
  TestedSplit split{fmt::format("{} examples of {} classes{}", kSplit, classes, width == 1 ? ", one output" : ""),
                    classes,
                    width,
                    {},
                    {}};
  split.targets = at::arange(kSplit, at::kLong).remainder(classes);
  split.predictions = 2 * hot(split.targets, width) + drawn({kSplit, width}, split.text) - (width == 1 ? 1 : 0);
  return split;
}

TestedSplit numbered(std::int64_t width) {
  TestedSplit split{fmt::format("{} examples of {} numbers", kSplit, width), 0, width, {}, {}};
  split.targets = drawn({kSplit, width}, split.text);
  split.predictions = split.targets + 0.5 * drawn({kSplit, width}, split.text + " predicted");
  return split;
}

std::vector<TestedSplit> splits_for(const std::string& fits) {
  if (fits == "numbers") return {numbered(1), numbered(3)};
  std::vector<TestedSplit> splits{labelled(2, 1), labelled(2, 2)};
  if (fits != "two_classes") splits.push_back(labelled(3, 3));
  if (fits != "two_classes") splits.push_back(labelled(10, 10));
  return splits;
}

/// The targets themselves, with all certainty.
at::Tensor perfect(const TestedSplit& split) {
  if (split.classes == 0) return split.targets.clone();
  return 20 * hot(split.targets, split.width) - 10;
}

/// The opposite of the targets; numbers are far away, too.
at::Tensor worst(const TestedSplit& split) {
  return split.classes == 0 ? -split.targets - 10 * at::sign(split.targets) : -perfect(split);
}

class MetricContract {
 public:
  explicit MetricContract(const Tested& tested)
      : name_(tested.plugin.manifest->name),
        is_maximized_(tested.manifest().at("direction") == "maximize"),
        splits_(splits_for(tested.manifest().at("fits"))) {}

  std::string values() const {
    std::string text;
    for (const TestedSplit& split : splits_)
      text += fmt::format("{}{:.4g} of {}", text.empty() ? "" : ", ", finite(split, split.predictions), split.text);
    return text;
  }

  std::string batches() const {
    for (const TestedSplit& split : splits_) {
      const double whole = value(split, split.predictions);
      for (const std::int64_t size : kCuts) {
        if (const double cut = value(split, split.predictions, size); cut != whole)
          throw Broken{
              fmt::format("{}: the value is {:.9g}, but {:.9g} after batches of {}", split.text, whole, cut, size)};
      }
    }
    return "the same value after batches of 1, of 7 and of the whole split";
  }

  std::string order() const {
    for (const TestedSplit& split : splits_) {
      const at::Tensor order = drawn_order(kSplit);
      TestedSplit moved = split;
      moved.targets = split.targets.index_select(0, order);
      const double one = value(split, split.predictions),
                   other = value(moved, split.predictions.index_select(0, order));
      if (std::abs(one - other) > kSumRounding * std::max(1.0, std::abs(one)))
        throw Broken{fmt::format("{}: the value is {:.9g}, but {:.9g} in another order", split.text, one, other)};
    }
    return "the same value in another order of the examples";
  }

  /// At some sizes a metric may know no difference: the best two of two classes.
  std::string direction() const {
    std::string text;
    for (const TestedSplit& split : splits_) {
      const double best = finite(split, perfect(split)), least = finite(split, worst(split));
      if (is_maximized_ ? best < least : best > least)
        throw Broken{fmt::format("{}: plugin.yaml says {}, but perfect predictions have {:.4g} and the worst {:.4g}",
                                 split.text, is_maximized_ ? "maximize" : "minimize", best, least)};
      if (best != least) text = fmt::format("perfect predictions have {:.4g}, the worst {:.4g}", best, least);
    }
    if (text.empty()) throw Broken{"perfect predictions have the same value as the worst"};
    return text;
  }

  /// With `mean: true`.
  std::string mean() const {
    for (const TestedSplit& split : splits_) {
      const double whole = value(split, split.predictions);
      double sum = 0;
      for (std::int64_t example = 0; example < kSplit; ++example) sum += value_of_one(split, example);
      if (!(std::abs(whole - sum / kSplit) <= kSumRounding * std::max(1.0, std::abs(whole))))
        throw Broken{fmt::format("{}: the value is {:.9g}, but the examples alone have the mean {:.9g}", split.text,
                                 whole, sum / kSplit)};
    }
    return "the mean of the values of single examples";
  }

  std::string same_bits() const {
    std::vector<double> first;
    for (const TestedSplit& split : splits_) first.push_back(value(split, split.predictions));
    for (std::size_t i = 0; i < splits_.size(); ++i) {
      if (const double again = value(splits_[i], splits_[i].predictions); again != first[i])
        throw Broken{
            fmt::format("{}: the value is {:.9g}, and {:.9g} when measured again", splits_[i].text, first[i], again)};
    }
    return "the same value when measured again after other splits";
  }

 private:
  /// As a training measures: batch by batch. @param size  of a batch
  double value(const TestedSplit& split, const at::Tensor& predictions, std::int64_t size = kSplit) const {
    Sums sums({name_}, split.classes);
    for (std::int64_t at = 0; at < kSplit; at += size) {
      const std::int64_t count = std::min(size, kSplit - at);
      sums.add_batch(Measured{}, predictions.narrow(0, at, count).contiguous(),
                     split.targets.narrow(0, at, count).contiguous());
    }
    return sums.value(name_);
  }

  double value_of_one(const TestedSplit& split, std::int64_t example) const {
    Sums sums({name_}, split.classes);
    sums.add_batch(Measured{}, split.predictions.narrow(0, example, 1).contiguous(),
                   split.targets.narrow(0, example, 1));
    return sums.value(name_);
  }

  double finite(const TestedSplit& split, const at::Tensor& predictions) const {
    const double found = value(split, predictions);
    if (std::isfinite(found)) return found;
    throw Broken{fmt::format("{}: the value is {}", split.text, found)};
  }

  std::string name_;
  bool is_maximized_;
  std::vector<TestedSplit> splits_;
};

}  // namespace

std::vector<Check> metric_checks(const Tested& tested) {
  const auto contract = std::make_shared<MetricContract>(tested);
  std::vector<Check> checks{{"values", [=] { return contract->values(); }},
                            {"batches", [=] { return contract->batches(); }},
                            {"order of the examples", [=] { return contract->order(); }},
                            {"direction", [=] { return contract->direction(); }},
                            {"equal bits", [=] { return contract->same_bits(); }}};
  if (tested.manifest().value("mean", false)) checks.push_back({"mean", [=] { return contract->mean(); }});
  return checks;
}

}  // namespace dlrun::train::contracts
