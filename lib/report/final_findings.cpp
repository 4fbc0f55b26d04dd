// SPDX-License-Identifier: Apache-2.0
#include "report/final_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "recipe/metric_share.hpp"
#include "report/ablation_findings.hpp"
#include "report/final_effects.hpp"

namespace dlrun::report {

namespace {

enum class Speed { faster, slower, open };
enum class End { better, as_good, worse, open };

/// An arm beside fresh weights.
struct Worth {
  std::string arm;
  Speed speed = Speed::open;
  End end = End::open;
  std::string sentence;
};

class Worths {
 public:
  explicit Worths(const FinalStudy& study)
      : study_(study),
        speeds_(speed_ups(study)),
        metric_(has_test(study) ? study.test : study.metric),
        ends_(changes_by(study, has_test(study) ? metric_of_test : metric_at_end)),
        equal_p_(equivalence_p(study, ends_.effects)),
        amounts_(metric_, study.maximize, study.is_training && recipe::is_share(metric_)) {}

  std::vector<Worth> all() const {
    std::vector<Worth> out;
    for (std::size_t i = 0; i + 1 < study_.arms.size(); ++i) out.push_back(worth_of(i));
    return out;
  }

 private:
  Worth worth_of(std::size_t i) const {
    const std::string& name = study_.arms[i + 1].name;
    const auto &speed = speeds_.effects[i], &end = ends_.effects[i];
    if (!speed || !end)
      return {name, Speed::open, End::open, fmt::format("`{}` is not judged: it takes two seeds or more", name)};
    Worth out{name, speed_of(*speed, speeds_.p[i]), end_of(i), {}};
    out.sentence = fmt::format("{}, and {}", speed_text(name, out.speed, *speed), end_text(out.end, *end));
    return out;
  }

  static Speed speed_of(const statistics::Effect& effect, double p) {
    if (p >= kFinalAlpha) return Speed::open;
    return effect.mean > 0 ? Speed::faster : Speed::slower;
  }

  /// The change so that more is better.
  statistics::Effect gain(statistics::Effect change) const {
    if (study_.maximize) return change;
    change.mean = -change.mean;
    std::swap(change.low, change.high);
    change.low = -change.low;
    change.high = -change.high;
    return change;
  }

  End end_of(std::size_t i) const {
    if (ends_.p[i] < kFinalAlpha) return gain(*ends_.effects[i]).mean > 0 ? End::better : End::worse;
    return study_.points > 0 && equal_p_[i] < kFinalAlpha ? End::as_good : End::open;
  }

  /// Neither an arm nor fresh weights reached the target.
  bool is_missed(const std::string& name) const {
    return std::all_of(study_.arms.begin(), study_.arms.end(), [&](const FinalArm& arm) {
      return (&arm != &study_.arms.front() && arm.name != name) || reaching_of(arm) == 0;
    });
  }

  /// "`best` reaches val.accuracy 0.92 in 1.9 times fewer epochs [1.2, 2.9]"
  std::string speed_text(const std::string& name, Speed speed, const statistics::Effect& effect) const {
    const double mean = std::exp(effect.mean), low = std::exp(effect.low), high = std::exp(effect.high);
    const std::string to = fmt::format("{} {:.4g}", study_.metric, study_.target);
    if (is_missed(name)) return fmt::format("neither `{}` nor `kaiming` reaches {}", name, to);
    if (speed == Speed::faster)
      return fmt::format("`{}` reaches {} in {:.2g} times fewer epochs [{:.2g}, {:.2g}]", name, to, mean, low, high);
    if (speed == Speed::slower)
      return fmt::format("`{}` takes {:.2g} times the epochs to {} [{:.2g}, {:.2g}]", name, 1 / mean, to, 1 / high,
                         1 / low);
    return fmt::format("`{}` is not shown to reach {} sooner or later ({:.2g} to {:.2g} times fewer epochs)", name, to,
                       low, high);
  }

