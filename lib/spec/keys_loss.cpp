// SPDX-License-Identifier: Apache-2.0
// `loss:`, what training minimises; definitions are PyTorch's where it has the loss.
#include "spec/keys_train.hpp"

namespace dlrun::spec {

namespace {

Key class_weights() {
  return any("class_weights", "balanced (by the training split), or a number for each class").or_else("1 each");
}
Key margin() { return real("margin", "how far the right side is enough").from(0).with(1.0).search(); }
Key power() { return integer("p", "1, or 2: squared").from(1).to(2).with(1).search(); }

std::vector<Variant> of_classes() {
  return {{"cross_entropy",
           "classes, from unnormalised outputs",
           {real("label_smoothing", "share of the target spread over all classes").from(0).to(1).with(0.0).search(),
            class_weights()}},
          {"focal",
           "cross-entropy in which what is right already counts little (Lin et al. 2017)",
           {real("gamma", "how little").from(0).with(2.0).search(), class_weights()}},
          {"nll", "classes, from log-probabilities", {class_weights()}},
          {"multi_margin", "the label's output above all others by a margin", {margin(), power()}},
          {"binary_cross_entropy",
           "classes or numbers from 0 to 1, from unnormalised outputs; of two classes one output is enough",
           {real("pos_weight", "weight of what is 1").above(0).with(1.0).search()}},
          {"hinge", "classes, each against the rest by a margin; of two one output is enough", {margin(), power()}}};
}

std::vector<Variant> of_numbers() {
  return {{"mse", "mean squared error", {}},
          {"mae", "mean absolute error", {}},
          {"huber",
           "squared near 0, absolute beyond delta",
           {real("delta", "where squared ends").above(0).with(1.0).search()}},
          {"smooth_l1", "huber over beta", {real("beta", "where squared ends").above(0).with(1.0).search()}},
          {"log_cosh", "logarithm of the hyperbolic cosine of the error", {}},
          {"quantile",
           "pinball loss, whose best answer is a quantile",
           {real("quantile", "which").above(0).below(1).with(0.5).search()}},
          {"poisson_nll",
           "counts, from the logarithm of their rate",
           {boolean("log_input", "false: from the rate itself").with(true).search()}},
          {"gaussian_nll", "from means, and as many logarithms of variances after them", {}},
          {"kl_div",
           "probabilities, from their logarithms; the sum over an example",
           {boolean("log_target", "the targets are logarithms too").with(false).search()}}};
}

}  // namespace

Key losses_key() {
  Key one = loss_key();
  one.name = "";
  one.text = "a loss";
  for (Variant& kind : one.variants)
    kind.table.push_back(real("weight", "factor of its value").above(0).with(1.0).search());
  return map_of("loss", "what training minimises: of every output of the model, the sum", std::move(one))
      .or_else("cross_entropy for classes, mse for numbers");
}

Key loss_key() {
  std::vector<Variant> kinds = of_classes();
  for (Variant& kind : of_numbers()) kinds.push_back(std::move(kind));
  std::vector<Variant> parts = kinds;
  for (Variant& part : parts) part.table.push_back(real("weight", "factor of its value").above(0).with(1.0));
  kinds.push_back({"sum",
                   "several of one output; a list is short for it",
                   {list("parts", "losses, each with its weight", variant("", "a loss", std::move(parts))).must()}});
  Key key = variant("loss", "what training minimises", std::move(kinds));
  key.list_kind = "sum";
  return key.or_else("cross_entropy for classes, mse for numbers");
}

}  // namespace dlrun::spec
