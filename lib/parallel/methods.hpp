// SPDX-License-Identifier: Apache-2.0
// Methods of `parallel:`, each with its settings, their defaults and their keys. Formulas and sources stand with the
// algorithms (algorithms/).
#pragma once
#include <optional>
#include <string>
#include <variant>

#include "options/field.hpp"

namespace dlrun::parallel {

using options::choice;
using options::field;
using options::Fields;
using options::integer;
using options::Key;
using options::real;

inline constexpr double kMostSteps = 1'000'000;
inline constexpr const char* kGloo = "gloo";

/// Keeper of the optimiser's state: the server, which is sent gradients, or each rank, which sends changes of weights.
inline Key momentum_key() {
  return choice("momentum", "who keeps the optimiser's state", {"server", "worker"}).search();
}
inline Key period_key() {
  return integer("period", "steps from one average to the next").from(1).to(kMostSteps).search();
}

struct Bsp {
  static constexpr const char* kName = "bsp";
  static constexpr const char* kText = "bulk synchronous: a server takes one step by the mean of all gradients";
  static constexpr bool kIsScaled = true;
  static constexpr bool kHasServer = true;
  std::string momentum = "server";
  int drop_slowest = 0;
  static Fields<Bsp> fields() {
    return {field(momentum_key(), &Bsp::momentum),
            field(integer("drop_slowest", "gradients of each round that it does not wait for: backup ranks")
                      .from(0)
                      .to(1023)
                      .search(),
                  &Bsp::drop_slowest)};
  }
};

struct ArSgd {
  static constexpr const char* kName = "ar_sgd";
  static constexpr const char* kText = "all ranks take the same step by the mean of all gradients, without a server";
  static constexpr bool kIsScaled = true;
  static constexpr bool kHasServer = false;
  std::string reduce = "direct";
  static Fields<ArSgd> fields() {
    return {field(choice("reduce",
                         "how the mean is made: each rank sums a part of it, in the order of ranks, or parts "
                         "go round, or Gloo's collective does",
                         {"direct", "ring", kGloo}),
                  &ArSgd::reduce)};
  }
};

struct Asp {
  static constexpr const char* kName = "asp";
  static constexpr const char* kText = "asynchronous: a server takes a step by each gradient as it comes";
  static constexpr bool kIsScaled = true;
  static constexpr bool kHasServer = true;
  std::string momentum = "worker";
  static Fields<Asp> fields() { return {field(momentum_key(), &Asp::momentum)}; }
};

struct Ssp {
  static constexpr const char* kName = "ssp";
  static constexpr const char* kText = "stale synchronous: nobody is more than some steps ahead of the slowest rank";
  static constexpr bool kIsScaled = true;
  static constexpr bool kHasServer = true;
  int staleness = 3;
  std::string read = "every_iter";
  std::string momentum = "worker";
  static Fields<Ssp> fields() {
    return {
        field(integer("staleness", "steps that a rank may be ahead").from(0).to(kMostSteps).search(), &Ssp::staleness),
        field(choice("read",
                     "when weights are fetched: at every step (Ho et al. 2013), or when they are stale (Ko et "
                     "al. 2021)",
                     {"every_iter", "on_stale"})
                  .search(),
              &Ssp::read),
        field(momentum_key(), &Ssp::momentum)};
  }
};

struct Easgd {
  static constexpr const char* kName = "easgd";
  static constexpr const char* kText = "elastic averaging: ranks train alone, and are drawn to a centre now and then";
  static constexpr bool kIsScaled = false;
  static constexpr bool kHasServer = true;
  int period = 8;
  double beta = 0.9;
  static Fields<Easgd> fields() {
    return {field(period_key(), &Easgd::period),
            field(real("beta", "pull of all ranks together on the centre").from(0).to(1).search(), &Easgd::beta)};
  }
};

struct GoSgd {
  static constexpr const char* kName = "gosgd";
  static constexpr const char* kText = "gossip: now and then a rank sends its weights to another one, drawn at random";
  static constexpr bool kIsScaled = false;
  static constexpr bool kHasServer = false;
  double probability = 0.01;
  static Fields<GoSgd> fields() {
    return {field(real("probability", "of sending after a step").from(0).to(1).search(), &GoSgd::probability)};
  }
};

struct AdPsgd {
  static constexpr const char* kName = "ad_psgd";
  static constexpr const char* kText = "pairs of ranks average their weights while they compute";
  static constexpr bool kIsScaled = true;
  static constexpr bool kHasServer = false;
  static Fields<AdPsgd> fields() { return {}; }
};

struct Aladdin {
  static constexpr const char* kName = "aladdin";
  static constexpr const char* kText = "ranks step alone; the server mixes its model into one that has pushed enough";
  static constexpr bool kIsScaled = true;
  static constexpr bool kHasServer = true;
  int pushes = 4;
  bool mixing = true;
  std::string variant = "text";
  std::optional<std::string> alpha, lazy_scale, trigger;  ///< where the paper's text and listing differ; see variant

