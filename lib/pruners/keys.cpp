// SPDX-License-Identifier: Apache-2.0
#include "pruners/keys.hpp"

#include "options/kind.hpp"

namespace dlrun::pruners {

namespace {

using options::choice;
using options::field;
using options::Fields;
using options::integer;
using options::joined;
using options::Key;
using options::list;
using options::real;

/// Fields of a part, as fields of the whole kind.
template <class T, class Part>
Fields<T> lifted(const Fields<Part>& fields, Part T::*member) {
  return options::all_within<T>(
      fields, [member](auto& whole) -> auto& { return whole.*member; });
}

template <class Rungs>
Fields<Rungs> budgets() {
  return {field(integer("min_budget", "epochs before the first rung").from(1), &Rungs::min_budget),
          field(integer("max_budget", "epochs of a trial that is never pruned").from(1).or_else("as trial.epochs"),
                &Rungs::max_budget)};
}

options::Field<EvenLadder> interval() {
  return field(integer("interval", "epochs from rung to rung").from(1), &EvenLadder::interval);
}

template <class T>
Fields<T> by_eta() {
  const auto eta = field(integer("eta", "one of eta trials goes on at a rung").from(2).to(1000), &Ladder::eta);
  return lifted(joined<options::Field<Ladder>>({{eta}, budgets<Ladder>()}), &T::ladder);
}

template <class T>
Fields<T> by_interval() {
  return lifted(joined<options::Field<EvenLadder>>({budgets<EvenLadder>(), {interval()}}), &T::ladder);
}

/// A trial is compared with others, so some must be complete first.
template <class T>
Fields<T> by_others() {
  const Fields<Others> others = {
      field(integer("startup_trials", "trials that must be complete before any stops").from(0).to(1e9),
            &Others::startup_trials),
      field(integer("min_trials", "of them, with a value at the rung").from(1).to(1e9), &Others::min_trials)};
  return joined<options::Field<T>>({by_interval<T>(), lifted(others, &T::others)});
}

template <class T>
Fields<T> population() {
  const Fields<Population> sizes = {
      field(integer("population", "trials that train side by side").from(2).to(1e6), &Population::population),
      field(real("quantile", "the worst that give way at a rung, and the best that hand on").above(0).to(0.5),
            &Population::quantile)};
  const Fields<EvenLadder> rungs = {
      field(integer("min_budget", "epochs before the first rung").from(1).or_else("the interval"),
            &EvenLadder::min_budget),
      field(integer("max_budget", "epochs of a trial that never gives way").from(1).or_else("as trial.epochs"),
            &EvenLadder::max_budget),
      interval()};
  return joined<options::Field<T>>({lifted(sizes, &T::population), lifted(rungs, &T::ladder)});
}

options::Field<Asha> type() {
  return {choice("type", "promotion: trials pause and the best go on; stop: trials train on or stop for good",
                 {"promotion", "stop"})
              .with("promotion"),
          [](const Json& value, const Key& key, const std::string& place, Asha& out) {
            std::string word;
            options::read_value(value, key, place, word);
            out.stops = word == "stop";
          },
          [](const Asha& from) -> Json { return from.stops ? "stop" : "promotion"; }};
}

Fields<None> fields(const None*) { return {}; }
Fields<Asha> fields(const Asha*) { return joined<options::Field<Asha>>({{type()}, by_eta<Asha>()}); }
Fields<Pasha> fields(const Pasha*) { return by_eta<Pasha>(); }
Fields<SuccessiveHalving> fields(const SuccessiveHalving*) {
  const auto bracket = field(integer("bracket", "trials that start together")
                                 .from(1)
                                 .to(1e9)
                                 .or_else("eta for each rung above the first: one is left at the last"),
                             &SuccessiveHalving::bracket);
  return joined<options::Field<SuccessiveHalving>>({{bracket}, by_eta<SuccessiveHalving>()});
}
Fields<Hyperband> fields(const Hyperband*) { return by_eta<Hyperband>(); }
Fields<Bohb> fields(const Bohb*) { return by_eta<Bohb>(); }
Fields<Median> fields(const Median*) { return by_others<Median>(); }
Fields<MedianOfAverages> fields(const MedianOfAverages*) { return by_others<MedianOfAverages>(); }
Fields<Percentile> fields(const Percentile*) {
  const auto best =
      field(real("percentile", "the best so many per cent go on").above(0).below(100).must(), &Percentile::percentile);
  return joined<options::Field<Percentile>>({{best}, by_others<Percentile>()});
}
Fields<Threshold> fields(const Threshold*) {
  return joined<options::Field<Threshold>>(
      {{field(real("lower", "below this a trial stops").or_else("no bound"), &Threshold::lower),
        field(real("upper", "above this a trial stops").or_else("no bound"), &Threshold::upper)},
       by_interval<Threshold>()});
}
Fields<Patience> fields(const Patience*) {
  return joined<options::Field<Patience>>(
      {{field(integer("patience", "epochs without progress that are forgiven").from(0).to(1e9).must(),
              &Patience::patience),
        field(real("min_delta", "what counts as progress").from(0), &Patience::min_delta)},
       by_interval<Patience>()});
}
Fields<Pbt> fields(const Pbt*) {
  return joined<options::Field<Pbt>>(
      {population<Pbt>(),
       {field(list("factors", "a number is multiplied by one of them", real("", "a factor").above(0)), &Pbt::factors),
        field(real("resample", "chance of a parameter to be drawn anew").from(0).to(1), &Pbt::resample)}});
}
Fields<Pb2> fields(const Pb2*) { return population<Pb2>(); }
Fields<Wilcoxon> fields(const Wilcoxon*) {
  return {field(real("alpha", "chance to stop a trial that is as good, all looks together").above(0).to(0.5),
                &Wilcoxon::alpha),
          field(integer("min_members", "members before the first look").from(2).to(1000), &Wilcoxon::min_members)};
}

template <class Own>
options::Kind<PrunerKind> kind(const char* text) {
  const auto part = [](auto& one) -> auto& { return std::get<Own>(one); };
  return {Own::kName, text, options::all_within<PrunerKind>(fields(static_cast<const Own*>(nullptr)), part),
          [](PrunerKind& out) { out.emplace<Own>(); }};
}

const options::Kinds<PrunerKind>& pruner_kinds() {
  static const options::Kinds<PrunerKind> kinds = {
      kind<None>("every trial gets all its epochs"),
      kind<Asha>("asynchronous successive halving: one in eta goes on at each rung"),
      kind<Pasha>("asha that opens rungs only as far as rankings need them"),
      kind<SuccessiveHalving>("brackets of trials; a rung closes when all are there, and one in eta goes on"),
      kind<Hyperband>("successive halving in brackets that begin at ever higher rungs"),
      kind<Bohb>("hyperband whose trials tpe proposes"),
      kind<Median>("stops what is worse than the median of completed trials at the same epoch"),
      kind<MedianOfAverages>("stops what was never better than the median of completed trials' averages up to there"),
      kind<Percentile>("stops what is worse than a percentile of completed trials at the same epoch"),
      kind<Threshold>("stops what leaves given bounds"),
      kind<Patience>("stops what no longer gets better"),
      kind<Pbt>("population based training: the worst give way to heirs of the best, with other values"),
      kind<Pb2>("pbt whose heirs get the values that a model of the population's gains promises most of"),
      kind<Wilcoxon>("stops trials of several members that are significantly worse than the best, between two "
                     "members")};
  return kinds;
}

}  // namespace

Key pruner_key() { return options::kind_key("pruner", "which trials go on", pruner_kinds()).with(None::kName); }

options::Table even_rung_keys() { return options::keys_of(by_interval<Foreign>()); }

Foreign read_foreign(const Json& section) {
  Foreign out{.name = section.at("op")};
  options::read_fields(section, by_interval<Foreign>(), "search.pruner", out);
  return out;
}

PrunerKind read_pruner(const Json& section) {
  return options::read_kind(section, pruner_kinds(), "search.pruner", None::kName);
}

}  // namespace dlrun::pruners
