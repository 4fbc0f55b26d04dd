// SPDX-License-Identifier: Apache-2.0
// read(): the file to its normal form, every fault on the way, then the values the driver works with.
#include <algorithm>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dataset/schema_json.hpp"
#include "document/load.hpp"
#include "spec/ablation_proposals.hpp"
#include "spec/ablation_retune.hpp"
#include "spec/ablation_section.hpp"
#include "spec/ablation_suggest.hpp"
#include "spec/ablation_variants.hpp"
#include "spec/constraints_section.hpp"
#include "spec/keep_section.hpp"
#include "spec/normal.hpp"
#include "spec/reading.hpp"
#include "spec/search_section.hpp"
#include "spec/space_section.hpp"
#include "spec/study_spec.hpp"
#include "spec/trial_section.hpp"
#include "trial/runner.hpp"

namespace dlrun::spec {

namespace fs = std::filesystem;
using document::Node;

namespace {

/// `--set model.nodes.fc1.out=64` means the trial's model, as in `at:`.
std::string with_trial(const std::string& set) {
  const std::string first = set.substr(0, set.find_first_of(".="));
  if (find(study_keys(), first) != nullptr) return set;
  for (const Variant& kind : trial_key().variants) {
    if (find(kind.table, first) != nullptr) return "trial." + set;
  }
  return set;
}

/// The document being checked.
bool is_device(const std::string& name) {
  if (name == "cpu" || name == "auto" || name == "cuda") return true;
  constexpr std::size_t kPrefix = 5, kMostDigits = 2;
  return name.starts_with("cuda:") && name.size() > kPrefix && name.size() <= kPrefix + kMostDigits &&
         std::all_of(name.begin() + kPrefix, name.end(), [](unsigned char c) { return std::isdigit(c); });
}

class StudyReader {
 public:
  explicit StudyReader(const Source& source) : source_(source) {}

  document::Loaded load() {
    document::LoadOptions options;
    options.file = source_.file;
    for (const std::string& set : source_.sets) options.sets.push_back(with_trial(set));
    options.pieces = source_.config_folders.empty() ? config_folders() : source_.config_folders;
    options.environment.keep = {"args"};
    return source_.over.empty() ? document::load(options, faults_.list) : load_over(options);
  }

  /// A study, or the ablation of one.
  Json check(const Node& root) {
    const Node* section = root.find("ablation");
    const bool is_ablation = section != nullptr && !section->is_null() && source_.ablation != Ablation::refused;
    if (!is_ablation) {
      require_no_ablation_asked(root);
      return check_study(root);
    }
    std::vector<std::string> left_out;
    const bool retunes = asks_to_retune(*section);
    const Node base = without_search(root, left_out, retunes);
    is_ablation_ = true;
    Json study = check_study(base);
    if (!left_out.empty()) {
      faults_.warn("",
                   fmt::format("an ablation trains its variants whole and leaves aside {}", fmt::join(left_out, ", ")));
    }
    if (faults_.list.has_errors()) return study;
    for (const document::Entry& entry : root.entries) {
      if (entry.key == "ablation") faults_.wrote("ablation", {entry.key_span, entry.value.span});
    }
    const CheckStudy check = checker();
    const ReadTrial other = [&](const Node& file, Faults& faults) { return trial_of(file, faults); };
    if (!retunes) {
      add_ablation(study, base, *section, {}, check, other, faults_);
      return study;
    }
    const Settings settings = settings_of(study);
    const Node plain = without_search(root, left_out);
    Faults known;
    study = check(plain, known);
    add_ablation(study, plain, *section, settings, check, other, faults_);
    return study;
  }

  /// Calls `use` with the study without its search and the check of its variants, unless the study has faults.
  void with_baseline(const Node& root, const std::function<void(const Baseline&, const CheckStudy&)>& use) {
    std::vector<std::string> left_out;
    const Node base = without_search(root, left_out);
    is_ablation_ = true;
    Json study = check_study(base);
    Node folded;
    if (!faults_.list.has_errors()) fold_constants(study, base, checker(), faults_, folded);
    if (!faults_.list.has_errors()) use({study, folded}, checker());
  }

