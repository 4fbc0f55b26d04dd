// SPDX-License-Identifier: Apache-2.0
// The outputs of a model, each with its loss and its target; training minimises the sum of the losses, each times its
// weight.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "data/data.hpp"
#include "model/graph.hpp"
#include "train/config.hpp"
#include "train/loss.hpp"
#include "train/metrics.hpp"

namespace dlrun::train {

/// Sums of a split for every output that is measured in it. Of a single one without a name all is as Sums has it.
class SplitSums {
 public:
  SplitSums() = default;
  /// @param is_training  auxiliary outputs are summed too
  SplitSums(const std::vector<OutputConfig>& outputs, const dataset::Schema& data, bool is_training);

  /// Mean so far: the sum over the outputs, each times its weight.
  double loss() const;
  /// {split}.loss and of every named output {split}.NAME.loss and its metrics. @throws Error(usage) as Sums does.
  std::vector<trial::Metric> metrics(const std::string& split) const;
  /// The same without what the split does not define. @throws Error(usage) as Sums does.
  Defined defined(const std::string& split) const;
  /// The means of which a metric is the sum.
  /// @param metric  without the split: "loss", "accuracy", "NAME.accuracy"
  std::vector<Term> terms(const std::string& metric) const;
  struct Measuring {
    const Sums* sums;  ///< lent
    std::string name;  ///< in them
  };
  /// Sums that measure a metric. @param metric  without the split: "auc", "NAME.auc". REQUIRES: there are some
  Measuring measuring(const std::string& metric) const;
  /// Takes in the examples of sums of the same outputs.
  void add(const SplitSums& other);
  Sums& of(std::size_t output) { return parts_[output].sums; }

  Json to_json() const;
  /// @throws Json::exception where a key is missing.
  void restore(const Json& json);

 private:
  struct Part {
    std::string name;
    double weight;
    Sums sums;
  };
  bool is_single() const { return parts_.size() == 1 && parts_.front().name.empty(); }

  std::vector<Part> parts_;
};

class Heads {
 public:
  /// @throws Error(usage) where an output does not fit its loss and target.
  Heads(const std::vector<OutputConfig>& outputs, const model::Graph& graph, const data::Data& data);

  /// @param outputs  of the graph, in its order; undefined: an auxiliary one that is not computed
  /// @param sums     the batch is added to them, in training not where its loss is NaN or infinite
  /// @param grads    where given: of each output
  /// @return         of several outputs the weighted sum, over the batch's examples
  Measured measure(const std::vector<at::Tensor>& outputs, const data::Examples& batch, SplitSums& sums,
                   std::vector<at::Tensor>* grads);

  /// Sums of each example of the batch by itself.
  /// @param fresh  sums of no example
  std::vector<SplitSums> measure_each(const std::vector<at::Tensor>& outputs, const data::Examples& batch,
                                      const SplitSums& fresh);

  /// Loss of each example of the batch, the weighted sum of several outputs.  @param outputs  as for measure()
  std::vector<float> each(const std::vector<at::Tensor>& outputs, const data::Examples& batch) const;

  /// Loss::prediction of each output; undefined where the output is.
  std::vector<at::Tensor> predictions(const std::vector<at::Tensor>& outputs) const;

 private:
  struct Head {
    double weight;
    std::size_t target;  ///< index for data::Examples::target
    std::unique_ptr<Loss> loss;
  };

  std::vector<Head> heads_;
  bool is_single_;
};

}  // namespace dlrun::train
