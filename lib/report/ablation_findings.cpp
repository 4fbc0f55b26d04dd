// SPDX-License-Identifier: Apache-2.0
#include "report/ablation_findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "ablation/analysis.hpp"
#include "report/ablation_examples.hpp"

namespace dlrun::report {

namespace {

using statistics::Contribution;
using statistics::Verdict;
using Group = std::vector<const Judged*>;

std::string quoted(const std::string& name) { return "`" + name + "`"; }

double two_digits(int count) {
  const double unit = std::pow(10, std::max(0, int(std::log10(count)) - 1));
  return std::ceil(count / unit) * unit;
}

/// "`a`, `b` and `c`"
std::string list_of(const AblationStudy& study, const std::vector<std::string>& components) {
  std::vector<std::string> names;
  for (const std::string& component : components) names.push_back(quoted(study.name_of(component)));
  if (names.size() < 2) return names.empty() ? "" : names[0];
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

std::string list_of(const AblationStudy& study, const Group& group) {
  std::vector<std::string> components;
  for (const Judged* one : group) components.push_back(one->component);
  return list_of(study, components);
}

class Sentences {
 public:
  Sentences(const AblationStudy& study, const std::vector<Judged>& judged)
      : study_(study), amounts_(study), all_(by_effect(judged)) {}

  Table table() const {
    Table out{"findings of " + study_.name, {"component", "finding"}, {}, Shape::sentences};
    out.rows.push_back({nullptr, first()});
    const AblationVariant* base = study_.without({});
    if (base != nullptr && study_.is_collapsed(*base)) return out;
    for (const Judged* one : all_) {
      const std::string text = finding(*one);
      if (!text.empty()) out.rows.push_back({one->component, text});
    }
    for (const std::string& text : {interactions(), without_change(), inconclusive(), too_few()}) {
      if (!text.empty()) out.rows.push_back({nullptr, text});
    }
    return out;
  }

 private:
  bool is_put_back() const { return report::is_put_back(study_); }
  bool is_averaged() const { return study_.plan.section.design == "fractional"; }

  Group with(Verdict verdict) const {
    Group out;
    for (const Judged* one : all_) {
      if (one->found.effect && one->found.verdict == verdict) out.push_back(one);
    }
    return out;
  }

  // ---- the sentence that sums up ----

  std::string first() const {
    const AblationVariant* base = study_.without({});
    if (base != nullptr && study_.is_collapsed(*base))
      return "The baseline did not train (it is constant, or no better than guessing): nothing is ranked.";
    if (study_.plan.steps) return study_.plan.puts_back() ? path() : elimination();
    return summary();
  }

  /// "By val.accuracy, 5 of 9 components earn their place, 2 are better left out, … (12 seeds)."
  std::string summary() const {
    std::vector<std::string> parts;
    const auto add = [&](std::size_t count, const char* one, const char* many) {
      if (count > 0) parts.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
    };
    const Group worse = with(Verdict::hurts);
    const bool has_sides =
        std::any_of(worse.begin(), worse.end(), [&](auto* j) { return study_.sides_of(j->component) != nullptr; });
    add(with(Verdict::helps).size(), is_put_back() ? "helps alone" : "earns its place",
        is_put_back() ? "help alone" : "earn their place");
    add(worse.size(), has_sides ? "is better changed or left out" : "is better left out",
        has_sides ? "are better changed or left out" : "are better left out");
    add(with(Verdict::negligible).size(), "makes no difference that matters", "make no difference that matters");
    add(with(Verdict::inconclusive).size(), "is inconclusive", "are inconclusive");
    const std::size_t known = with(Verdict::helps).size() + with(Verdict::hurts).size() +
                              with(Verdict::negligible).size() + with(Verdict::inconclusive).size();
    add(all_.size() - known, "is not judged", "are not judged");
    return fmt::format("By {}{}, of {} component{}: {} ({}{} {}{}).", study_.metric, population(), all_.size(),
                       all_.size() == 1 ? "" : "s",
                       parts.empty() ? "nothing is known yet" : fmt::format("{}", fmt::join(parts, ", ")),
                       study_.analysis.looks.at.empty() ? "" : "up to ", study_.seeds.size(), replicates(),
                       open_cells(study_) > 0 ? ", so far" : "");
  }

  const char* replicates() const { return has_folds(all_) ? "folds" : "seeds"; }

  /// Examples that the verdicts are about; nothing where a program has them.
  std::string population() const {
    if (study_.claims != "split") return has_folds(all_) ? " on new data" : " on new examples";
    const bool is_training = study_.spec.value("trial", Json::object()).value("kind", "train") == "train";
    return is_training && study_.analysis.test_share == 0 ? " on this split" : "";
  }

  std::string path() const {
    const auto whole = whole_effect();
    if (!whole) return "No step of the path is measured yet.";
    const auto& from = study_.plan.section.path.from;
    const std::string start = from ? "From '" + *from + "'" : "From nothing";
    const Judged* most = all_.empty() ? nullptr : all_.front();
    std::string text = fmt::format("{}{} {}", start, way(), amounts_.change(*whole, false));
    if (most != nullptr && all_.size() > 1 && most->found.effect && most->found.effect->mean > 0)
      text += fmt::format("; the most comes from {}: {}", quoted(study_.name_of(most->component)),
                          amounts_.size_of(*most->found.effect));
    return text + ".";
  }

  /// " to the baseline, the path"; or how far it came.
  std::string way() const {
    const StepsSoFar steps = steps_so_far(study_);
    const std::size_t all = study_.plan.steps->components.size();
    if (steps.taken == all) return " to the baseline, the path";
    return steps.is_open
               ? fmt::format(", the path so far ({} of {} changes)", steps.taken, all)
               : fmt::format(", the path, which ended after {} of {} changes ({}),", steps.taken, all, steps.end);
  }

  bool is_elimination() const { return study_.plan.steps && !study_.plan.puts_back(); }

  std::string elimination() const {
    const bool is_open = steps_so_far(study_).is_open;
    if (is_open && all_.empty()) return "The elimination is not over: nothing can go so far.";
    std::vector<std::string> kept = study_.plan.steps->components;
    for (const Judged* one : all_) std::erase(kept, one->component);
    const std::string stay =
        kept.empty() ? "nothing has to stay" : list_of(study_, kept) + (kept.size() == 1 ? " stays" : " stay");
    if (all_.empty()) return fmt::format("No component can go: {}.", stay);
    const auto whole = whole_effect();
    const std::string effect =
        whole ? (all_.size() == 1 ? "that " : "leaving out all of that ") + amounts_.change(*whole, true)
              : "that is not measured yet";
    if (is_open)
      return fmt::format("The elimination is not over: {} can go so far, and {}.", list_of(study_, all_), effect);
    return fmt::format("{} can go, and {}; {}.", list_of(study_, all_), effect, stay);
  }

  std::optional<statistics::Effect> whole_effect() const {
    std::vector<Judged> steps = steps_of(study_);
    return whole_of_steps(study_, steps).effect;
  }

  // ---- one finding ----

  std::string finding(const Judged& one) const {
    const Contribution& c = one.found;
    if (c.is_collapsed)
      return fmt::format("{} is not ranked: without it the metric is constant, or no better than guessing", name(one));
    if (c.is_unstable) return fmt::format("{} is not ranked: more than a fifth of the runs failed", name(one));
    if (!c.effect || c.verdict == Verdict::inconclusive) return {};
    if (c.verdict == Verdict::negligible) return negligible(one);
    const Change* sides = study_.sides_of(one.component);
    return (sides != nullptr ? better_side(one, *sides) : effect(one)) +
           (c.is_disputed ? " (t test and signs disagree †)" : "");
  }

  std::string name(const Judged& one) const { return quoted(study_.name_of(one.component)); }

  /// "dropping `bn`", "`bn` alone"
  std::string action(const Judged& one) const {
    if (is_put_back()) return name(one) + " alone";
    if (study_.plan.puts_back()) return name(one);
    const auto change = study_.changes.find(one.component);
    if (change == study_.changes.end()) return "going without " + name(one);
    return change->second.verb + " " + name(one) + (change->second.after.empty() ? "" : " " + change->second.after);
  }

  std::string conditions() const { return is_averaged() ? " on average over the other components" : ""; }

  /// Interactions that may be behind the effect as well; empty where it is the component's own.
  std::string doubt(const Judged& one) const {
    const std::vector<std::string> others = aliases_of(study_, {one.component});
    if (others.empty()) return {};
    return fmt::format(", or what {} are to each other does, which this fraction cannot tell apart",
                       fmt::join(others, " or "));
  }

  std::string remark_on_size(const Contribution& c) const {
    return is_small(c, study_.analysis) ? ", less than the " + amounts_.text(study_.analysis.rope) + " that matter"
                                        : "";
  }

  std::string effect(const Judged& one) const {
    const bool is_good = one.found.verdict == Verdict::helps;
    const bool is_removed = !is_put_back() && !study_.plan.puts_back();
    return action(one) + " " + amounts_.change(*one.found.effect, is_removed) + conditions() +
           remark_on_size(one.found) + (is_removed ? advice(one, is_good) : doubt(one));
  }

  std::string advice(const Judged& one, bool is_good) const {
    if (std::string text = doubt(one); !text.empty()) return text;
    if (is_elimination()) return {};  // a component of a step has gone, as much as it was worth
    const auto change = study_.changes.find(one.component);
    const bool is_drop = change == study_.changes.end() || change->second.verb == "dropping";
    if (is_good) return is_drop ? "; keep it" : "; leave it as it is";
    return is_drop ? "; leave it out" : "; make the change";
  }

  std::string better_side(const Judged& one, const Change& sides) const {
    const bool is_good = one.found.verdict == Verdict::helps;
    const std::string better = quoted(is_good ? sides.with : sides.without),
                      worse = quoted(is_good ? sides.without : sides.with);
    const std::string doubt = this->doubt(one), advice = is_elimination() ? "" : (is_good ? "; keep it" : "; take it");
    return fmt::format("{}{} is better than {} by {}{}{}{}", sides.place.empty() ? "" : quoted(sides.place) + ": ",
                       better, worse, amounts_.size_of(*one.found.effect), conditions(), remark_on_size(one.found),
                       doubt.empty() ? advice : doubt);
  }

  std::string negligible(const Judged& one) const {
    const std::string rope = amounts_.text(study_.analysis.rope), doubt = this->doubt(one);
    const Change* sides = study_.sides_of(one.component);
    if (sides != nullptr)
      return fmt::format("{}{} and {} differ by less than {}{}",
                         sides->place.empty() ? "" : quoted(sides->place) + ": ", quoted(sides->with),
                         quoted(sides->without), rope, doubt.empty() ? "; either will do" : doubt);
    const std::string metric = amounts_.is_share() ? "" : study_.metric + " by ";
    return fmt::format("{} changes {}less than {}{}", action(one), metric, rope,
                       doubt.empty() ? "; it may go" + saving(one) : doubt);
  }

  std::string saving(const Judged& one) const {
    const Json share = parameters_saved(one);
    if (!share.is_number() || share.get<double>() < 1) return {};
    return fmt::format(", and with it {:.0f} % of the parameters", share.get<double>());
  }

  // ---- several at once ----

  std::string interactions() const {
    if (study_.plan.steps) return {};
    std::vector<std::string> texts;
    for (const JudgedPair& pair : is_averaged() ? aliased_interactions(study_) : interactions_of(study_)) {
      if (!pair.found.effect || pair.found.p_corrected >= study_.analysis.alpha) continue;
      texts.push_back(interaction(pair));
    }
    return fmt::format("{}", fmt::join(texts, "; "));
  }

  std::string interaction(const JudgedPair& pair) const {
    std::vector<std::string> pairs = aliases_of(study_, {pair.first, pair.second});
    pairs.insert(pairs.begin(), list_of(study_, std::vector<std::string>{pair.first, pair.second}));
    return fmt::format("{} {} ({}{})", fmt::join(pairs, ", or "),
                       pair.found.effect->mean > 0 ? "need each other" : "stand in for each other",
                       amounts_.size_of(*pair.found.effect),
                       pairs.size() > 1 ? "; this fraction cannot tell which" : "");
  }

  /// Inconclusive components of whose pairs none differs, or those of which some do.
  Group open(bool is_same) const {
    Group out = with(Verdict::inconclusive);
    std::erase_if(out, [&](const Judged* one) {
      const statistics::Effect& effect = *one->found.effect;
      return (effect.mean == 0 && effect.low == 0 && effect.high == 0) != is_same;
    });
    return out;
  }

  std::string without_change() const {
    const Group same = open(true);
    if (same.empty()) return {};
    return fmt::format("{} {} no value so far: with and without {}, each pair of runs ends with the same {}",
                       list_of(study_, same), same.size() == 1 ? "changes" : "change", same.size() == 1 ? "it" : "them",
                       study_.metric);
  }

  std::string inconclusive() const {
    const Group open = this->open(false);
    if (open.empty()) return {};
    return fmt::format("{} {} inconclusive: {}", list_of(study_, open), open.size() == 1 ? "is" : "are",
                       settling(open));
  }

  std::string settling(const Group& open) const {
    double widest = 0;
    for (const Judged* one : open) widest = std::max(widest, (one->found.effect->high - one->found.effect->low) / 2);
    if (widest == 0)
      return fmt::format("differences without any spread are judged by their signs, which takes {} seeds or more",
                         seeds_by_signs());
    const std::string now = fmt::format("the intervals reach ±{}", amounts_.text(widest));
    const auto enough = study_.analysis.rope > 0 ? settling_replicates(open, study_.analysis) : std::optional<int>();
    if (enough)
      return fmt::format("{}; about {:.0f} {} would settle {}", now, two_digits(*enough), replicates(),
                         open.size() == 1 ? "it" : "them");
    if (const std::string remedy = remedy_text(open); !remedy.empty()) return now + "; " + remedy;
    if (study_.analysis.test_share > 0)
      return now + ", and with splits that share examples more data narrows them, not more seeds";
    if (study_.analysis.rope == 0) return now + "; four times the seeds would halve that";
    return now + ", too wide for any number of seeds";
  }

  /// The fewest seeds at which signs alone can pass the correction for all that is judged.
  int seeds_by_signs() const {
    ablation::Design design = ablation::design_of(study_.plan.section, std::max<std::size_t>(all_.size(), 1));
    design.test = "sign_flip";
    return ablation::least_replicates(design);
  }

  std::string too_few() const {
    Group few;
    for (const Judged* one : all_) {
      if (!one->found.effect && !one->found.is_collapsed && !one->found.is_unstable) few.push_back(one);
    }
    return few.empty() ? ""
                       : fmt::format("{}: fewer than two complete pairs, or than two examples to judge by",
                                     list_of(study_, few));
  }

  const AblationStudy& study_;
  Amounts amounts_;
  Group all_;
};

}  // namespace

Table findings_table(const AblationStudy& study, const std::vector<Judged>& judged) {
  return Sentences(study, judged).table();
}

}  // namespace dlrun::report