  /// "gains 0.5 points [0.2, 0.8] of test.accuracy"
  std::string end_text(End end, const statistics::Effect& change) const {
    const statistics::Effect gained = gain(change);
    if (end == End::better || end == End::worse)
      return amounts_.change(gained, false) + (amounts_.is_share() ? " of " + metric_ : "");
    if (end == End::as_good)
      return fmt::format("ends with the same {}, within {}", metric_, amounts_.text(study_.points / 100));
    return fmt::format("its end is open: {} differs by {:.2g} to {:.2g}{}", metric_, amounts_.scale() * change.low,
                       amounts_.scale() * change.high, amounts_.is_share() ? " points" : "");
  }

  const FinalStudy& study_;
  FinalEffects speeds_;
  std::string metric_;
  FinalEffects ends_;
  std::vector<double> equal_p_;
  Amounts amounts_;
};

bool is_gain(const Worth& worth) {
  return (worth.speed == Speed::faster && (worth.end == End::as_good || worth.end == End::better)) ||
         (worth.speed == Speed::open && worth.end == End::better);
}

bool is_loss(const Worth& worth) {
  return worth.end == End::worse || (worth.speed == Speed::slower && worth.end != End::better);
}

const Worth* first_of(const std::vector<Worth>& all, bool (*counts)(const Worth&)) {
  const auto found = std::find_if(all.begin(), all.end(), counts);
  return found == all.end() ? nullptr : &*found;
}

std::string answer_of(const std::vector<Worth>& all) {
  if (const Worth* gain = first_of(all, is_gain)) return fmt::format("Yes, with `{}`", gain->arm);
  const auto is_faster = [](const Worth& worth) { return worth.speed == Speed::faster; };
  if (const Worth* one = first_of(all, is_faster))
    return fmt::format("It is faster with `{}`, but {}", one->arm,
                       one->end == End::worse ? "ends worse" : "whether it ends as well is open");
  if (std::all_of(all.begin(), all.end(), is_loss)) return "No";
  return "That is open: these seeds do not show it";
}

/// The answer where no rival was trained.
std::string alone_text(const FinalStudy& study) {
  const bool is_fresh = study.race->chosen == "none";
  return fmt::format("Was it worth it? {}; no rival was trained beside it (`compare:` trains some).",
                     is_fresh
                         ? "No: the race found no start that ends better than fresh weights"
                         : fmt::format("The race says so: `{}` ended its short schedule best", study.race->chosen));
}

/// "The race `s-race` chose `resume` by val.accuracy after 6 epochs (`none` 0.93, `resume` 0.95). It trained 24 epochs,
/// which `race` bears: 2.4 for each of its 10 seeds."
std::string race_sentence(const FinalStudy& study) {
  const FinalRace& race = *study.race;
  const std::string how = race.result ? fmt::format(" by {} after {} epochs ({})", race.result->metric,
                                                    race.result->arm_epochs, means_text(*race.result))
                                      : std::string();
  return fmt::format("The race `{}` chose `{}`{}. It trained {} epochs, {:.3g} for each of {} seed{}{}.", race.study,
                     race.chosen, how, race.epochs, double(race.epochs) / study.seeds, study.seeds,
                     study.seeds == 1 ? "" : "s", study.arms.empty() ? "" : ", which `race` bears below");
}

}  // namespace

Table final_findings(const FinalStudy& study) {
  const std::vector<Worth> all = study.arms.empty() ? std::vector<Worth>() : Worths(study).all();
  std::vector<Worth> warm = all;
  std::erase_if(warm, [](const Worth& worth) { return worth.arm == "kaiming_longer" || worth.arm == "fresh_shrunk"; });
  std::size_t seeds = 0;
  for (const FinalArm& arm : study.arms) seeds = std::max(seeds, arm.trainings.size());
  Table out{"findings of " + study.name, {"arm", "finding"}, {}, Shape::sentences};
  if (study.arms.empty()) {
    out.rows.push_back({nullptr, alone_text(study)});
  } else {
    out.rows.push_back({nullptr, fmt::format("Beside fresh weights (`kaiming`), was it worth it? {} ({} seed{}).",
                                             answer_of(warm), seeds, seeds == 1 ? "" : "s")});
  }
  if (study.race) out.rows.push_back({nullptr, race_sentence(study)});
  for (const Worth& worth : all) out.rows.push_back({worth.arm, worth.sentence});
  return out;
}

}  // namespace dlrun::report
