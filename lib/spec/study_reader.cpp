// SPDX-License-Identifier: Apache-2.0
#include "spec/study_reader.hpp"

#include <algorithm>

#include "dataset/batch_section.hpp"
#include "dataset/schema_json.hpp"
#include "spec/constraints_section.hpp"
#include "spec/executor_section.hpp"
#include "spec/final_rehearsal.hpp"
#include "spec/keep_section.hpp"
#include "spec/keys.hpp"
#include "spec/kinds.hpp"
#include "spec/sampler_section.hpp"
#include "spec/search_section.hpp"
#include "spec/space_section.hpp"
#include "trial/kinds.hpp"

namespace dlrun::spec {

namespace fs = std::filesystem;
using document::Node;

namespace {

bool is_device(const std::string& name) {
  if (name == "cpu" || name == "auto" || name == "cuda") return true;
  constexpr std::size_t kPrefix = 5, kMostDigits = 2;
  return name.starts_with("cuda:") && name.size() > kPrefix && name.size() <= kPrefix + kMostDigits &&
         std::all_of(name.begin() + kPrefix, name.end(), [](unsigned char c) { return std::isdigit(c); });
}

/// The first objective's metric; empty if it is not known.
std::string known_metric(const Json& study) {
  const Json& all = study["objective"];
  const Json one = all.is_array() && !all.empty() ? all[0] : all;
  const Json metric = one.is_object() ? one.value("metric", Json()) : Json();
  return metric.is_string() ? metric.get<std::string>() : "";
}

bool has_outputs(const Node& root) {
  const Node* node = &root;
  for (const char* key : {"trial", "model", "outputs"}) node = node == nullptr ? nullptr : node->find(key);
  return node != nullptr && node->is_map() && !node->entries.empty();
}

Node empty_list(const Node& written) {
  Node out;
  out.kind = Node::Kind::list;
  out.span = written.span;
  return out;
}

std::uint64_t seed_of(const Json& study) { return study["seed"].is_number() ? study["seed"].get<std::uint64_t>() : 0; }

Key& key_named(Table& table, const std::string& name) {
  return *std::find_if(table.begin(), table.end(), [&](const Key& key) { return key.name == name; });
}

}  // namespace

Json StudyReader::read(const Node& root) {
  faults_.wrote("", {{root.span}, {root.span}});
  refuse_ablation(root);
  Json study = read_keys(root);
  if (!study["trial"].is_object()) return study;
  check_name(study, faults_);
  check_retry(study, faults_);
  check_device(study);
  check_horizon(study["trial"], faults_);
  check_trial(study);
  const bool is_known = schema_ || study["trial"]["kind"] != "train";  // the data were read, or there are none
  if (study["space"].is_array()) check_places(study["space"], study["trial"], faults_);
  if (schema_ && study["space"].is_array()) check_data_places(study["trial"], study["space"], seed_of(study), faults_);
  if (is_known) check_members(study["trial"], study["space"], seed_of(study), faults_);
  if (schema_) check_training(study);
  fill_kinds(study["trial"], study["space"], faults_);
  if (is_known) check_objectives(study, metrics_of(study["trial"], study["space"], schema_), faults_);
  check_search(study, faults_);
  check_group(study, source_.executor, faults_);
  check_gang_device(study, faults_);
  check_parked(study, faults_);
  check_keep(study, faults_);
  check_reuse(study);
  check_winner(study, is_ablation_, faults_);
  if (!is_ablation_) check_units(study, faults_);
  check_final(study, root.find("final"), faults_);
  check_final_of_gang(study, faults_);
  if (!is_ablation_) rehearse_final(study, root, source_, faults_);
  if (schema_ && !faults_.list.has_errors())
    check_final_start(study, *schema_, final_schema(study, root, source_).value_or(*schema_), faults_);
  if (schema_) check_final_resume(study, faults_);
  return study;
}

/// Model, weights, optimiser and schedule of a trial whose data could be read.
void StudyReader::check_training(Json& study) {
  Json& trial = study["trial"];
  check_model(trial, study["space"], *schema_, faults_);
  if (study["search"].is_object() && has_heirs(study["search"]["pruner"]))
    check_shapes_stay(trial, study["space"], *schema_, faults_);
  check_init(trial, folder_of("trial.init"), source_.data_folders, *schema_, faults_);
  check_warm_start(trial, weight_places(), *schema_, known_metric(study), faults_);
  check_optimizer(trial, study["space"], *schema_, faults_);
  const std::int64_t examples = dataset::examples_of_epoch(trial["data"], *schema_, seed_of(study));
  check_parallel(trial, study["space"], examples, faults_);
  check_weights_of_parts(trial, study["space"], faults_);
  check_partition(trial, study["space"], schema_->train, faults_);
  check_placement(study, placement_folders(), *schema_, is_ablation_, faults_);
  if (!is_ablation_) check_idle_parts(trial, study["space"], faults_);
  if (!is_ablation_) check_idle_partition(trial, study["space"], faults_);
  if (!is_ablation_) check_servers(trial, study["space"], *schema_, faults_);
  check_lr_scaling(trial, study["space"], faults_);
  check_schedule(trial, study["space"], metrics_of(trial, study["space"], schema_), examples, faults_);
  check_measures(trial, study["space"], *schema_, seed_of(study), faults_);
  check_targets(trial, *schema_, seed_of(study), faults_);
}

std::vector<std::filesystem::path> StudyReader::placement_folders() const {
  std::vector<std::filesystem::path> folders{folder_of("trial.placement")};
  folders.insert(folders.end(), source_.data_folders.begin(), source_.data_folders.end());
  return folders;
}

WeightPlaces StudyReader::weight_places() const {
  WeightPlaces places{{folder_of("trial.warm_start")}, source_.checkpoint};
  places.folders.insert(places.folders.end(), source_.data_folders.begin(), source_.data_folders.end());
  return places;
}

/// The default of `reuse` depends on the kind of study, and is left out.
void StudyReader::check_reuse(Json& study) {
  if (study["reuse"].is_null()) study.erase("reuse");
  const std::string reuse = study.value("reuse", "none");
  const bool reuses_stages = reuse == "stages" || reuse == "all";
  if (reuses_stages && study["trial"]["kind"] != "train")
    faults_.at("reuse", "only trials of kind train have epochs in common", "reuse: none");
  const Json keep = study.value("keep", Json::object());
  const bool keeps_epochs = keep.is_object() && keep.value("epochs", Json()).is_array() && !keep["epochs"].empty();
  if (reuses_stages && keeps_epochs)
    faults_.at("reuse", "keep.epochs wants checkpoints of epochs that another trial would have trained",
               "reuse: none, or reuse: trials, or remove keep.epochs");
  const std::string kind = study["trial"]["kind"].get<std::string>();
  if (reuse == "trials" && (kind == "asked" || trial::runs_program(kind)))
    faults_.at("reuse", "runs of a program cannot be cited, for nobody knows whether its code is the same",
               "reuse: none");
}

/// Silence would be worse than a refusal.
void StudyReader::refuse_ablation(const Node& root) {
  const Node* value = root.find("ablation");
  if (value == nullptr || value->is_null()) return;
  faults_.wrote("ablation", root, "ablation");
  faults_.at_key("ablation", "'ablation' is no part of a search", "run it with `dlrun ablate`, or remove it");
}

/// Parameters are read in their order, with conditions among them; named outputs have a loss and metrics each.
Json StudyReader::read_keys(const Node& root) {
  Table table = study_keys();
  const Node* written = root.find("space");
  const bool is_there = written != nullptr && !written->is_null();
  Key& space = key_named(table, "space");
  if (is_there) {
    space = any("space", "").must();
  } else if (is_ablation_) {
    space.required = false;
  }
  if (has_outputs(root)) key_named(table, "trial").variants = trial_key(true).variants;
  Node without = root;
  std::erase_if(without.entries, [](const document::Entry& entry) { return entry.key == "ablation"; });
  if (is_there) without.find_entry("space")->value = empty_list(*written);
  Json study = read_table(without, table, "", "a study", faults_);
  settle_sampler(study["search"]);
  settle_executor(study, faults_);
  study["space"] = is_there ? read_space(*written, faults_) : Json::array();
  check_constraints(study, faults_);
  study.erase("ablation");
  return study;
}

/// The worker alone knows whether such a device is there.
void StudyReader::check_device(const Json& study) {
  if (!study["resources"].is_object() || !study["resources"]["device"].is_string()) return;
  const std::string device = study["resources"]["device"].get<std::string>();
  if (!is_device(device)) {
    faults_.at("resources.device", "there is no device '" + device + "'",
               suggest(device, {"cpu", "auto", "cuda", "cuda:0"}));
  } else if (device != "cpu" && study["trial"].is_object() && study["trial"]["kind"] == "function") {
    faults_.at("resources.device", "a test function runs on the CPU", "remove it");
  } else if (device == "cpu" && faults_.was_written("resources.gpu_share")) {
    faults_.at_key("resources.gpu_share", "gpu_share changes nothing where device is cpu",
                   "write device: cuda or auto beside it, or remove it");
  }
}

void StudyReader::check_trial(Json& study) {
  Json& trial = study["trial"];
  const std::string kind = trial["kind"].get<std::string>();
  take_folds(trial, study["space"], faults_);
  if (kind == "function") return check_function(trial, study["space"], faults_);
  if (trial::runs_program(kind)) {
    check_program_start(trial, weight_places(), faults_);
    check_params(trial, study["space"], faults_);
  }
  if (kind == "command") return check_command(trial, study["space"], folder_of("trial.folder"), faults_);
  if (kind == "python") return check_python(study, folder_of("trial.folder"), faults_);
  if (kind == "asked") return check_asked(study, faults_);
  schema_ = check_data(trial, data_folder(trial), source_.data_folders, seed_of(study), faults_);
  if (!schema_) return;
  check_outputs(trial, *schema_, faults_);
  fill_by_data(trial, *schema_, faults_);
  study["derived"]["data"] = dataset::to_json(*schema_);
}

/// Folder of the first key that names a file.
fs::path StudyReader::data_folder(const Json& trial) const {
  for (const std::string& key : dataset::path_keys(trial.value("data", Json()))) {
    if (faults_.was_written("trial.data." + key)) return folder_of("trial.data." + key);
  }
  return folder_of("trial.data");
}

/// The folder of the file in which the path was written, or else of the study.
fs::path StudyReader::folder_of(const std::string& path) const {
  const document::Span span = faults_.was_written(path) ? faults_.value_of(path) : faults_.value_of("");
  return span.source ? span.source->folder : fs::current_path();
}

}  // namespace dlrun::spec
