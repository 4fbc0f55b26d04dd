// SPDX-License-Identifier: Apache-2.0
// The keys of `warm_start:` of a trial and of `final:`, the training that follows a search.
#include "spec/keys_train.hpp"
#include "warmstart/race.hpp"
#include "warmstart/settings.hpp"

namespace dlrun::spec {

namespace {

/// Keys of a fold's checkpoint.
Table fold_keys() {
  return {text("sha256", "of the checkpoint").must(),
          integer("epoch", "epochs it was trained").from(0).to(kMostEpochs).must(),
          real("value", "what it was ranked by").or_else("not known")};
}

/// Keys of a donor: a file of weights, or a trial.
Table donor_keys() {
  return {
      text("sha256", "of the checkpoint; where there is no file, that artifact of the store").or_else("of the file"),
      text("from", "a file of weights").or_else("the artifact"),
      text("study", "where it comes from").or_else("not known"),
      integer("trial", "of that study").from(0).or_else("not known"),
      integer("replicate", "of that trial").from(0).with(0),
      integer("fold", "of that trial").from(0).with(0),
      integer("epoch", "epochs it was trained").from(0).to(kMostEpochs).or_else("not known"),
      integer("horizon", "epochs its schedule spans").from(1).to(kMostEpochs).or_else("not known"),
      real("value", "what it was ranked by").or_else("not known"),
      list("folds", "checkpoints of a donor with folds, each for the same fold", table("", "a fold", fold_keys()))
          .or_else("one for all")};
}

std::vector<std::string> policies() {
  const std::vector<std::string>& all = warmstart::kWarmPolicies;
  return {all.begin() + 1, all.end()};  // `none` is no warm start
}

Key policy_key(std::vector<std::string> policies) {
  return choice("policy",
                "best: weights of the best donor; resume: it goes on as if it had never stopped; topk_average: the "
                "mean of the donors; greedy_soup: the mean of those that make it no worse; per_layer_best: block by "
                "block the donor that makes it better; shrink_perturb: lambda x old + sigma x fresh; partial: what "
                "fits by name and shape; fresh_shrunk: lambda x fresh + sigma x other fresh weights, of no donor",
                std::move(policies));
}

/// Policies of a final training, those of a trial and what chooses one of them.
Key final_policy_key() {
  std::vector<std::string> all = warmstart::kWarmPolicies;
  all.emplace_back("race");
  Key key = policy_key(std::move(all));
  key.text += "; race: a few of them train a short schedule, and the one that ends best the whole one";
  return key.or_else("resume where the search followed the beginning of this very training, else best");
}

Key race_key() {
  return table(
      "race", "policy race: starts that train a short schedule of their own, to choose one",
      {list("arms",
            "up to three: none (fresh weights), policies, or finish (the donor goes on, the rest of its schedule in as "
            "many epochs)",
            text("", "a start"))
           .or_else("none; resume where it is exact, else best; shrink_perturb"),
       integer("epochs", "of each arm's schedule").from(1).to(kMostEpochs).or_else("a quarter of the final training's"),
       integer("seeds", "how often each arm is trained").from(2).to(1000).with(2),
       text("decides", "in the race itself: the final training, as dlrun writes it").or_else("not a race"),
       list("sets", "in the race itself: --set of the final training", text("", "lr=0.1")).or_else("none"),
       text("study", "in the final training: the race, as dlrun writes it").or_else("not over"),
       text("chose", "in the final training: the arm that ended best").or_else("not over"),
       integer("trained", "in the final training: epochs of the race").from(0).or_else("not over")});
}

/// Settings that a final run and a trial share.
Table start_keys(Key policy) {
  return {
      std::move(policy),
      real("lambda", "shrink_perturb: factor of the donor's weights; fresh_shrunk: of fresh ones")
          .from(0)
          .to(1)
          .with(0.4)
          .search(),
      real("sigma", "factor of the fresh weights that are added").from(0).to(1).with(0.1).search(),
      list("include", "only these tensors, layers or blocks: regular expressions of their names", text("", "fc1"))
          .one()
          .or_else("all"),
      list("exclude", "these begin fresh", text("", "head")).one().or_else("none"),
      map_of("map", "renames: regular expression of a name in the file, name in the model", text("", "backbone.$1"))
          .or_else("none"),
      choice("on_mismatch",
             "where a tensor is missing or of another shape: error; skip or reinit: it begins fresh; slice: the part "
             "that both have is copied",
             {"error", "skip", "slice", "reinit"})
          .or_else("error, of partial skip"),
      real("min_fraction", "partial: share of the model's numbers that has to be copied").from(0).to(1).with(0.5),
      choice("buffers", "running statistics: those of the best donor, fresh, or measured anew",
             {"copy", "reset", "recalibrate"})
          .or_else("copy; recalibrate where weights are averaged or mixed"),
      integer("batches", "recalibrate: of the training split").from(1).to(1e6).with(50),
      choice("optimizer", "begins fresh, or carries the best donor's state", {"reset", "carry"})
          .or_else("reset; of resume carry"),
      choice("schedule",
             "restart: from its beginning; continue: where the donor was, the rest spread over the run; remaining: the "
             "donor's epochs count as done",
             {"restart", "continue", "remaining"})
          .or_else("restart; of resume remaining"),
      real("lr_scale", "factor of the rate").above(0).to(1e3).with(1.0).search(),
      table("guard", "measures the start on the validation split before the first step",
            {real("max_val_drop",
                  "how much worse than the best donor it may be: hundredths of what is maximised, per cent of what is "
                  "minimised")
                 .from(0)
                 .or_else("no guard, of topk_average 2"),
             choice("fallback", "what it begins with instead", {"best", "none"}).with("best")}),
      boolean("allow_superset", "resume: goes on under other data or settings too, then not to the bit").with(false)};
}

Key donors_key() {
  return list("donors", "checkpoints that give weights, the best first", table("", "a checkpoint", donor_keys()))
      .or_else("required, but of fresh_shrunk");
}

Key from_key() {
  return table("from", "which trials give weights",
               {text("study", "of this store").or_else("the study itself"),
                text("rank_by", "the metric they are ranked by").or_else("the objective"),
                any("at", "last: the checkpoint after its last epoch; best: of its best one; or a number of epochs")
                    .or_else("best where the objective counts the best epoch, else last")});
}

}  // namespace

const Key& warm_start_key() {
  static const Key key = [] {
    Table keys = start_keys(policy_key(policies()).with("best"));
    keys.push_back(donors_key());
    keys.push_back(text("why", "a reason for this start, which is noted with the first weights").or_else("none"));
    return table("warm_start", "weights of earlier trials to begin with", std::move(keys));
  }();
  return key;
}

const Key& program_start_key() {
  static const Key key =
      table("warm_start", "the checkpoint of another trial to begin with, which the program finds in DLRUN_INIT",
            {choice("policy", "best: the one donor", {"best"}).with("best"), donors_key()});
  return key;
}

const Key& final_key() {
  static const Key key = [] {
    Table start = start_keys(final_policy_key());
    start.push_back(from_key());
    start.push_back(race_key());
    start.push_back(integer("k", "donors of topk_average, greedy_soup and per_layer_best").from(2).to(1000).with(3));
    return table(
        "final", "a longer training of the best configuration after the search, begun with what the search trained",
        {integer("epochs", "of the final training").from(1).to(kMostEpochs).or_else("as trial.epochs, or its horizon"),
         integer("trial", "the configuration of this trial").from(0).or_else("of the best one"),
         integer("seeds", "how often it is trained").from(1).to(10'000).with(1),
         map_of("set", "places of the trial that are other in the final training", any("", "a value")).or_else("none"),
         table("warm_start", "what it begins with", std::move(start)),
         list("compare",
              "rivals that are trained beside it with the same seeds: policies, finish (the donor goes on, the rest of "
              "its schedule in as many epochs), kaiming (fresh weights), kaiming_longer (fresh weights and the donor's "
              "epochs more; beside a race's winner as many as that costs in all)",
              text("", "a policy"))
             .one()
             .or_else("none"),
         real("target", "of the metric, what epochs are counted to").or_else("99 % of what kaiming ends with"),
         real("equivalence", "points, hundredths of the metric, within which what a rival ends with counts as the same")
             .above(0)
             .or_else("0.3 where more is better, else no test"),
         text("of", "the trial whose configuration it is, as `dlrun train` writes it").or_else("not known"),
         text("digest", "digest of the search's section that asked for it, as `dlrun train` writes it")
             .or_else("not known")});
  }();
  return key;
}

}  // namespace dlrun::spec
