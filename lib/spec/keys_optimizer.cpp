// SPDX-License-Identifier: Apache-2.0
// `optimizer:`, names and defaults as PyTorch's where it has the method.
#include "spec/keys_train.hpp"

namespace dlrun::spec {

namespace {

Key group_key() {
  return table("", "tensors with settings of their own",
               {list("match", "names of tensors, or of layers or groups of layers, as regular expressions",
                     text("", "a regular expression"))
                    .one()
                    .must(),
                real("lr", "factor of the learning rate").from(0).with(1.0),
                real("weight_decay", "in place of the optimiser's").from(0).or_else("the optimiser's"),
                boolean("frozen", "these are not trained").with(false)});
}

Key lr(double fallback) { return real("lr", "learning rate").above(0).with(fallback).search(); }
Key eps(double fallback) { return real("eps", "added to the denominator").above(0).with(fallback).search(); }
Key momentum(double fallback) {
  return real("momentum", "share of the last step kept").from(0).to(1).with(fallback).search();
}
Key betas(double first, double second) {
  return list("betas", "decay of the two running means", real("", "a decay below 1").from(0).below(1))
      .with({first, second});
}
Key amsgrad() { return boolean("amsgrad", "divide by the greatest running mean so far").with(false).search(); }
Key decoupled() { return boolean("decoupled", "decay the weights themselves, as adamw").with(false).search(); }

/// A method with its own keys and those that all have.
Variant method(const char* op, const char* text, Table own, double decay = 0) {
  own.push_back(real("weight_decay", "pulls weights towards 0").from(0).with(decay).search());
  own.push_back(list("no_decay", "tensors without decay: biases, normalisations, embeddings",
                     choice("", "a kind of tensor", {"bias", "norm", "embedding"}))
                    .one()
                    .with(Json::array()));
  own.push_back(list("groups", "tensors with settings of their own; the first that names a tensor holds", group_key())
                    .with(Json::array()));
  return {op, text, std::move(own)};
}

std::vector<Variant> adam_family() {
  return {
      method("adam", "Adam (Kingma, Ba 2015)", {lr(0.001), betas(0.9, 0.999), eps(1e-8), amsgrad()}),
      method("adamw", "Adam with decoupled weight decay (Loshchilov, Hutter 2019)",
             {lr(0.001), betas(0.9, 0.999), eps(1e-8), amsgrad()}, 0.01),
      method("nadam", "Adam with Nesterov's momentum (Dozat 2016)",
             {lr(0.002), betas(0.9, 0.999), eps(1e-8),
              real("momentum_decay", "how fast the momentum rises").from(0).with(0.004).search(), decoupled()}),
      method("radam", "Adam with a rectified start (Liu et al. 2020)",
             {lr(0.001), betas(0.9, 0.999), eps(1e-8), decoupled()}),
      method("adamax", "Adam under the infinity norm (Kingma, Ba 2015)", {lr(0.002), betas(0.9, 0.999), eps(1e-8)})};
}

std::vector<Variant> other_methods() {
  return {
      method("rmsprop", "RMSprop (Hinton 2012)",
             {lr(0.01), real("alpha", "decay of the mean square").from(0).below(1).with(0.99).search(), eps(1e-8),
              momentum(0.0), boolean("centered", "divide by the standard deviation").with(false).search()}),
      method("adagrad", "Adagrad (Duchi et al. 2011)",
             {lr(0.01), real("lr_decay", "step t gets lr / (1 + (t - 1) lr_decay)").from(0).with(0.0).search(),
              real("initial_accumulator_value", "where the sums of squares begin").from(0).with(0.0).search(),
              eps(1e-10)}),
      method("adadelta", "Adadelta (Zeiler 2012)",
             {lr(1.0), real("rho", "decay of the two mean squares").from(0).below(1).with(0.9).search(), eps(1e-6)}),
      method("lamb", "Adam with a rate for each tensor, for large batches (You et al. 2020)",
             {lr(0.001), betas(0.9, 0.999), eps(1e-6)}, 0.01),
      method("lars", "momentum with a rate for each tensor, for large batches (You et al. 2017)",
             {lr(0.1), momentum(0.9),
              real("trust", "eta: share of a tensor's norm that a step may be").above(0).with(0.001).search(),
              real("eps", "added to the denominator").from(0).with(0.0).search()}),
      method("lion", "the sign of the momentum (Chen et al. 2023)", {lr(0.0001), betas(0.9, 0.99)})};
}

}  // namespace

Key optimizer_key() {
  std::vector<Variant> methods = {
      method("sgd", "stochastic gradient descent",
             {lr(0.05), momentum(0.0),
              real("dampening", "share of the gradient kept out of the momentum").from(0).to(1).with(0.0).search(),
              boolean("nesterov", "look ahead along the momentum").with(false).search()})};
  for (const std::vector<Variant>& more : {adam_family(), other_methods()}) {
    methods.insert(methods.end(), more.begin(), more.end());
  }
  return variant("optimizer", "how weights follow gradients", std::move(methods)).with("sgd");
}

}  // namespace dlrun::spec
