// SPDX-License-Identifier: Apache-2.0
#include "spec/study_checker.hpp"

#include <system_error>

#include "ablation/baseline.hpp"
#include "dataset/majority.hpp"
#include "dataset/schema_json.hpp"
#include "spec/concise.hpp"
#include "spec/kinds.hpp"
#include "spec/load_study.hpp"
#include "spec/normal.hpp"
#include "spec/space_section.hpp"
#include "spec/study_reader.hpp"

namespace dlrun::spec {

namespace fs = std::filesystem;
using document::Node;

namespace {

/// The trial of a document without its search; null after a fault.
Json trial_alone(const Node& root, const Source& source, Faults& faults) {
  std::vector<std::string> left_out;
  Node base = ablation::without_search(root, left_out);
  Json study = StudyReader(source, true, faults).read(base);
  if (faults.list.has_errors()) return nullptr;
  Faults folding;
  ablation::fold_constants(study, base, StudyChecker(source), folding);
  return study["trial"];
}

/// Whether a map of maps has a key such as "trial.optimizer.lr".
bool has_path(const Node& root, const std::string& path) {
  const std::size_t dot = path.find('.');
  const Node* inner = root.find(path.substr(0, dot));
  if (inner == nullptr || dot == std::string::npos) return inner != nullptr;
  return has_path(*inner, path.substr(dot + 1));
}

}  // namespace

Json StudyChecker::check(const Node& root, Faults& faults) const {
  Faults own;
  Json checked = StudyReader(source_, true, own).read(root);
  faults.list = own.list;
  return checked;
}

Json StudyChecker::trial_of(const Node& file, Faults& faults) const {
  Source source = source_;
  source.file = file.span.source ? file.span.source->folder / file.text : fs::path(file.text);
  if (file.text == "default" && !source_.start.empty()) source.file = source_.start;
  source.over.clear();
  source.sets.clear();
  source.text.reset();
  Faults own;
  Json trial;
  try {
    if (const document::Loaded loaded = load_study(source, own); loaded.root)
      trial = trial_alone(*loaded.root, source, own);
  } catch (const SpecError&) {
    throw;
  } catch (const Error& fault) {
    faults.list.error(file.span, fault.what(), fault.hint());
    return nullptr;
  }
  for (const document::Diagnostic& fault : own.list.list()) {
    if (!fault.is_warning) faults.list.add(fault);
  }
  return own.list.has_errors() ? Json() : trial;
}

Json StudyChecker::concise(const Json& trial) const { return concise_section("trial", trial); }

std::vector<std::string> StudyChecker::kept_defaults(const Json& trial, const Json& sets, const Node& root) const {
  return spec::kept_defaults(trial, sets, [&](const std::string& path) { return has_path(root, path); });
}

Json StudyChecker::identity(const Json& trial) const { return identity_of({{"trial", trial}}).at("trial"); }

Json StudyChecker::init_beside(Json init, const document::Span& written) const {
  Json* file = init.is_string() ? &init : init.is_object() && init.contains("from") ? &init["from"] : nullptr;
  if (file == nullptr || !file->is_string() || !written.source) return init;
  const fs::path there = written.source->folder / file->get<std::string>();
  std::error_code fault;
  if (fs::is_regular_file(there, fault)) *file = fs::absolute(there).lexically_normal();
  return init;
}

std::vector<std::string> StudyChecker::metrics_of(const Json& study) const {
  const Json data = study.value("derived", Json::object()).value("data", Json());
  return spec::metrics_of(study.at("trial"), study.value("space", Json::array()),
                          data.is_null() ? std::nullopt : std::optional(dataset::schema_from_json(data)));
}

space::Space StudyChecker::space_of(const Json& parameters, const Json& constraints) const {
  return make_space(parameters, constraints);
}

Json StudyChecker::inputs_of(const Json& data, std::uint64_t seed) const {
  return dataset::to_json(dataset::inspect(data, {}, seed))["inputs"];
}

std::map<std::string, double> StudyChecker::majority_shares(const Json& study) const {
  const dataset::Schema schema = dataset::schema_from_json(study.at("derived").at("data"));
  return dataset::majority_shares(study.at("trial").at("data"), schema, study.at("seed").get<std::uint64_t>());
}

}  // namespace dlrun::spec
