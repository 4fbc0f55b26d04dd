// SPDX-License-Identifier: Apache-2.0
#include "placement/holdings.hpp"

#include <algorithm>

namespace dlrun::placement {

namespace {

/// A tensor held on one device.
struct Holding {
  double begin = -1, end = 0;
};

struct Change {
  double time = 0;
  std::int64_t bytes = 0;  ///< taken; negative: given back
};

class Ledger {
 public:
  Ledger(const Step& step, const Placement& placement, int devices)
      : step_(step), placement_(placement), devices_(devices), held_(step.tensors.size() * std::size_t(devices)) {}

  void take_in(const Span& span) {
    if (span.task >= 0) return compute(span);
    const Tensor& tensor = step_.tensors[std::size_t(span.tensor)];
    keep(span.tensor, span.from, span.begin, span.end);
    for (const int reader : tensor.readers) {
      const int device = device_of(reader);
      if (device != span.from && (span.to < 0 || device == span.to)) keep(span.tensor, device, span.begin, span.end);
    }
  }

  /// A task's inputs are held until it ends.
  void read(const Span& span, const Lists& inputs) {
    for (const int tensor : inputs[std::size_t(span.task)]) keep(tensor, span.from, span.end, span.end);
  }

  std::vector<std::int64_t> peaks(std::vector<std::int64_t> held) const {
    for (int device = 0; device < devices_; ++device) held[std::size_t(device)] += most_of(device);
    return held;
  }

 private:
  int device_of(int task) const { return placement::device_of(step_, placement_, task); }

  void compute(const Span& span) {
    for (const int tensor : step_.outputs[std::size_t(span.task)]) keep(tensor, span.from, span.begin, span.end);
  }

  void keep(int tensor, int device, double begin, double end) {
    Holding& holding = held_[std::size_t(tensor) * std::size_t(devices_) + std::size_t(device)];
    if (holding.begin < 0 || begin < holding.begin) holding.begin = begin;
    holding.end = std::max(holding.end, end);
  }

  std::int64_t most_of(int device) const {
    std::vector<Change> changes;
    for (std::size_t tensor = 0; tensor < step_.tensors.size(); ++tensor) {
      const Holding& holding = held_[tensor * std::size_t(devices_) + std::size_t(device)];
      if (holding.begin < 0) continue;
      changes.push_back({holding.begin, step_.tensors[tensor].bytes});
      changes.push_back({holding.end, -step_.tensors[tensor].bytes});
    }
    std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
      return a.time != b.time ? a.time < b.time
                              : a.bytes > b.bytes;  // a tensor that begins then is held beside one that ends
    });
    std::int64_t held = 0, most = 0;
    for (const Change& change : changes) most = std::max(most, held += change.bytes);
    return most;
  }

  const Step& step_;
  const Placement& placement_;
  int devices_;
  std::vector<Holding> held_;  ///< by tensor, then device
};

}  // namespace

std::vector<std::int64_t> fixed_bytes(const Step& step, const Placement& placement, int devices) {
  std::vector<std::int64_t> bytes(std::size_t(devices), 0);
  for (int node = 0; node < step.nodes(); ++node)
    bytes[std::size_t(placement[std::size_t(node)])] += step.held_params(node);
  return bytes;
}

std::vector<std::int64_t> peaks_of(const Step& step, const Placement& placement, int devices,
                                   const std::vector<Span>& spans) {
  Ledger ledger(step, placement, devices);
  const Lists inputs = inputs_of(step);
  for (const Span& span : spans) ledger.take_in(span);
  for (const Span& span : spans) {
    if (span.task >= 0) ledger.read(span, inputs);
  }
  return ledger.peaks(fixed_bytes(step, placement, devices));
}

}  // namespace dlrun::placement
