// SPDX-License-Identifier: Apache-2.0
// The keys of `ablation:`, what a study leaves out of its trial and how often.
#include "samplers/sampler.hpp"
#include "spec/keys_train.hpp"

namespace dlrun::spec {

namespace {

Key names_key(const std::string& name, const std::string& what) {
  return list(name, what, text("", "a full name, block1.body.conv1")).one().or_else("any");
}

Table selector_keys() {
  return {names_key("name", "these layers or blocks, each of which must be there"),
          names_key("names", "as name"),
          text("prefix", "what full names begin with").or_else("any"),
          text("glob", "a pattern of the whole full name, * and ?").or_else("any"),
          text("regex", "a regular expression (ECMAScript) found in the full name").or_else("any"),
          text("kind", "layers of this op; residual and group are blocks").or_else("any"),
          list("tags", "layers with all of these tags", text("", "a tag")).one().or_else("any"),
          names_key("except", "left out of what the others match")};
}

Table component_keys() {
  return {
      text("id", "name of the component: letters, digits, '.', '_' and '-'").must(),
      table("drop", "layers and blocks whose readers read what they read", selector_keys()),
      text("drop_branch", "RESIDUAL.body or RESIDUAL.shortcut").or_else("none"),
      table("drop_between", "all on the way from a layer (kept) to another (gone too)",
            {text("from", "the layer that stays").or_else("none"), text("to", "the last to go").or_else("none")}),
      table("drop_edge", "one input of an add, concat or multiply",
            {text("from", "the input").or_else("none"), text("to", "the layer that reads it").or_else("none")}),
      list("drop_feature", "columns of a table or series", text("", "the name of a column")).one().or_else("none"),
      list("drop_channel", "channels of images", integer("", "its number in the files, from 0").from(0))
          .one()
          .or_else("none"),
      choice("how", "drop_feature, drop_channel: removed; or kept, but of the mean's value or permuted among examples",
             {"remove", "mean", "permute"})
          .or_else("remove"),
      any("swap", "layers by a selector, or optimizer, schedule, loss, augment, sampler, init").or_else("none"),
      any("to", "what stands there in a variant without the component, {op: …}").or_else("none"),
      map_of("set", "places of the trial and their values without the component", any("", "a value")).or_else("none"),
      choice("as", "each: one variant for each match; group: one for all together", {"each", "group"})
          .or_else("group where one thing matches; else it has to be said"),
      choice("on_shape",
             "where shapes after it change: refuse, infer them anew, or put a linear map at the cut that keeps them",
             {"identity_only", "reinfer", "project"})
          .with("reinfer"),
      boolean("allow_head", "the model's head may be among them").with(false),
      boolean("inherit", "a swapped optimizer keeps settings, such as lr, that were made for the other").with(false),
      text("rationale", "why it is asked, at most 300 characters").or_else("none"),
      choice("expected", "what the component is thought to do, said before any result",
             {"helps", "hurts", "none", "unsure"})
          .or_else("nothing is said")};
}

Table analysis_keys() {
  return {text("metric", "what is compared").or_else("the objective's metric"),
          real("rope", "changes within +- this are negligible, in the metric's units").above(0).or_else("none is"),
          real("alpha", "chance of a false effect, of all components together").above(0).to(0.5).with(0.05),
          choice("correction", "for several components", {"holm", "bh", "none"}).with("holm"),
          choice("test", "of the paired differences", {"paired_t", "sign_flip", "wilcoxon"}).with("paired_t"),
          real("interval", "coverage of the intervals").above(0).below(1).with(0.95)};
}

Table stopping_keys() {
  return {list("looks", "after so many replicates each variant is looked at", integer("", "a number").from(2))
              .or_else("4, 6, 8, 10, 12, then every fourth, and all"),
          choice("boundary", "obf: asks much early, almost the plain level at the end; pocock: the same at every look",
                 {"obf", "pocock"})
              .with("obf"),
          integer("max", "the most replicates of a variant")
              .from(4)
              .to(kMostMembers)
              .or_else("as replicates or looks say; else what finds an effect of 1 sd in 80 %, 12 to 40")};
}

Table retune_keys() {
  return {integer("trials", "settings that are tried for each variant, the baseline too").from(2).to(1000).with(8),
          choice("sampler",
                 "random: the same points of the space for all variants; others search for each variant by itself",
                 samplers::sampler_names())
              .with("random"),
          choice("per",
                 "variant: all its replicates run with what won; replicate: each has a tuning of its own, so intervals "
                 "know of the tuning's luck",
                 {"variant", "replicate"})
              .with("variant")};
}

Key names_of_components() { return list("", "components", text("", "the id of a component")).one(); }

}  // namespace

const Key& ablation_key() {
  static const Key key = table(
      "ablation", "what the parts of the trial contribute: it is trained without them",
      {list("components",
            "what can be left out, each by drop, drop_branch, drop_between, drop_edge, drop_feature, drop_channel, "
            "swap or set",
            table("", "a component", component_keys()))
           .or_else("required"),
       text("from", "the trial whose configuration is the baseline, as `dlrun ablate --from` writes it")
           .or_else("the baseline is the file's"),
       table("proposed_by", "the program that proposed the components, as `dlrun ablate --suggest-with` writes it",
             {text("program", "its words").or_else("none"),
              list("replies", "SHA-256 of each of its replies", text("", "64 hexadecimal digits")).or_else("none")})
           .or_else("a person wrote them"),
       choice(
           "design",
           "loco: each component is left out alone; pairwise: and each two; factorial: all combinations; "
           "add_one_in: all left out, and each put back alone; leave_group_out: groups of them; fractional: a part of "
           "all combinations; list: variants as named; elimination: in rounds the one that matters least goes; path: "
           "from "
           "another configuration, or from all left out, change by change",
           {"loco", "pairwise", "factorial", "add_one_in", "leave_group_out", "fractional", "list", "elimination",
            "path"})
           .with("loco"),
       map_of("groups", "leave_group_out: {name: components that are left out together}", names_of_components())
           .or_else("those in one block of the model"),
       map_of("variants", "list: {name: components that are left out of it}", names_of_components()).or_else("none"),
       integer("resolution", "fractional: 3 tells components apart, 4 from interactions of two, 5 these as well")
           .from(3)
           .to(5)
           .or_else("4"),
       map_of("generators", "fractional: {component: those whose product it is}", names_of_components())
           .or_else("as the resolution takes"),
       table("path", "design path: the baseline is its end",
             {text("from", "a study whose configuration is its start; each place in which they differ is a component")
                  .or_else("all components left out"),
              choice("order", "greedy: in rounds, the best change first; given: as the components are listed",
                     {"greedy", "given"})
                  .with("greedy")})
           .or_else("none"),
       table("replicates",
             "each variant is trained so often, with the same seeds as the baseline; auto: as stopping says",
             {integer("n", "how often").from(1).to(kMostMembers).with(10),
              list("seeds", "their numbers, which key the random streams", integer("", "a number").from(1).to(1e9))
                  .or_else("1, 2, …, n"),
              list("vary", "what differs between replicates beside their seeds: split draws another for each",
                   choice("", "", {"split"}))
                  .one()
                  .or_else("nothing")})
           .or_word("auto"),
       table("stopping", "a variant whose answer is settled at a look gets no more replicates; none is cut short",
             stopping_keys())
           .or_else("no looks, but where replicates is auto"),
       table("retune", "each variant is tuned before it is compared, with the same budget, on a seed of its own",
             retune_keys())
           .or_else("the settings as written, for all"),
       choice("start_from",
              "baseline: a variant begins with what the baseline of its replicate ended with, where tensors fit; an "
              "approximation",
              {"none", "baseline"})
           .or_else("none: first weights"),
       choice("tested", "whose test split is measured, once, when all is trained", {"best", "all"}).or_else("best"),
       table("analysis", "how the differences are judged", analysis_keys()),
       real("capacity_guard", "a variant with so many times more or fewer parameters or operations is noted")
           .above(1)
           .with(2.0)});
  return key;
}

}  // namespace dlrun::spec