  Faults& faults() { return faults_; }

 private:
  /// The second file laid over the first, as if it extended it; the ablation has a name of its own.
  document::Loaded load_over(document::LoadOptions options) {
    std::vector<std::string> sets;
    std::swap(sets, options.sets);
    document::Loaded out = document::load(options, faults_.list);
    options.file = source_.over;
    document::Loaded over = document::load(options, faults_.list);
    if (!out.root || !over.root) return {};
    const bool has_name = over.root->find("study") != nullptr;
    out.root = document::merge(std::move(*out.root), std::move(*over.root));
    document::Entry* name = out.root->find_entry("study");
    if (!has_name && name != nullptr) name->value.text += "-ablation";
    out.text += "\n---\n" + over.text;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      document::apply_set(*out.root, sets[i], kAfterFiles + int(i), options.environment, faults_.list);
    }
    if (!has_name) require_short(*out.root);
    return out;
  }

  /// The user has not written the end of this name.
  static void require_short(const Node& study) {
    constexpr std::string_view kEnd = "-ablation";
    const Node* name = study.find("study");
    if (name == nullptr || name->text.size() <= kLongestName || !name->text.ends_with(kEnd)) return;
    const std::string own = name->text.substr(0, name->text.size() - kEnd.size());
    if (own.size() > kLongestName) return;  // said where it stands
    throw Error(ErrorKind::usage,
                "the ablation's name, that of the study with '-ablation', is longer than 100 characters",
                "say --name NAME, or `study:` in the ablation's file");
  }

  /// The trial of another study file, its constants in it.
  Json trial_of(const Node& file, Faults& faults) const {
    Source source = source_;
    source.file = file.span.source ? file.span.source->folder / file.text : fs::path(file.text);
    if (file.text == "default" && !source_.start.empty()) source.file = source_.start;
    source.over.clear();
    source.sets.clear();
    StudyReader reader(source);
    reader.is_ablation_ = true;
    Json trial;
    try {
      const document::Loaded loaded = reader.load();
      if (loaded.root) trial = reader.trial_alone(*loaded.root);
    } catch (const SpecError&) {
      throw;
    } catch (const Error& fault) {
      faults.list.error(file.span, fault.what(), fault.hint());
      return nullptr;
    }
    for (const document::Diagnostic& fault : reader.faults_.list.list()) {
      if (!fault.is_warning) faults.list.add(fault);
    }
    return reader.faults_.list.has_errors() ? Json() : trial;
  }

  Json trial_alone(const Node& root) {
    std::vector<std::string> left_out;
    const Node base = without_search(root, left_out);
    Json study = check_study(base);
    if (faults_.list.has_errors()) return nullptr;
    Node folded;
    Faults folding;
    fold_constants(study, base, checker(), folding, folded);
    return study["trial"];
  }

  /// Checks a variant as a study of its own.
  CheckStudy checker() const {
    return [this](const Node& variant, Faults& faults) {
      StudyReader reader(source_);
      reader.is_ablation_ = true;
      Json checked = reader.check_study(variant);
      faults.list = reader.faults_.list;
      return checked;
    };
  }

  void require_no_ablation_asked(const Node& root) {
    if (source_.ablation != Ablation::required) return;
    faults_.list.error(root.span, "the study has no 'ablation'", "ablation: {components: [{id: bn, drop: {…}}]}");
  }

