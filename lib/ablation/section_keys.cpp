// SPDX-License-Identifier: Apache-2.0
// The keys of `ablation:`, each bound to its member of the plan.
#include <algorithm>

#include "ablation/plan_json.hpp"
#include "samplers/sampler.hpp"
#include "trial/trial.hpp"

namespace dlrun::ablation {

using options::any;
using options::boolean;
using options::choice;
using options::Field;
using options::field;
using options::Fields;
using options::integer;
using options::Key;
using options::keys_of;
using options::list;
using options::map_of;
using options::part;
using options::real;
using options::table;
using options::text;

namespace {

/// A key that names what is left out, the one of several that was written. A table that was not has nulls only.
Field<Component> kind(Key key) {
  const auto read = [](const Json& value, const Key& own, const std::string&, Component& out) {
    const auto is_null = [](const Json& inner) { return inner.is_null(); };
    if (own.form == options::Form::table && std::all_of(value.begin(), value.end(), is_null)) return;
    out.kind = own.name;
    out.what = value;
  };
  return {std::move(key), read, nullptr};
}

/// Full names, which add to those of other keys.
Field<Selector> full_names(const std::string& name, const std::string& what) {
  return {list(name, what, text("", "a full name, block1.body.conv1")).one().or_else("any"),
          [](const Json& value, const Key& own, const std::string& place, Selector& out) {
            Names more;
            read_value(value, own, place, more);
            out.names.insert(out.names.end(), more.begin(), more.end());
          },
          nullptr};
}

const Fields<Analysis>& analysis_fields() {
  static const Fields<Analysis> fields{
      field(text("metric", "what is compared").or_else("the objective's metric"), &Analysis::metric),
      field(choice("claims",
                   "population of which the verdicts hold. data: this training on new data; model: models trained on "
                   "this training set, on new examples; split: this split, with fresh seeds",
                   {"data", "model", "split"})
                .or_else("the widest of them that the trials allow"),
            &Analysis::claims),
      field(real("rope", "changes within +- this are negligible, in the metric's units").above(0).or_else("none is"),
            &Analysis::rope),
      field(real("alpha", "chance of a false effect, of all components together").above(0).to(0.5), &Analysis::alpha),
      field(choice("correction", "for several components", {"holm", "bh", "none"}), &Analysis::correction),
      field(choice("test", "of the paired differences", {"paired_t", "sign_flip", "wilcoxon"}), &Analysis::test),
      field(real("interval", "coverage of the intervals").above(0).below(1), &Analysis::interval)};
  return fields;
}

const Fields<Stopping>& stopping_fields() {
  static const Fields<Stopping> fields{
      field(list("looks", "after so many replicates each variant is looked at", integer("", "a number").from(2))
                .or_else("4, 6, 8, 10, 12, then every fourth, and all"),
            &Stopping::looks),
      field(
          choice("boundary", "obf: asks much early, almost the plain level at the end; pocock: the same at every look",
                 {"obf", "pocock"}),
          &Stopping::boundary),
      field(integer("max", "the most replicates of a variant")
                .from(4)
                .to(trial::kMostMembers)
                .or_else("as replicates or looks say; else what finds an effect of 1 sd in 80 %, 12 to 40"),
            &Stopping::max)};
  return fields;
}

const Fields<Race>& race_fields() {
  static const Fields<Race> fields{field(
      integer("budget", "runs of all variants together; a replicate of all that are left is begun if it keeps this")
          .from(4)
          .or_else("each variant has all replicates, until it drops out"),
      &Race::budget)};
  return fields;
}

const Fields<Retune>& retune_fields() {
  static const Fields<Retune> fields{
      field(integer("trials", "settings that are tried for each variant, the baseline too").from(2).to(1000),
            &Retune::trials),
      field(choice("sampler",
                   "random: the same points of the space for all variants; others search for each variant by itself",
                   samplers::sampler_names()),
            &Retune::sampler),
      field(
          choice("per",
                 "variant: all its replicates run with what won; replicate: each has a tuning of its own, so intervals "
                 "know of the tuning's luck",
                 {"variant", "replicate"}),
          &Retune::per)};
  return fields;
}

const Fields<Replicates>& replicates_fields() {
  static const Fields<Replicates> fields{
      field(integer("n", "how often").from(1).to(trial::kMostMembers), &Replicates::n),
      field(list("seeds", "their numbers, which key the random streams", integer("", "a number").from(1).to(1e9))
                .or_else("1, 2, …, n"),
            &Replicates::seeds),
      field(list("vary", "what differs between replicates beside their seeds: split draws another for each",
                 choice("", "", {"split"}))
                .one()
                .or_else("nothing"),
            &Replicates::vary),
      field(choice("splits", "fixed: with claims: data replicates share the file's split all the same", {"fixed"})
                .or_else("with claims: data another fold for each, if the data's split is drawn"),
            &Replicates::splits)};
  return fields;
}

const Fields<Path>& path_fields() {
  static const Fields<Path> fields{
      field(text("from", "a study whose configuration is its start; each place in which they differ is a component")
                .or_else("all components left out"),
            &Path::from),
      field(choice("order", "greedy: in rounds, the best change first; given: as the components are listed",
                   {"greedy", "given"}),
            &Path::order)};
  return fields;
}

const Fields<ProposedBy>& proposed_by_fields() {
  static const Fields<ProposedBy> fields{
      field(text("program", "its words").or_else("none"), &ProposedBy::program),
      field(list("replies", "SHA-256 of each of its replies", text("", "64 hexadecimal digits")).or_else("none"),
            &ProposedBy::replies)};
  return fields;
}

Key names_of_components() { return list("", "components", text("", "the id of a component")).one(); }

/// Entries of which the id could be read.
Field<Section> components() {
  return {list("components",
               "what can be left out, each by drop, drop_branch, drop_between, drop_edge, drop_feature, drop_channel, "
               "drop_argument, swap, swap_argument or set",
               table("", "a component", keys_of(component_fields())))
              .or_else("required"),
          [](const Json& value, const Key&, const std::string&, Section& out) {
            for (const Json& one : value) {
              const bool has_id = one.is_object() && one.value("id", Json()).is_string();
              if (has_id) out.components.push_back(component_of(one));
            }
          },
          [](const Section& from) {
            Json list = Json::array();
            for (const Component& one : from.components) list.push_back(one.written);
            return list;
          }};
}

}  // namespace

const Fields<Selector>& selector_fields() {
  static const Fields<Selector> fields{
      full_names("name", "these layers or blocks, each of which must be there"),
      full_names("names", "as name"),
      field(text("prefix", "what full names begin with").or_else("any"), &Selector::prefix),
      field(text("glob", "a pattern of the whole full name, * and ?").or_else("any"), &Selector::glob),
      field(text("regex", "a regular expression (ECMAScript) found in the full name").or_else("any"), &Selector::regex),
      field(text("kind", "layers of this op; residual and group are blocks").or_else("any"), &Selector::kind),
      field(list("tags", "layers with all of these tags", text("", "a tag")).one().or_else("any"), &Selector::tags),
      field(list("except", "left out of what the others match", text("", "a full name, block1.body.conv1"))
                .one()
                .or_else("any"),
            &Selector::except)};
  return fields;
}

const Fields<Component>& component_fields() {
  static const Fields<Component> fields{
      field(text("id", "name of the component: letters, digits, '.', '_' and '-'").must(), &Component::id),
      kind(table("drop", "layers and blocks whose readers read what they read", keys_of(selector_fields()))),
      kind(text("drop_branch", "RESIDUAL.body or RESIDUAL.shortcut").or_else("none")),
      kind(table("drop_between", "all on the way from a layer (kept) to another (gone too)",
                 {text("from", "the layer that stays").or_else("none"), text("to", "the last to go").or_else("none")})),
      kind(table("drop_edge", "one input of an add, concat or multiply",
                 {text("from", "the input").or_else("none"), text("to", "the layer that reads it").or_else("none")})),
      kind(
          list("drop_feature", "columns of a table or series", text("", "the name of a column")).one().or_else("none")),
      kind(list("drop_channel", "channels of images", integer("", "its number in the files, from 0").from(0))
               .one()
               .or_else("none")),
      kind(list("drop_argument", "elements of a program's command, as written there", text("", "--dropout={p}"))
               .one()
               .or_else("none")),
      kind(list("swap_argument", "elements of a program's command, in whose place `to` is put", text("", "--model=cnn"))
               .one()
               .or_else("none")),
      field(choice("how",
                   "drop_feature, drop_channel: removed; or kept, but of the mean's value or permuted among examples",
                   {"remove", "mean", "permute"})
                .or_else("remove"),
            &Component::how),
      kind(any("swap", "layers by a selector, or optimizer, schedule, loss, augment, sampler, init").or_else("none")),
      field(any("to", "what stands there in a variant without the component, {op: …}").or_else("none"), &Component::to),
      kind(map_of("set", "places of the trial and their values without the component", any("", "a value"))
               .or_else("none")),
      field(choice("as", "each: one variant for each match; group: one for all together", {"each", "group"})
                .or_else("group where one thing matches; else it has to be said"),
            &Component::as),
      field(choice("on_shape",
                   "where shapes after it change: refuse, infer them anew, or put a linear map at the cut that keeps "
                   "them",
                   {"identity_only", "reinfer", "project"}),
            &Component::on_shape),
      field(boolean("allow_head", "the model's head may be among them"), &Component::allow_head),
      field(boolean("inherit", "a swapped optimizer keeps settings, such as lr, that were made for the other"),
            &Component::inherit),
      field(text("rationale", "why it is asked, at most 300 characters").or_else("none"), &Component::rationale),
      field(choice("expected", "what the component is thought to do, said before any result",
                   {"helps", "hurts", "none", "unsure"})
                .or_else("nothing is said"),
            &Component::expected)};
  return fields;
}

const Fields<Section>& section_fields() {
  static const Fields<Section> fields{
      components(),
      field(text("from", "the trial whose configuration is the baseline, as `dlrun ablate --from` writes it")
                .or_else("the baseline is the file's"),
            &Section::from),
      part(table("proposed_by", "the program that proposed the components, as `dlrun ablate --suggest-with` writes it",
                 keys_of(proposed_by_fields()))
               .or_else("a person wrote them"),
           &Section::proposed_by, proposed_by_fields()),
      field(
          choice(
              "design",
              "loco: each component is left out alone; pairwise: and each two; factorial: all combinations; "
              "add_one_in: all left out, and each put back alone; leave_group_out: groups of them; fractional: a part "
              "of all combinations; list: variants as named; race: as loco, but variants compete to be the best, and "
              "those "
              "shown to be worse drop out; elimination: in rounds the one that matters least goes; "
              "path: from another configuration, or from all left out, change by change",
              {"loco", "pairwise", "factorial", "add_one_in", "leave_group_out", "fractional", "list", "race",
               "elimination", "path"}),
          &Section::design),
      field(map_of("groups", "leave_group_out: {name: components that are left out together}", names_of_components())
                .or_else("those in one block of the model"),
            &Section::groups),
      field(
          map_of("variants", "list: {name: components that are left out of it}", names_of_components()).or_else("none"),
          &Section::variants),
      field(integer("resolution", "fractional: 3 tells components apart, 4 from interactions of two, 5 these as well")
                .from(3)
                .to(5)
                .or_else("4"),
            &Section::resolution),
      field(map_of("generators", "fractional: {component: those whose product it is}", names_of_components())
                .or_else("as the resolution takes"),
            &Section::generators),
      part(table("path", "design path: the baseline is its end", keys_of(path_fields())).or_else("none"),
           &Section::path, path_fields()),
      part(table("replicates",
                 "each variant is trained so often, with the same seeds as the baseline; auto: as stopping says",
                 keys_of(replicates_fields()))
               .or_word("auto"),
           &Section::replicates, replicates_fields()),
      part(table("stopping", "a variant whose answer is settled at a look gets no more replicates; none is cut short",
                 keys_of(stopping_fields()))
               .or_else("no looks, but where replicates is auto"),
           &Section::stopping, stopping_fields()),
      part(table("race", "design race: how much it may cost", keys_of(race_fields())).or_else("no limit"),
           &Section::race, race_fields()),
      part(table("retune", "each variant is tuned before it is compared, with the same budget, on a seed of its own",
                 keys_of(retune_fields()))
               .or_else("the settings as written, for all"),
           &Section::retune, retune_fields()),
      field(choice("start_from",
                   "baseline: a variant begins with what the baseline of its replicate ended with, where tensors fit; "
                   "an approximation",
                   {"none", "baseline"})
                .or_else("none: first weights"),
            &Section::start_from),
      field(
          choice("tested", "whose test split is measured, once, when all is trained", {"best", "all"}).or_else("best"),
          &Section::tested),
      part(table("analysis", "how the differences are judged", keys_of(analysis_fields())), &Section::analysis,
           analysis_fields()),
      field(real("capacity_guard", "a variant with so many times more or fewer parameters or operations is noted")
                .above(1),
            &Section::capacity_guard)};
  return fields;
}

const Key& ablation_key() {
  static const Key key = table("ablation", "what the parts of the trial contribute: it is trained without them",
                               keys_of(section_fields()));
  return key;
}

}  // namespace dlrun::ablation
