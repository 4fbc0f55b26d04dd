// SPDX-License-Identifier: Apache-2.0
// Methods of `optimizer:`, each with its settings, their defaults and their keys. Names and defaults are PyTorch's if
// it has the method, else the paper's. slots(): numbers that a method keeps of every weight.
#pragma once
#include <variant>

#include "options/field.hpp"

namespace dlrun::recipe {

using options::boolean;
using options::choice;
using options::field;
using options::Fields;
using options::integer;
using options::Key;
using options::list;
using options::real;
using options::text;

/// Defaults of the settings that every method has.
struct Rates {
  double lr;
  double weight_decay = 0;
};

using Betas = std::array<double, 2>;

inline Key eps_key() { return real("eps", "added to the denominator").above(0).search(); }
inline Key momentum_key() { return real("momentum", "share of the last step kept").from(0).to(1).search(); }
inline Key decoupled_key() { return boolean("decoupled", "decay the weights themselves, as adamw").search(); }
inline Key betas_key() {
  return list("betas", "decay of the two running means", real("", "a decay below 1").from(0).below(1));
}

struct Sgd {
  static constexpr const char* kName = "sgd";
  static constexpr const char* kText = "stochastic gradient descent";
  static constexpr Rates kRates = {.lr = 0.05};
  double momentum = 0;
  double dampening = 0;
  bool nesterov = false;

  int slots() const { return momentum != 0 ? 1 : 0; }

  static Fields<Sgd> fields() {
    return {
        field(momentum_key(), &Sgd::momentum),
        field(real("dampening", "share of the gradient kept out of the momentum").from(0).to(1).search(),
              &Sgd::dampening),
        field(boolean("nesterov", "look ahead along the momentum").search(), &Sgd::nesterov),
    };
  }
};

struct Adam {
  static constexpr const char* kName = "adam";
  static constexpr const char* kText = "Adam (Kingma, Ba 2015)";
  static constexpr Rates kRates = {.lr = 0.001};
  Betas betas = {0.9, 0.999};
  double eps = 1e-8;
  bool amsgrad = false;

  int slots() const { return amsgrad ? 3 : 2; }

  static Fields<Adam> fields() {
    return {
        field(betas_key(), &Adam::betas),
        field(eps_key(), &Adam::eps),
        field(boolean("amsgrad", "divide by the greatest running mean so far").search(), &Adam::amsgrad),
    };
  }
};

struct AdamW : Adam {
  static constexpr const char* kName = "adamw";
  static constexpr const char* kText = "Adam with decoupled weight decay (Loshchilov, Hutter 2019)";
  static constexpr Rates kRates = {.lr = 0.001, .weight_decay = 0.01};
};

struct NAdam {
  static constexpr const char* kName = "nadam";
  static constexpr const char* kText = "Adam with Nesterov's momentum (Dozat 2016)";
  static constexpr Rates kRates = {.lr = 0.002};
  Betas betas = {0.9, 0.999};
  double eps = 1e-8;
  double momentum_decay = 0.004;
  bool decoupled = false;

  int slots() const { return 2; }

  static Fields<NAdam> fields() {
    return {
        field(betas_key(), &NAdam::betas),
        field(eps_key(), &NAdam::eps),
        field(real("momentum_decay", "how fast the momentum rises").from(0).search(), &NAdam::momentum_decay),
        field(decoupled_key(), &NAdam::decoupled),
    };
  }
};

struct RAdam {
  static constexpr const char* kName = "radam";
  static constexpr const char* kText = "Adam with a rectified start (Liu et al. 2020)";
  static constexpr Rates kRates = {.lr = 0.001};
  Betas betas = {0.9, 0.999};
  double eps = 1e-8;
  bool decoupled = false;

  int slots() const { return 2; }

  static Fields<RAdam> fields() {
    return {
        field(betas_key(), &RAdam::betas),
        field(eps_key(), &RAdam::eps),
        field(decoupled_key(), &RAdam::decoupled),
    };
  }
};

struct Adamax {
  static constexpr const char* kName = "adamax";
  static constexpr const char* kText = "Adam under the infinity norm (Kingma, Ba 2015)";
  static constexpr Rates kRates = {.lr = 0.002};
  Betas betas = {0.9, 0.999};
  double eps = 1e-8;

  int slots() const { return 2; }

  static Fields<Adamax> fields() { return {field(betas_key(), &Adamax::betas), field(eps_key(), &Adamax::eps)}; }
};

struct RmsProp {
  static constexpr const char* kName = "rmsprop";
  static constexpr const char* kText = "RMSprop (Hinton 2012)";
  static constexpr Rates kRates = {.lr = 0.01};
  double alpha = 0.99;
  double eps = 1e-8;
  double momentum = 0;
  bool centered = false;

  int slots() const { return 1 + (centered ? 1 : 0) + (momentum != 0 ? 1 : 0); }

