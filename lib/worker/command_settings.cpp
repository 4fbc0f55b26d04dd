// SPDX-License-Identifier: Apache-2.0
#include "worker/command_settings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "programs/buffering.hpp"
#include "programs/command_line.hpp"
#include "programs/group.hpp"
#include "programs/rendezvous.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/gpus.hpp"
#include "util/ports.hpp"
#include "worker/trainer.hpp"

namespace dlrun::worker {

namespace {

constexpr std::int64_t kBytesOfMb = 1'000'000;

template <class T>
T get_or(const Json& json, const char* key, T fallback) {
  const auto found = json.find(key);
  return found == json.end() || found->is_null() ? fallback : found->get<T>();
}

/// Package of the client, and of interpreters.
std::filesystem::path python_folder() {
  static const std::filesystem::path folder = own_library(program_folder(), "python") / "dlrun";
  return folder;
}

/// The caller's environment, with ours and then the trial's own on top.
std::vector<std::string> environment(const std::map<std::string, std::string>& own, int threads) {
  std::map<std::string, std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equal = text.find('=');
    if (equal != std::string::npos) all[text.substr(0, equal)] = text.substr(equal + 1);
  }
  for (const auto& [name, value] : own) all[name] = value;
  all.emplace("OMP_NUM_THREADS", std::to_string(threads));  // else each of several programs takes all cores
  std::string& path = all["PYTHONPATH"];                    // behind what the user has: `import dlrun` finds the client
  path += (path.empty() ? "" : ":") + python_folder().parent_path().string();
  all.emplace("PYTHONHASHSEED", "0");  // else sets of texts have another order in each process
  programs::let_lines_out(all, programs::line_library(program_folder()));
  std::vector<std::string> out;
  for (const auto& [name, value] : all) out.push_back(fmt::format("{}={}", name, value));
  return out;
}

std::string params_file(const trial::PieceOrder& order) { return order.folder + "/params.json"; }

int replicate_of(const trial::PieceOrder& order, const CommandSettings& settings) {
  return settings.first_replicate - 1 + order.key.member.replicate;
}

/// By trial::kOwnNames. Replicates have seeds of their own.
Json own_values(const trial::WorkSetup& setup, const trial::PieceOrder& order, const CommandSettings& settings) {
  const int replicate = replicate_of(order, settings);
  return {{"seed", order.seed + static_cast<std::uint64_t>(replicate)},
          {"epochs", settings.epochs},
          {"to_step", settings.epochs},
          {"trial", order.key.member.trial.value},
          {"replicate", replicate},
          {"fold", order.key.member.fold},
          {"folder", order.folder},
          {"gpus", setup.gpus},
          {"nodes", setup.nodes}};
}

/// Parameters of the trial, those of the space and those of one value.
programs::TemplateValues values_of(const trial::WorkSetup& setup, const trial::PieceOrder& order,
                                   const CommandSettings& settings) {
  programs::TemplateValues out{order.params, setup.parameters, own_values(setup, order, settings)};
  for (const auto& [name, value] : settings.params.items()) {
    out.known[name] = nullptr;
    value.is_null() ? void(out.params.erase(name)) : void(out.params[name] = value);
  }
  return out;
}

/// Parameters that the program gets unasked.
Json params_of(const trial::WorkSetup& setup, const trial::PieceOrder& order, const CommandSettings& settings) {
  const programs::TemplateValues values = values_of(setup, order, settings);
  return programs::known_of(values.params, values.known);
}

std::vector<std::string> interpreter_words(const PythonFunction& function, const std::vector<std::string>& how) {
  std::vector<std::string> words{function.interpreter, (python_folder() / "run.py").string()};
  words.insert(words.end(), how.begin(), how.end());
  words.insert(words.end(), {function.file, function.name});
  return words;
}

std::vector<std::string> arguments(const trial::WorkSetup& setup, const trial::PieceOrder& order,
                                   const CommandSettings& settings) {
  if (settings.function) return interpreter_words(*settings.function, {"serve"});
  auto words = programs::expand_arguments(settings.command, values_of(setup, order, settings), settings.shell);
  if (words.empty()) throw Error(ErrorKind::usage, "nothing is left of 'command': a parameter in it is not active");
  if (settings.shell) words = {"/bin/sh", "-c", words[0]};
  return words;
}

std::map<std::string, std::string> variables(const trial::WorkSetup& setup, const trial::PieceOrder& order,
                                             const CommandSettings& settings, const programs::Reports::Options& steps) {
  auto env = settings.env;
  const trial::Member& member = order.key.member;
  env["DLRUN_STUDY"] = setup.study;
  env["DLRUN_TRIAL"] = std::to_string(member.trial.value);
  env["DLRUN_REPLICATE"] = std::to_string(replicate_of(order, settings));
  env["DLRUN_FOLD"] = std::to_string(member.fold);
  env["DLRUN_ATTEMPT"] = std::to_string(order.attempt);
  env["DLRUN_SEED"] = std::to_string(order.seed);
  env["DLRUN_FROM_STEP"] = std::to_string(steps.begin);
  env["DLRUN_TO_STEP"] = std::to_string(steps.last);
  if (!settings.function) env["DLRUN_PARAMS"] = params_file(order);
  env["DLRUN_DIR"] = order.folder;
  env["DLRUN_REPORT_FD"] = "3";
  env["DLRUN_CONTROL_FD"] = "4";
  env["DLRUN_GPUS"] = std::to_string(setup.gpus);
  env["DLRUN_NODES"] = std::to_string(setup.nodes);
  if (setup.gpus == 0 || setup.nodes > 1) return env;  // each rank of several hosts has its own
  env.merge(programs::variables_of({.port = free_port(), .gpus = setup.gpus}));
  env["CUDA_VISIBLE_DEVICES"] = programs::gpus_of_program(setup.gpus, visible_gpus());
  return env;
}

/// Facts that a trial of Python begins with (python/dlrun/run.py).
std::string facts_of(const trial::WorkSetup& setup, const trial::PieceOrder& order, const CommandSettings& settings,
                     const std::map<std::string, std::string>& env, const programs::Reports::Options& steps) {
  return to_text({{"trial", order.key.member.trial.value},
                  {"replicate", replicate_of(order, settings)},
                  {"fold", order.key.member.fold},
                  {"attempt", order.attempt},
                  {"seed", own_values(setup, order, settings)["seed"]},
                  {"from_step", steps.begin},
                  {"to_step", steps.last},
                  {"params", params_of(setup, order, settings)},
                  {"objective", setup.metric},
                  {"folder", order.folder},
                  {"resume", env.at("DLRUN_RESUME")},
                  {"init", env.at("DLRUN_INIT")},
                  {"env", env}});
}

PythonFunction function_of(const Json& trial) {
  const auto text = trial.at("function").get<std::string>();
  const std::size_t colon = text.rfind(':');
  const std::string folder = get_or(trial, "folder", std::string());
  return {.interpreter = trial.at("python").get<std::string>(),
          .file = (std::filesystem::path(folder) / text.substr(0, colon)).lexically_normal().string(),
          .name = text.substr(colon + 1),
          .is_forked = trial.at("isolate") == "fork"};
}

}  // namespace

