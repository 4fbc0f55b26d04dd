// SPDX-License-Identifier: Apache-2.0
// `init:` of a trial: the weights a model begins with, from a file. Found, read and compared with the model here, so
// that nothing starts that could not; the content's hash makes it part of the study's identity.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "spec/study_spec.hpp"
#include "spec/trial_section.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace dlrun::spec {

namespace fs = std::filesystem;

namespace {

const char* const kPlace = "trial.init";

/// `init: FILE` is short for {from: FILE}. Null where something is wrong.
Json read_section(const Json& written, Faults& faults) {
  Json init = written.is_string() ? Json{{"from", written}} : written;
  if (!init.is_object() || !init.contains("from") || !init["from"].is_string()) {
    faults.at(kPlace, "'init' must name a file of weights", "write init: {from: weights.safetensors}");
    return nullptr;
  }
  const std::vector<std::string> known{"from", "strict", "sha256"};
  bool is_sound = true;
  for (const auto& [key, value] : init.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    faults.at_key(join(kPlace, key), fmt::format("'init' has no key '{}'", key), suggest(key, known, "its keys are"));
    is_sound = false;
  }
  if (!init.contains("strict") || init["strict"].is_null()) init["strict"] = true;
  if (!init["strict"].is_boolean()) {
    faults.at("trial.init.strict", fmt::format("'strict' must be true or false, but is {}", to_text(init["strict"])));
    is_sound = false;
  }
  return is_sound ? init : nullptr;
}

/// Is it the content that was meant? Fills it in where nobody said.
bool check_content(const std::string& bytes, Json& init, Faults& faults) {
  const std::string found = Sha256::hex_of(bytes);
  if (init.contains("sha256") && !init["sha256"].is_null() && init["sha256"] != found) {
    faults.at("trial.init.sha256", fmt::format("the file has another content: its sha256 is {}", found),
              "bring back the file it was, or remove this line");
    return false;
  }
  init["sha256"] = found;
  return true;
}

void check_fit(const Json& trial, const tensors::SafeTensors& file, const std::string& at,
               const dataset::Schema& schema, Faults& faults) {
  std::vector<model::ModelError> found;
  const model::Graph graph = model::build(trial["model"], interface_of(schema, trial), &found);
  if (!found.empty()) return;  // said by check_model
  const std::vector<tensors::TensorView> weights = tensors::weights_of(file);
  for (const tensors::TensorView& weight : weights) {
    const std::string fault = tensors::not_finite(weight);
    if (!fault.empty()) return faults.at(at, "the file has weights to begin with no training: " + fault);
  }
  const tensors::Fit fit = tensors::fit(weights, tensors_of(graph));
  if (fit.is_exact()) return;
  if (fit.taken.empty()) {
    faults.at(at, "no tensor of the file fits the model: " + tensors::describe(fit), "is it another model's?");
  } else if (trial["init"]["strict"] == true) {
    faults.at(at, "the file's weights do not fit the model: " + tensors::describe(fit),
              "strict: false takes those that fit");
  } else {
    faults.warn(at, fmt::format("{} of the model's tensors begin as in the file, {} do not: {}", fit.taken.size(),
                                fit.missing.size() + fit.misfits.size(), tensors::describe(fit)));
  }
}

}  // namespace

std::optional<fs::path> find_named_file(const fs::path& written, const std::vector<fs::path>& folders,
                                        const std::string& at, Faults& faults) {
  std::vector<std::string> looked;
  for (const fs::path& folder : folders) {
    const fs::path path = (folder / written).lexically_normal();
    std::error_code fault;
    if (fs::is_regular_file(path, fault)) return fs::absolute(path);
    looked.push_back(path.string());
  }
  faults.at(at, fmt::format("there is no file '{}'", written.string()),
            fmt::format("looked for {}", fmt::join(looked, ", ")));
  return std::nullopt;
}

std::vector<tensors::Wanted> tensors_of(const model::Graph& graph) {
  std::vector<tensors::Wanted> out;
  for (const model::Node& node : graph.nodes) {
    for (const model::Tensor& tensor : node.tensors)
      out.push_back({node.name + '.' + tensor.name, tensor.shape, tensor.name == "num_batches_tracked"});
  }
  return out;
}

std::optional<std::vector<tensors::Wanted>> model_tensors(const Json& trial, const dataset::Schema& schema) {
  std::vector<model::ModelError> found;
  const model::Graph graph = model::build(trial.at("model"), interface_of(schema, trial), &found);
  return found.empty() ? std::optional(tensors_of(graph)) : std::nullopt;
}

void check_init(Json& trial, const fs::path& folder, const std::vector<fs::path>& elsewhere,
                const dataset::Schema& schema, Faults& faults) {
  if (!trial.contains("init") || trial["init"].is_null()) {
    trial.erase("init");
    return;
  }
  const std::string at = faults.was_written("trial.init.from") ? "trial.init.from" : kPlace;
  Json init = read_section(trial["init"], faults);
  if (init.is_null()) return;
  std::vector<fs::path> folders{folder};
  folders.insert(folders.end(), elsewhere.begin(), elsewhere.end());
  const auto path = find_named_file(init["from"].get<std::string>(), folders, at, faults);
  if (!path) return;
  try {
    std::string bytes = read_file(*path);
    if (!check_content(bytes, init, faults)) return;
    init["from"] = path->string();
    trial["init"] = init;
    check_fit(trial, tensors::SafeTensors(std::move(bytes), "'" + path->string() + "'"), at, schema, faults);
  } catch (const Error& fault) {
    faults.at(at, fault.what(), "in Python: safetensors.torch.save_file(model.state_dict(), 'weights.safetensors')");
  }
}

}  // namespace dlrun::spec
