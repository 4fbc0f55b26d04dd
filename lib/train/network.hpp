// SPDX-License-Identifier: Apache-2.0
// The model on the device that computes it, and its weights on the CPU.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include <c10/core/Device.h>

#include "data/data.hpp"
#include "nn/graph_module.hpp"
#include "nn/pipeline.hpp"
#include "recipe/placement.hpp"
#include "train/average.hpp"
#include "train/host_copy.hpp"

namespace dlrun::train {

/// Where the model is computed.
struct Placement {
  at::Device device = at::kCPU;
  bool has_host_copy = !device.is_cpu();  ///< true on the CPU: weights are copied as from another device, for tests
  bool takes_steps = has_host_copy;       ///< the optimiser works on the device, if there are kernels for it
  int parts = 1;                          ///< parts of the CPU that compute a placed model
  int threads = 1;                        ///< threads of each part
};

/// Forward and backward passes of one model, and copies of its weights between device and CPU.
class Network {
 public:
  Network(const model::Graph& graph, nn::Streams streams, nn::Precision precision, const Placement& placement);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  const model::Graph& graph() const { return graph_; }
  at::Device device() const { return placement_.device; }
  /// Seconds of a simulated step; nullopt: one device computes all.
  std::optional<double> simulated_seconds() const { return simulated_seconds_; }
  /// On the CPU; the weights are always those of the last step.
  const nn::Parameters& parameters() const;
  /// Weights and gradients that the optimiser works on: on the device, or on the CPU.
  const nn::Parameters& moved() const { return placement_.takes_steps ? module_.parameters() : host_.parameters(); }
  double weight_norm() const;  ///< Euclidean, over all trainable tensors

  /// Parts of the CPU compute layers from now on, with the same bits. @throws Error(usage) as recipe::plan_devices.
  /// @param batch    examples    @param batches  of a step
  void place(const recipe::PlacementConfig& config, std::int64_t batch, std::int64_t batches);
  /// Whether the batches of a step pass through the devices at the same time.
  bool is_pipelined() const { return pipeline_ != nullptr; }
  /// Training passes of the batches of a step, forward and backward. REQUIRES: is_pipelined().
  /// @param number   of the first pass
  /// @param loss_of  gradients of a batch's outputs; called in the order of the batches, by whichever thread
  void pass_batches(const std::vector<data::Examples>& batches, std::int64_t number,
                    const nn::Pipeline::LossOf& loss_of);
  /// Gradients of a batch, [n] float32.
  const at::Tensor& grads_of(std::size_t batch) const { return pipeline_->grads(batch); }

  /// A training pass. @return outputs on the device
  /// @param number  of the pass, for dropout
  std::vector<at::Tensor> forward(const data::Examples& batch, std::int64_t number);
  /// An evaluation pass. @return outputs on the CPU; undefined: an auxiliary one
  std::vector<at::Tensor> evaluate(const data::Examples& part);
  /// Writes the gradients of moved(). @param grads  gradient of each output
  void backward(std::vector<at::Tensor> grads);
  /// Running statistics as new: mean 0, variance 1, no batches.
  void reset_statistics();
  /// One batch more in the running statistics. @param number  of the pass, for dropout, which is on as in training
  void add_statistics(const data::Examples& batch, std::int64_t number);
  /// Lets training passes write there what each layer costs; nullptr: no more.
  void measure_into(std::vector<nn::LayerCost>* costs) { module_.measure_into(costs); }

  /// To be called after the optimiser has changed the weights of moved().
  void note_moved();
  /// Takes the numbers that were written into parameters() for the weights and buffers.
  void set_weights();
  /// Running statistics to parameters().
  void fetch_buffers() const { host_.fetch_buffers(); }
  /// Gradients to parameters(), if the optimiser works on the device; else they are there.
  void fetch_grads() const;

  /// The weights become the average's, and the average's the weights.
  void exchange(Average& average);
  /// The average that has the weights at the moment, while the model has its numbers; nullptr: the model has its own.
  Average* exchanged() { return exchanged_; }

 private:
  model::Graph graph_;
  Placement placement_;
  nn::GraphModule module_;
  HostCopy host_;
  nn::Streams streams_;
  std::optional<double> simulated_seconds_;
  std::unique_ptr<nn::Pipeline> pipeline_;
  mutable bool is_host_old_ = false;  ///< weights moved on the device since they were fetched
  Average* exchanged_ = nullptr;
};

/// An average of the weights in their place while this lives; nullptr: nothing is done.
class Exchanged {
 public:
  Exchanged(Network& network, Average* average) : network_(network), average_(average) { exchange(); }
  ~Exchanged() { exchange(); }
  Exchanged(const Exchanged&) = delete;
  Exchanged& operator=(const Exchanged&) = delete;

 private:
  void exchange() {
    if (average_ != nullptr) network_.exchange(*average_);
  }

  Network& network_;
  Average* average_;
};

}  // namespace dlrun::train
