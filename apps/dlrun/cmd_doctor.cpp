// SPDX-License-Identifier: Apache-2.0
// dlrun doctor: what is installed, seen and missing.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "arguments.hpp"
#include "driver/cores.hpp"
#include "energy/nvml.hpp"
#include "energy/rapl.hpp"
#include "executor/local_executor.hpp"
#include "executor/runtime_folder.hpp"
#include "libtorch/installer.hpp"
#include "libtorch/load.hpp"
#include "libtorch/requirement.hpp"
#include "machine.hpp"
#include "output/console.hpp"
#include "plot/gnuplot.hpp"
#include "plot/graphviz.hpp"
#include "plugin/found.hpp"
#include "plugin_actions.hpp"
#include "storage/paths.hpp"
#include "util/error.hpp"
#include "util/gpus.hpp"
#include "util/version.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace fs = std::filesystem;

namespace {

constexpr double kLittleDisk = 1e9;  // bytes

/// The table of findings, and whether a study could run at all.
class Findings {
 public:
  void ok(const char* what, std::string detail) { add_row(what, "ok", std::move(detail)); }
  void warn(const char* what, std::string detail) { add_row(what, "warning", std::move(detail)); }
  void note(const char* what, std::string detail) { add_row(what, "-", std::move(detail)); }
  void miss(const char* what, std::string detail) { add_row(what, "missing", std::move(detail)); }
  void fail(const char* what, std::string detail, ErrorKind kind) {
    miss(what, std::move(detail));
    if (code_ == 0) code_ = static_cast<int>(kind);
  }
  const report::Table& table() const { return table_; }
  int code() const { return code_; }

 private:
  void add_row(const char* what, const char* state, std::string detail) {
    table_.rows.push_back({what, state, std::move(detail)});
  }
  report::Table table_{.title = "", .columns = {"what", "state", "detail"}};
  int code_ = 0;
};

fs::path program() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none);
}

std::string gigabytes(double bytes) { return fmt::format("{:.1f} GB", bytes / 1e9); }

void look_at_worker(Findings& findings) {
  const fs::path worker = program().parent_path() / "dlrun-worker";
  const auto line = first_line_of(worker, "--version");
  if (!line) {
    findings.fail("worker", worker.string() + " cannot be run; it belongs beside dlrun", ErrorKind::no_worker);
  } else if (*line != std::string("dlrun-worker ") + version()) {
    findings.warn("worker", fmt::format("'{}' beside dlrun {}: install both together", *line, version()));
  } else {
    findings.ok("worker", worker.string());
  }
}

std::string verdict(const libtorch::Candidate& candidate, bool is_taken) {
  if (candidate.folder.empty()) return fmt::format("{} {}", candidate.origin, candidate.fault);
  const std::string place = fmt::format("{}: {}", candidate.origin, candidate.folder.string());
  if (!candidate.fits()) return fmt::format("{} {}", place, candidate.fault);
  return fmt::format("{} is {}{}", place, candidate.version, is_taken ? "" : "; an earlier one is taken");
}

/// Every place with its verdict; the first that fits is the one that workers open.
void look_at_libtorch(const std::vector<libtorch::Candidate>& candidates, Findings& findings) {
  bool is_found = false;
  for (const libtorch::Candidate& candidate : candidates) {
    const bool is_taken = candidate.fits() && !is_found;
    const std::string detail = verdict(candidate, is_taken);
    is_taken ? findings.ok("libtorch", detail) : findings.note("libtorch", detail);
    is_found |= is_taken;
  }
  if (is_found) return;
  findings.miss("libtorch", fmt::format("{} is needed, for trials of kind train only: {}", libtorch::needed_version(),
                                        libtorch::install_command()));
}

void look_at_trainer(const std::vector<libtorch::Candidate>& candidates, Findings& findings) {
  const fs::path library = libtorch::trainer_file(program().parent_path());
  if (!fs::exists(library)) {
    findings.miss("trainer", library.string() +
                                 " is not there: only studies of kind function and command can run; "
                                 "build the release preset for libtorch");
    return;
  }
  const std::string fault = load_fault(library, candidates);
  if (fault.empty()) {
    findings.ok("trainer", library.string() + " loads, with libtorch");
  } else {
    findings.miss("trainer", fault);
  }
}

void look_at_gnuplot(Findings& findings) {
  if (const auto version = plot::gnuplot_version()) {
    findings.ok("gnuplot", *version);
  } else {
    findings.miss("gnuplot", "only `dlrun plot` and `--plots` of report and place draw with it (Debian: gnuplot-nox)");
  }
}

void look_at_graphviz(Findings& findings) {
  if (const auto version = plot::graphviz_version()) {
    findings.ok("graphviz", *version);
  } else {
    findings.miss("graphviz", "only `dlrun lineage --format svg` and `place --plots` draw with it (Debian: graphviz)");
  }
}

/// Plugins that fit, and each one that cannot be used with the reason.
void look_at_plugins(Findings& findings) {
  std::string names;
  std::vector<std::string> problems;
  for (const plugin::Found& found : plugin::found()) {
    const std::string problem = judged(found).problem;
    if (problem.empty()) names += (names.empty() ? "" : ", ") + found.manifest->name;
    if (!problem.empty()) problems.push_back(fmt::format("{}: {}", found.file.string(), problem));
  }
  findings.ok("plugins", names.empty() ? "none" : names);
  for (const std::string& problem : problems) findings.warn("plugins", problem);
}

