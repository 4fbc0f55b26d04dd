// SPDX-License-Identifier: Apache-2.0
#include "train/host_copy.hpp"

namespace dlrun::train {

namespace {

void copy_buffers(const nn::Parameters& from, const nn::Parameters& to) {
  for (std::size_t i = 0; i < from.all().size(); ++i) {
    if (!from.all()[i].trainable) to.all()[i].value.copy_(from.all()[i].value);
  }
}

}  // namespace

HostCopy::HostCopy(nn::Parameters& model, const model::Graph& graph, bool is_apart) : model_(model) {
  if (!is_apart) return;
  apart_.emplace(graph);
  at::Tensor values = apart_->values();
  values.copy_(model_.values());
  copy_buffers(model_, *apart_);
}

void HostCopy::fetch_grads() const {
  if (!apart_) return;
  at::Tensor grads = apart_->grads();
  grads.copy_(model_.grads());
}

void HostCopy::fetch_values() const {
  if (!apart_) return;
  at::Tensor values = apart_->values();
  values.copy_(model_.values());
}

void HostCopy::fetch_buffers() const {
  if (apart_) copy_buffers(model_, *apart_);
}

void HostCopy::send_values() const {
  if (!apart_) return;
  at::Tensor values = model_.values();
  values.copy_(apart_->values());
}

void HostCopy::send_all() const {
  if (!apart_) return;
  send_values();
  copy_buffers(*apart_, model_);
}

}  // namespace dlrun::train