CommandSettings read_command(const Json& trial) {
  try {
    CommandSettings s;
    const bool is_python = trial.at("kind") == "python";
    if (is_python) s.function = function_of(trial);
    if (!is_python) s.command = trial.at("command").get<std::vector<std::string>>();
    s.params = get_or(trial, "params", s.params);
    s.env = get_or(trial, "env", s.env);
    s.regexes = get_or(trial, "metrics_regex", s.regexes);
    s.first_replicate = get_or(trial, "first_replicate", 1);
    s.shell = get_or(trial, "shell", false);
    s.folder = get_or(trial, "folder", std::string());
    s.grace = get_or(trial, "grace", s.grace);
    s.epochs = get_or(trial, "epochs", s.epochs);
    const Json artifacts = get_or(trial, "artifacts", Json::object());
    s.largest_checkpoint = get_or(artifacts, "max_mb", trial::kLargestCheckpointMb) * kBytesOfMb;
    if (s.command.empty() && !is_python) throw Error(ErrorKind::usage, "'command' is empty");
    return s;
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::usage, std::string("malformed 'command' trial: ") + fault.what());
  }
}

void write_params(const trial::WorkSetup& setup, const trial::PieceOrder& order, const CommandSettings& settings) {
  write_file(params_file(order), to_text(params_of(setup, order, settings)) + "\n", {.durable = false});
}

programs::Start start_of(const trial::WorkSetup& setup, const trial::PieceOrder& order, const CommandSettings& settings,
                         const FirstFiles& files) {
  programs::Start start;
  start.reports = {.begin = files.resume_step,
                   .known = std::max(order.from_step, files.resume_step),
                   .last = settings.epochs,
                   .regexes = settings.regexes,
                   .needed = setup.needed};
  auto env = variables(setup, order, settings, start.reports);
  env["DLRUN_RESUME"] = files.resume;
  env["DLRUN_INIT"] = files.init;
  start.launch.arguments = arguments(setup, order, settings);
  if (setup.nodes > 1) {
    start.launch.arguments = programs::leader_command((program_folder() / "dlrun-worker").string(), setup.nodes,
                                                      setup.gpus, start.launch.arguments);
    start.launch.hands_on_sigterm = true;
  }
  start.launch.environment = environment(env, setup.threads);
  start.launch.folder = settings.folder.empty() ? order.folder : settings.folder;
  start.files = order.folder;
  if (settings.function) start.facts = facts_of(setup, order, settings, env, start.reports);
  start.is_reusable = settings.function.has_value();
  return start;
}

programs::Launch interpreter(const CommandSettings& settings, int threads) {
  const std::string worker = (program_folder() / "dlrun-worker").string();
  return {.arguments = interpreter_words(*settings.function, {"fork", worker}),
          .environment = environment(settings.env, threads),
          .folder = settings.folder};
}

}  // namespace dlrun::worker