void look_at_machine(Findings& findings) {
  const int cores = driver::usable_cores();
  findings.ok("cores", fmt::format("{} usable, by affinity and the control group's quota", cores));
  const double memory = double(available_memory());
  if (memory < kLittleDisk) {
    findings.warn("memory", gigabytes(memory) + " to be had; a worker with libtorch takes about 0.3");
  } else {
    findings.ok("memory", gigabytes(memory) + " to be had");
  }
  const int groups = executor::limiting_cgroup_version();
  findings.ok("memory limits", groups == 0
                                   ? "of each process by itself: control groups cannot be made here (docs/watching.md)"
                                   : fmt::format("by control groups (version {})", groups));
  const Gpu gpu = find_gpu();
  switch (gpu.state) {
    case Gpu::State::none: findings.ok("gpu", "none; training runs on the CPU"); break;
    case Gpu::State::present: findings.ok("gpu", gpu.detail + "; `resources.device: cuda` in a study takes it"); break;
    default: findings.warn("gpu", gpu.detail); break;
  }
}

void tell_counters(const char* what, const char* whose, const energy::Counters& found, Findings& findings) {
  const std::size_t count = found.counters.size();
  const std::string counters = fmt::format("{} {} counter{}", count, whose, count == 1 ? "" : "s");
  if (count == 0) {
    findings.miss(what, found.reason + "; what a study spends there is not measured (docs/energy.md)");
  } else if (!found.reason.empty()) {
    findings.warn(what, fmt::format("{}; but {}", counters, found.reason));
  } else {
    findings.ok(what, counters);
  }
}

void look_at_energy(Findings& findings) {
  tell_counters("energy", "CPU and memory", energy::open_rapl(energy::powercap_folder(), false), findings);
  const std::vector<std::string> gpus = visible_gpus();
  if (gpus.empty()) return;
  tell_counters("energy of gpus", "GPU", energy::open_nvml(energy::nvml_library(), gpus, false), findings);
}

/// The folder itself, or the nearest one above it that exists.
fs::path existing(const fs::path& folder) {
  fs::path path = fs::absolute(folder);
  std::error_code none;
  while (!fs::exists(path, none) && path.has_parent_path() && path != path.parent_path()) path = path.parent_path();
  return path;
}

void look_at_store(const std::string& store, Findings& findings) {
  const fs::path folder = existing(store);
  std::error_code none;
  const bool is_new = !fs::exists(store, none);
  if (!fs::is_directory(folder) || ::access(folder.c_str(), W_OK | X_OK) != 0) {
    findings.fail("store", fmt::format("'{}' cannot be written; name another with --store", folder.string()),
                  ErrorKind::outside);
    return;
  }
  findings.ok("store", is_new ? fmt::format("'{}' will be made", store) : fmt::format("'{}' can be written", store));
  const auto facts = file_system(folder);
  if (!facts) return;
  if (storage::is_on_network(folder)) {
    findings.warn("file system", facts->type + " is a network file system: slower commits, one reader at a time");
  } else {
    findings.ok("file system", facts->type);
  }
  const std::string free = gigabytes(double(facts->free_bytes)) + " free";
  double(facts->free_bytes) < kLittleDisk ? findings.warn("disk", free) : findings.ok("disk", free);
}

void look_at_socket(Findings& findings) {
  try {
    const std::string identity = "dlrun doctor";
    const executor::RuntimeFolderEnd end(identity);
    const fs::path folder = executor::runtime_folder(identity);
    findings.ok("socket folder", fmt::format("{} ({} of 107 bytes)", folder.parent_path().string(),
                                             executor::socket_in(folder).native().size()));
  } catch (const Error& fault) {
    findings.fail("socket folder", fmt::format("{}; {}", fault.what(), fault.hint()), ErrorKind::no_worker);
  }
}

/// Fetches libtorch into the cache. @throws Error with the script's kind of fault.
void install_torch() {
  const fs::path script = libtorch::installer(program().parent_path());
  if (script.empty()) {
    throw Error(ErrorKind::usage, "this dlrun was installed without share/dlrun/third_party/install",
                libtorch::install_command());
  }
  const auto status = run_program({"python3", script.string(), "--only-torch"});
  if (!status) {
    throw Error(ErrorKind::usage, fmt::format("'{}' needs python3, which cannot be run", script.string()),
                "install python3 3.7 or newer");
  }
  if (*status == 0) return;
  const bool is_usage = *status == static_cast<int>(ErrorKind::usage);
  throw Error(is_usage ? ErrorKind::usage : ErrorKind::outside, "libtorch was not installed, as said above");
}

int run_doctor(const Arguments& arguments, Console& console) {
  if (arguments.has("install-torch")) install_torch();
  Findings findings;
  findings.ok("dlrun", fmt::format("{} at {}", version(), program().string()));
  look_at_worker(findings);
  const auto candidates = libtorch::candidates(libtorch::surroundings());
  look_at_libtorch(candidates, findings);
  look_at_trainer(candidates, findings);
  look_at_gnuplot(findings);
  look_at_graphviz(findings);
  look_at_plugins(findings);
  look_at_machine(findings);
  look_at_energy(findings);
  look_at_store(arguments.store(), findings);
  look_at_socket(findings);
  console.print(findings.table());
  return findings.code();
}

}  // namespace

Verb doctor_verb() {
  return {
      .name = "doctor",
      .summary = "say what is installed, seen and missing",
      .text =
          "Ends with 0 where a study can run, 5 where workers cannot be started, 75 where the store cannot be "
          "written.",
      .options = {{.name = "install-torch",
                   .text =
                       "first fetch the libtorch that training on CPUs needs into ~/.cache/dlrun, by python3's pip"},
                  format_option(),
                  store_option()},
      .examples = {{"dlrun doctor", "before the first study, and when something is odd"},
                   {"dlrun doctor --install-torch", "dlrun was installed without libtorch"}},
      .run = run_doctor};
}

}  // namespace dlrun::cli
