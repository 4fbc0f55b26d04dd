// SPDX-License-Identifier: Apache-2.0
#include "model_file.hpp"

#include <fmt/format.h>

#include "document/emit.hpp"
#include "final/trial_study.hpp"
#include "new_file.hpp"
#include "report/trial_reader.hpp"
#include "trained.hpp"
#include "util/error.hpp"
#include "util/sha256.hpp"

namespace dlrun::cli {

namespace {

constexpr std::string_view kEnding = ".safetensors";

std::filesystem::path description_of(const std::string& file) {
  if (file.size() > kEnding.size() && file.ends_with(kEnding))
    return file.substr(0, file.size() - kEnding.size()) + ".yaml";
  throw Error(ErrorKind::usage, fmt::format("-o '{}' does not end in {}", file, kEnding),
              "its description gets the same name with .yaml");
}

/// The worker compares the data with what the checkpoint was trained on.
Json description(const Trained& trained, const final::Weights& weights, const std::filesystem::path& file,
                 const Arguments& arguments) {
  const report::OneTrial& trial = trained.trial;
  Json config = final::concise_trial(trained.config);
  return {{"weights",
           {{"file", file.filename().string()},
            {"sha256", Sha256::hex_of(weights.bytes)},
            {"trial", fmt::format("{}/{}", trial.study, trial.number)},
            {"role", weights.from.role},
            {"epoch", weights.from.step},
            {"checkpoint", weights.from.sha256}}},
          {"seed", trained.spec.seed},
          {"params", report::TrialReader(arguments.store(), trial).params()},
          {"trial", config},
          {"prepared", use(arguments, trained, {.describes = true}).prepared}};
}

constexpr const char* kHeading =
    "# A model that dlrun trained: its weights are in {0}, under PyTorch's names.\n"
    "# `trial` says how it was trained, `prepared` how its inputs are made from the data (docs/using.md).\n";

}  // namespace

int export_model(const Arguments& arguments, Console& console) {
  const std::filesystem::path file = arguments.text("output"), yaml = description_of(file.string());
  for (const std::filesystem::path& target : {yaml, file}) require_target(target, arguments.has("force"));
  const Trained trained = find_trained(arguments.store(), arguments.text("safetensors"), arguments.text("epoch"));
  const final::Weights weights = final::weights_of(arguments.store(), trained.trial, arguments.text("epoch"));
  const std::string text = fmt::format(kHeading, file.filename().string()) +
                           document::to_yaml(description(trained, weights, file, arguments));
  write_output(yaml, text);
  write_output(file, weights.bytes);
  console.note(fmt::format("{}: {} tensors of {}, {} bytes; {}: how to feed them", file.string(), weights.tensors,
                           trained.name(), weights.bytes.size(), yaml.string()));
  return 0;
}

}  // namespace dlrun::cli