  bool is_literal() const { return variant == "literal"; }
  /// α = 1 − 1/√c, of c changes gathered, and not 1 − 1/√(nπ).
  bool mixes_by_gathered() const { return alpha.value_or(is_literal() ? "c" : "n_pi") == "c"; }
  /// Changes weigh 1/c, and not 1/n.
  bool weighs_by_gathered() const { return lazy_scale.value_or(is_literal() ? "1/c" : "1/n") == "1/c"; }
  /// The change that triggers is not added to those that are applied.
  bool drops_trigger() const { return trigger.value_or(is_literal() ? "dropped" : "counts") == "dropped"; }
  static Fields<Aladdin> fields() {
    return {field(integer("pushes", "of a rank from one mix to the next (π)").from(1).to(kMostSteps).search(),
                  &Aladdin::pushes),
            field(options::boolean("mixing", "the server mixes its model into ranks").search(), &Aladdin::mixing),
            field(choice("variant", "the paper's text, or its listing to the letter", {"text", "literal"}).search(),
                  &Aladdin::variant),
            field(choice("alpha", "the model is mixed in by 1 - 1/sqrt(n π) or, of c changes gathered, 1 - 1/sqrt(c)",
                         {"n_pi", "c"})
                      .or_else("text n_pi, literal c")
                      .search(),
                  &Aladdin::alpha),
            field(choice("lazy_scale", "weight of a change, for n ranks and c changes gathered", {"1/n", "1/c"})
                      .or_else("text 1/n, literal 1/c")
                      .search(),
                  &Aladdin::lazy_scale),
            field(choice("trigger", "what becomes of the change that makes a rank due", {"counts", "dropped"})
                      .or_else("text counts, literal dropped")
                      .search(),
                  &Aladdin::trigger)};
  }
};

struct Shat {
  static constexpr const char* kName = "shat";
  static constexpr const char* kText = "as asp; a rank mixes the server's model in by how stale its own is";
  static constexpr bool kIsScaled = true;
  static constexpr bool kHasServer = true;
  static Fields<Shat> fields() { return {}; }
};

struct Sgp {
  static constexpr const char* kName = "sgp";
  static constexpr const char* kText =
      "stochastic gradient push: half of a rank's weights go to the next, whose turns change";
  static constexpr bool kIsScaled = true;
  static constexpr bool kHasServer = false;
  int overlap = 1;
  static Fields<Sgp> fields() {
    return {field(integer("overlap", "steps that a message may take").from(0).to(1).search(), &Sgp::overlap)};
  }
};

struct LocalSgd {
  static constexpr const char* kName = "local_sgd";
  static constexpr const char* kText = "ranks train alone and are averaged now and then";
  static constexpr bool kIsScaled = false;
  static constexpr bool kHasServer = false;
  int period = 8;
  static Fields<LocalSgd> fields() { return {field(period_key(), &LocalSgd::period)}; }
};

struct DiLoCo {
  static constexpr const char* kName = "diloco";
  static constexpr const char* kText = "as local_sgd; the average is a gradient for an outer optimiser";
  static constexpr bool kIsScaled = false;
  static constexpr bool kHasServer = false;
  int period = 20;
  double outer_lr = 0.7;
  double outer_momentum = 0.9;
  static Fields<DiLoCo> fields() {
    return {field(period_key(), &DiLoCo::period),
            field(real("outer_lr", "learning rate of the outer optimiser").above(0).search(), &DiLoCo::outer_lr),
            field(real("outer_momentum", "its Nesterov momentum").from(0).below(1).search(), &DiLoCo::outer_momentum)};
  }
};

/// Methods whose ranks send gradients: these may be packed, and sent while the backward pass still makes others.
template <class Own>
inline constexpr bool kSendsGradients =
    std::is_same_v<Own, Bsp> || std::is_same_v<Own, ArSgd> || std::is_same_v<Own, Asp> || std::is_same_v<Own, Ssp>;

using Method = std::variant<Bsp, ArSgd, Asp, Ssp, Easgd, GoSgd, AdPsgd, Aladdin, Shat, Sgp, LocalSgd, DiLoCo>;

}  // namespace dlrun::parallel
