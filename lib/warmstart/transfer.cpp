// SPDX-License-Identifier: Apache-2.0
#include "warmstart/transfer.hpp"

#include <map>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dlrun::warmstart {

namespace {

using Shape = std::vector<std::int64_t>;

std::int64_t numbers(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t(1), std::multiplies<>());
}

/// Numbers of the part that both have. REQUIRES: equal length.
std::int64_t shared(const Shape& a, const Shape& b) {
  std::int64_t out = 1;
  for (std::size_t i = 0; i < a.size(); ++i) out *= std::min(a[i], b[i]);
  return out;
}

bool has_kind(const TensorView& weight, const Wanted& wanted) {
  return wanted.is_count ? weight.dtype == "I64" : weight.dtype.starts_with('F') || weight.dtype == "BF16";
}

std::string difference(const TensorView& weight, const Wanted& wanted) {
  return fmt::format("E404: '{}' is {} [{}] in the file, but {} [{}] in the model", wanted.name, weight.dtype,
                     fmt::join(weight.shape, ", "), wanted.is_count ? "I64" : "F32", fmt::join(wanted.shape, ", "));
}

class Planner {
 public:
  Planner(const std::vector<TensorView>& weights, const TransferRules& rules, TransferPlan& out) : rules_(rules) {
    for (const TensorView& weight : weights) {
      const std::string name = rules.renamed ? rules.renamed(weight.name) : weight.name;
      const auto [other, is_first] = left_.try_emplace(name, &weight);
      if (!is_first)
        out.faults.push_back(fmt::format("E408: '{}' and '{}' of the file are both called '{}'", other->second->name,
                                         weight.name, name));
    }
  }

  Transfer plan(const Wanted& wanted, TransferPlan& out) {
    Transfer transfer{wanted.name, "", TransferRule::fresh, {}, wanted.shape};
    const auto found = left_.find(wanted.name);
    const TensorView* weight = found == left_.end() ? nullptr : found->second;
    if (weight != nullptr) left_.erase(found);
    if (rules_.is_taken && !rules_.is_taken(wanted.name)) {
      transfer.fresh = Fresh::left_out;
    } else if (weight == nullptr) {
      transfer.fresh = Fresh::absent;
      if (rules_.mismatch == Mismatch::error)
        out.faults.push_back(fmt::format("E405: the file has no tensor '{}'", wanted.name));
    } else {
      match(*weight, wanted, transfer, out);
    }
    return transfer;
  }

  std::vector<std::string> extra() const {
    std::vector<std::string> names;
    for (const auto& [name, weight] : left_) {
      if (!rules_.is_taken || rules_.is_taken(name)) names.push_back(weight->name);
    }
    return names;
  }

 private:
  void match(const TensorView& weight, const Wanted& wanted, Transfer& transfer, TransferPlan& out) const {
    transfer.source = weight.name;
    transfer.from = weight.shape;
    const bool is_kind = has_kind(weight, wanted);
    const bool can_slice = is_kind && weight.shape.size() == wanted.shape.size();
    if (const std::string fault = tensors::not_finite(weight); !fault.empty()) out.faults.push_back("E407: " + fault);
    if (is_kind && weight.shape == wanted.shape) {
      transfer.rule = TransferRule::copied;
    } else if (rules_.mismatch == Mismatch::slice && can_slice) {
      transfer.rule = TransferRule::sliced;
    } else {
      transfer.fresh = is_kind ? Fresh::other_shape : Fresh::other_kind;
      if (rules_.mismatch == Mismatch::error) out.faults.push_back(difference(weight, wanted));
    }
  }

  const TransferRules& rules_;
  std::map<std::string, const TensorView*> left_;
};

}  // namespace

std::string_view to_string(TransferRule rule) {
  switch (rule) {
    case TransferRule::copied: return "copied";
    case TransferRule::sliced: return "sliced";
    case TransferRule::fresh: break;
  }
  return "fresh";
}

std::string_view to_string(Fresh reason) {
  switch (reason) {
    case Fresh::left_out: return "left out";
    case Fresh::absent: return "the file has none";
    case Fresh::other_shape: return "of another shape";
    case Fresh::other_kind: break;
  }
  return "of another kind";
}

TransferPlan plan_transfer(const std::vector<TensorView>& weights, const std::vector<Wanted>& model,
                           const TransferRules& rules) {
  TransferPlan out;
  Planner planner(weights, rules, out);
  std::int64_t all = 0, taken = 0;
  for (const Wanted& wanted : model) {
    const Transfer& transfer = out.tensors.emplace_back(planner.plan(wanted, out));
    if (wanted.is_count) continue;
    all += numbers(wanted.shape);
    if (transfer.rule == TransferRule::copied) taken += numbers(wanted.shape);
    if (transfer.rule == TransferRule::sliced) taken += shared(transfer.from, transfer.to);
  }
  out.extra = planner.extra();
  out.share = all > 0 ? double(taken) / double(all) : 0;
  return out;
}

}  // namespace dlrun::warmstart