  static Fields<RmsProp> fields() {
    return {
        field(real("alpha", "decay of the mean square").from(0).below(1).search(), &RmsProp::alpha),
        field(eps_key(), &RmsProp::eps),
        field(momentum_key(), &RmsProp::momentum),
        field(boolean("centered", "divide by the standard deviation").search(), &RmsProp::centered),
    };
  }
};

struct Adagrad {
  static constexpr const char* kName = "adagrad";
  static constexpr const char* kText = "Adagrad (Duchi et al. 2011)";
  static constexpr Rates kRates = {.lr = 0.01};
  double lr_decay = 0;
  double initial_accumulator_value = 0;
  double eps = 1e-10;

  int slots() const { return 1; }

  static Fields<Adagrad> fields() {
    return {
        field(real("lr_decay", "step t gets lr / (1 + (t - 1) lr_decay)").from(0).search(), &Adagrad::lr_decay),
        field(real("initial_accumulator_value", "where the sums of squares begin").from(0).search(),
              &Adagrad::initial_accumulator_value),
        field(eps_key(), &Adagrad::eps),
    };
  }
};

struct Adadelta {
  static constexpr const char* kName = "adadelta";
  static constexpr const char* kText = "Adadelta (Zeiler 2012)";
  static constexpr Rates kRates = {.lr = 1};
  double rho = 0.9;
  double eps = 1e-6;

  int slots() const { return 2; }

  static Fields<Adadelta> fields() {
    return {
        field(real("rho", "decay of the two mean squares").from(0).below(1).search(), &Adadelta::rho),
        field(eps_key(), &Adadelta::eps),
    };
  }
};

struct Lamb {
  static constexpr const char* kName = "lamb";
  static constexpr bool kIsByTensor = true;
  static constexpr const char* kText = "Adam with a rate for each tensor, for large batches (You et al. 2020)";
  static constexpr Rates kRates = {.lr = 0.001, .weight_decay = 0.01};
  Betas betas = {0.9, 0.999};
  double eps = 1e-6;

  int slots() const { return 2; }

  static Fields<Lamb> fields() { return {field(betas_key(), &Lamb::betas), field(eps_key(), &Lamb::eps)}; }
};

struct Lars {
  static constexpr const char* kName = "lars";
  static constexpr bool kIsByTensor = true;
  static constexpr const char* kText = "momentum with a rate for each tensor, for large batches (You et al. 2017)";
  static constexpr Rates kRates = {.lr = 0.1};
  double momentum = 0.9;
  double trust = 0.001;
  double eps = 0;

  int slots() const { return 1; }

  static Fields<Lars> fields() {
    return {
        field(momentum_key(), &Lars::momentum),
        field(real("trust", "eta: share of a tensor's norm that a step may be").above(0).search(), &Lars::trust),
        field(real("eps", "added to the denominator").from(0).search(), &Lars::eps),
    };
  }
};

struct Lion {
  static constexpr const char* kName = "lion";
  static constexpr const char* kText = "the sign of the momentum (Chen et al. 2023)";
  static constexpr Rates kRates = {.lr = 0.0001};
  Betas betas = {0.9, 0.99};

  int slots() const { return 1; }

  static Fields<Lion> fields() { return {field(betas_key(), &Lion::betas)}; }
};

struct Muon {
  static constexpr const char* kName = "muon";
  static constexpr bool kIsByTensor = true;
  static constexpr const char* kText = "orthogonal steps of hidden matrices, adamw for the rest (Jordan et al. 2024)";
  static constexpr Rates kRates = {.lr = 0.001, .weight_decay = 0.1};
  double momentum = 0.95;
  bool nesterov = true;
  double adamw_lr = 1;
  Betas betas = {0.9, 0.999};
  double eps = 1e-8;

  int slots() const { return 2; }

  static Fields<Muon> fields() {
    return {
        field(momentum_key(), &Muon::momentum),
        field(boolean("nesterov", "look ahead along the momentum").search(), &Muon::nesterov),
        field(real("adamw_lr", "factor of the learning rate, for the tensors of adamw").above(0).search(),
              &Muon::adamw_lr),
        field(betas_key(), &Muon::betas),
        field(eps_key(), &Muon::eps),
    };
  }
};

/// A plugin's method, beside lr and weight_decay.
struct PluginMethod {
  static constexpr const char* kName = "";
  std::string name;
  std::vector<std::string> state;  ///< names of its buffers
  Json section;                    ///< values of its own keys

  int slots() const { return int(state.size()); }
};

/// Methods that need whole tensors, for their norms or their products.
template <class Own>
inline constexpr bool kStepsByTensor = requires {
  Own::kIsByTensor;
};

/// In the order of the documentation.
using Method = std::variant<Sgd, Adam, AdamW, NAdam, RAdam, Adamax, RmsProp, Adagrad, Adadelta, Lamb, Lars, Lion, Muon,
                            PluginMethod>;

}  // namespace dlrun::recipe