  Json check_study(const Node& root) {
    faults_.wrote("", {{root.span}, {root.span}});
    refuse_ablation(root);
    Json study = read_study(root);
    if (!study["trial"].is_object()) return study;
    check_name(study, faults_);
    check_retry(study, faults_);
    check_device(study);
    check_horizon(study["trial"], faults_);
    check_trial(study);
    if (study["space"].is_array()) check_places(study["space"], study["trial"], faults_);
    if (schema_ && study["space"].is_array())
      check_data_places(study["trial"], study["space"], seed_of(study), faults_);
    if (schema_ || study["trial"]["kind"] != "train")
      check_members(study["trial"], study["space"], seed_of(study), faults_);
    if (schema_) {
      check_model(study["trial"], study["space"], *schema_, faults_);
      if (study["search"].is_object() && has_heirs(study["search"]["pruner"]))
        check_shapes_stay(study["trial"], study["space"], *schema_, faults_);
      check_init(study["trial"], folder_of("trial.init"), source_.data_folders, *schema_, faults_);
      check_warm_start(study["trial"], weight_places(), *schema_, known_metric(study), faults_);
    }
    if (schema_) check_optimizer(study["trial"], study["space"], *schema_, faults_);
    if (schema_) {
      check_schedule(study["trial"], study["space"], metrics_of(study["trial"], schema_), schema_->train, faults_);
    }
    fill_kinds(study["trial"], study["space"], faults_);
    if (schema_ || study["trial"]["kind"] != "train") {
      check_objectives(study, metrics_of(study["trial"], schema_), faults_);
    }
    check_search(study, faults_);
    check_keep(study, faults_);
    check_reuse(study);
    check_final(study, faults_);
    if (!is_ablation_) rehearse_final(study, root);
    if (schema_) check_final_start(study, *schema_, faults_);
    return study;
  }

  /// The final training is a study of its own, which nobody reads before the search is over. Checks it with what is
  /// known by now, each setting alone and then all of them.
  void rehearse_final(const Json& study, const Node& root) {
    const Json final = study.value("final", Json());
    if (faults_.list.has_errors() || !final.is_object() || final.value("of", Json()).is_string()) return;
    check_donors_study(final);
    const Json written = final.value("set", Json()), epochs = final.value("epochs", Json());
    Json sets = written.is_object() ? written : Json::object();
    if (epochs.is_number()) sets["epochs"] = epochs;
    if (sets.empty() || fault_with(Json::object(), study["trial"], root)) return;  // the space sets what is missing
    for (const auto& [place, value] : sets.items()) {
      const std::string key = written.contains(place) ? "final.set." : "final.";
      if (!say_final(key + place, fault_with({{place, value}}, study["trial"], root))) return;
    }
    if (sets.size() > 1) say_final("final", fault_with(sets, study["trial"], root));
  }

  void check_donors_study(const Json& final) {
    const Json start = final.value("warm_start", Json());
    const Json from = start.is_object() ? start.value("from", Json()) : Json();
    const Json study = from.is_object() ? from.value("study", Json()) : Json();
    if (!study.is_string() || !source_.has_study || source_.has_study(study)) return;
    faults_.at("final.warm_start.from.study", "the store has no study " + document::quote(study.get<std::string>()),
               "`dlrun studies` lists them");
  }

  /// @return whether there is none
  bool say_final(const std::string& at, const std::optional<document::Diagnostic>& fault) {
    if (fault) faults_.at(at, "in the final training: " + fault->message, fault->help);
    return !fault;
  }

  /// The first fault of the trial with these settings.
  std::optional<document::Diagnostic> fault_with(const Json& sets, Json trial, const Node& root) const {
    for (const char* key : {"horizon", "init", "warm_start", "replicates"}) trial.erase(key);
    std::vector<std::string> left_out;
    Faults found;
    try {
      Node alone = without_search(root, left_out);
      std::erase_if(alone.entries,
                    [](const document::Entry& entry) { return entry.key == "final" || entry.key == "space"; });
      checker()(with_trial_at(std::move(alone), trial::configured(trial, sets), {}), found);
    } catch (const Error& fault) {
      return document::Diagnostic{{}, fault.what(), fault.hint(), {}, false};
    }
    for (const document::Diagnostic& fault : found.list.list()) {
      if (!fault.is_warning) return fault;
    }
    return std::nullopt;
  }

