// SPDX-License-Identifier: Apache-2.0
#include "recipe/averaging.hpp"

#include "options/field.hpp"
#include "recipe/schedule_config.hpp"

namespace dlrun::recipe {

namespace {

using options::choice;
using options::field;
using options::integer;
using options::real;

options::Fields<SwaConfig> swa_fields() {
  const auto when = [](auto& swa) -> auto& { return swa.when; };
  const options::Key start = real("start", "share of the epochs that are done before it begins");
  const options::Key every = integer("every", "epochs from one of the averaged weights to the next");
  return {options::within<SwaConfig>(
              field(options::Key(start).from(0).below(1).or_else("no average"), &AveragedEpochs::start), when),
          options::within<SwaConfig>(field(options::Key(every).from(1).to(kMostEpochs), &AveragedEpochs::every), when),
          field(real("lr", "the rate from there on").from(0).or_else("the schedule's").search(), &SwaConfig::lr),
          field(integer("anneal_epochs", "on the way to that rate").from(0).to(kMostEpochs), &SwaConfig::anneal_epochs),
          field(choice("anneal_strategy", "the shape of the way", {"cos", "linear"}), &SwaConfig::anneal_strategy)};
}

}  // namespace

options::Key swa_key() {
  return table("swa", "the mean of the weights of the last epochs, measured in place of them (Izmailov et al. 2018)",
               options::keys_of(swa_fields()));
}

std::optional<SwaConfig> read_swa(const Json& trial, std::int64_t epochs) {
  const Json section = options::as_map(trial.value("swa", Json()), "swa");
  if (section.value("start", Json()).is_null()) return std::nullopt;
  SwaConfig swa;
  read_fields(section, swa_fields(), "swa", swa);
  swa.when.epochs = epochs;
  if (!swa.lr) {  // settings without effect, so that equal trainings have equal fingerprints
    swa.anneal_epochs = SwaConfig().anneal_epochs;
    swa.anneal_strategy = SwaConfig().anneal_strategy;
  }
  if (swa.when.count(epochs) < 2) {
    options::refuse("swa.start", section.at("start"), "early enough for two epochs to be averaged");
  }
  return swa;
}

}  // namespace dlrun::recipe