  WeightPlaces weight_places() const {
    WeightPlaces places{{folder_of("trial.warm_start")}, source_.checkpoint};
    places.folders.insert(places.folders.end(), source_.data_folders.begin(), source_.data_folders.end());
    return places;
  }

  /// Metric of the first objective; empty if it is not known.
  static std::string known_metric(const Json& study) {
    const Json& all = study["objective"];
    const Json one = all.is_array() && !all.empty() ? all[0] : all;
    const Json metric = one.is_object() ? one.value("metric", Json()) : Json();
    return metric.is_string() ? metric.get<std::string>() : "";
  }

  /// Checks `reuse:`. A default is left out of the normal form, because it depends on what the study is.
  void check_reuse(Json& study) {
    if (study["reuse"].is_null()) study.erase("reuse");
    const std::string reuse = study.value("reuse", "none");
    if ((reuse == "stages" || reuse == "all") && study["trial"]["kind"] != "train")
      faults_.at("reuse", "only trials of kind train have epochs in common", "reuse: none");
    const Json keep = study.value("keep", Json::object());
    const bool keeps_epochs = keep.is_object() && keep.value("epochs", Json()).is_array() && !keep["epochs"].empty();
    if ((reuse == "stages" || reuse == "all") && keeps_epochs)
      faults_.at("reuse", "keep.epochs wants checkpoints of epochs that another trial would have trained",
                 "reuse: none, or reuse: trials, or remove keep.epochs");
    if (reuse == "trials" && study["trial"]["kind"] == "command")
      faults_.at("reuse", "runs of a program cannot be cited, for nobody knows whether its code is the same",
                 "reuse: none");
  }

  /// Silence would be worse than a refusal.
  void refuse_ablation(const Node& root) {
    const Node* value = root.find("ablation");
    if (value == nullptr || value->is_null()) return;
    for (const document::Entry& entry : root.entries) {
      if (entry.key == "ablation") faults_.wrote("ablation", {entry.key_span, entry.value.span});
    }
    faults_.at_key("ablation", "'ablation' is no part of a search", "run it with `dlrun ablate`, or remove it");
  }

  Json read_study(const Node& root) {
    Table table = study_keys();
    const auto space = std::find_if(table.begin(), table.end(), [](const Key& key) { return key.name == "space"; });
    const std::size_t at = std::size_t(space - table.begin());
    const Node* written = root.find("space");
    const bool is_there = written != nullptr && !written->is_null();
    if (is_there) {  // parameters are read in their order, with conditions among them
      table[at] = any("space", "");
      table[at].required = true;
    } else if (is_ablation_) {
      table[at].required = false;
    }
    if (has_outputs(root)) {  // each has a loss and metrics of its own
      std::find_if(table.begin(), table.end(), [](const Key& key) { return key.name == "trial"; })->variants =
          trial_key(true).variants;
    }
    Node without = root;
    std::erase_if(without.entries, [](const document::Entry& entry) { return entry.key == "ablation"; });
    if (is_there) without.find_entry("space")->value = placeholder(*written);
    Json study = read_table(without, table, "", "a study", faults_);
    study["space"] = is_there ? read_space(*written, faults_) : Json::array();
    check_constraints(study, faults_);
    study.erase("ablation");
    return study;
  }

  static bool has_outputs(const Node& root) {
    const Node* node = &root;
    for (const char* key : {"trial", "model", "outputs"}) node = node == nullptr ? nullptr : node->find(key);
    return node != nullptr && node->is_map() && !node->entries.empty();
  }

  /// Whether such a device is there only the worker can say.
  void check_device(const Json& study) {
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

  static Node placeholder(const Node& written) {
    Node out;
    out.kind = Node::Kind::list;
    out.span = written.span;
    return out;
  }

  static std::uint64_t seed_of(const Json& study) {
    return study["seed"].is_number() ? study["seed"].get<std::uint64_t>() : 0;
  }

  void check_trial(Json& study) {
    Json& trial = study["trial"];
    const std::string kind = trial["kind"].get<std::string>();
    take_folds(trial, study["space"], faults_);
    if (kind == "function") return check_function(trial, study["space"], faults_);
    if (kind == "command") return check_command(trial, study["space"], folder_of("trial.folder"), faults_);
    schema_ = check_data(trial, data_folder(trial), source_.data_folders, seed_of(study), faults_);
    if (!schema_) return;
    check_outputs(trial, *schema_, faults_);
    fill_by_data(trial, *schema_, faults_);
    study["derived"]["data"] = dataset::to_json(*schema_);
  }

  /// Folder of the first key of the data that names a file.
  fs::path data_folder(const Json& trial) const {
    for (const std::string& key : dataset::path_keys(trial.value("data", Json()))) {
      if (faults_.was_written("trial.data." + key)) return folder_of("trial.data." + key);
    }
    return folder_of("trial.data");
  }

  /// The folder of the file in which the path was written; of the study where it was not.
  fs::path folder_of(const std::string& path) const {
    const document::Span span = faults_.was_written(path) ? faults_.value_of(path) : faults_.value_of("");
    return span.source ? span.source->folder : fs::current_path();
  }

  const Source& source_;
  Faults faults_;
  std::optional<dataset::Schema> schema_;
  bool is_ablation_ = false;  ///< the study is the baseline or a variant of an ablation: there need not be a space
};

}  // namespace

std::vector<fs::path> config_folders() {
  std::error_code fault;
  std::vector<fs::path> out;
  fs::path folder = fs::read_symlink("/proc/self/exe", fault).parent_path();
  constexpr int kMostSteps = 6;
  for (int i = 0; i < kMostSteps && folder.has_relative_path(); ++i, folder = folder.parent_path()) {
    for (const fs::path& candidate : {folder / "configs", folder / "share" / "dlrun" / "configs"}) {
      if (fs::is_directory(candidate, fault)) out.push_back(candidate);
    }
  }
  return out;
}

namespace {

void with_baseline(const Source& source, const std::function<void(const Baseline&, const CheckStudy&)>& use) {
  StudyReader reader(source);
  const document::Loaded loaded = reader.load();
  if (loaded.root) reader.with_baseline(*loaded.root, use);
  const document::Diagnostics& list = reader.faults().list;
  if (list.has_errors()) throw SpecError(list.render_errors(), list.error_count());
}

}  // namespace

Proposed propose_ablation(const Source& source, const ProposalOptions& options, const AskProposer& ask) {
  Proposed out;
  with_baseline(source, [&](const Baseline& baseline, const CheckStudy& check) {
    out = proposed(baseline, check, options, ask);
  });
  return out;
}

std::string suggest_ablation(const Source& source) {
  std::vector<Suggestion> found;
  with_baseline(source, [&](const Baseline& baseline, const CheckStudy& check) {
    found = suggestions(baseline.study, baseline.root, check);
  });
  if (found.empty())
    throw Error(ErrorKind::usage, "nothing of this trial can be left out by itself",
                "docs/ablation.md says what can be");
  return to_yaml(found);
}

StudySpec read(const Source& source, std::vector<Warning>* warnings) {
  StudyReader reader(source);
  const document::Loaded loaded = reader.load();
  Json study;
  if (loaded.root) study = reader.check(*loaded.root);
  const document::Diagnostics& list = reader.faults().list;
  if (list.has_errors()) throw SpecError(list.render_errors(), list.error_count());
  StudySpec spec = from_json(study, loaded.text);
  check_final_donors(spec, reader.faults());
  if (list.has_errors()) throw SpecError(list.render_errors(), list.error_count());
  if (warnings != nullptr) {
    for (const std::string& text : list.render_warnings()) warnings->push_back({text});
  }
  return spec;
}

}  // namespace dlrun::spec
