// SPDX-License-Identifier: Apache-2.0
// dlrun plugins: what is found and why not, and what builders of plugins need.
#include <fmt/format.h>

#include "arguments.hpp"
#include "contracts/test_plugin.hpp"
#include "output/console.hpp"
#include "plugin/found.hpp"
#include "plugin_actions.hpp"
#include "plugin_template.hpp"
#include "util/error.hpp"
#include "util/sha256.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

/// @throws Error(usage) unless the action has so many words behind it
void require_words(const std::vector<std::string>& words, std::size_t count, const std::string& form) {
  if (words.size() != count + 1)
    throw Error(ErrorKind::usage,
                fmt::format("plugins {} takes {} further word{}, not {}", words[0], count, count == 1 ? "" : "s",
                            words.size() - 1),
                "write dlrun plugins " + form);
}

void refuse_of_others(const std::string& action, const Arguments& arguments) {
  if (arguments.has("output") && action != "note" && action != "new")
    throw Error(ErrorKind::usage, fmt::format("--output changes nothing: `plugins {}` writes no file", action),
                "it is for note and new");
  if (arguments.has("study") && action != "test")
    throw Error(ErrorKind::usage, fmt::format("--study changes nothing: `plugins {}` reads no study", action),
                "it is for test");
}

int run_plugins(const Arguments& arguments, Console& console) {
  const std::vector<std::string>& words = arguments.words();
  const std::string action = words.empty() ? "list" : words[0];
  refuse_of_others(action, arguments);
  if (action == "note") {
    require_words(words, 1, "note plugin.yaml");
    return write_note(words[1], arguments, console);
  }
  if (action == "test" && words.size() > 1)
    return test_plugin({words[1], {words.begin() + 2, words.end()}, arguments.text("study")}, console);
  if (action == "test") require_words(words, 1, "test NAME [KEY=VALUE]...");
  if (action == "check") {
    require_words(words, 1, "check FILE");
    return check_plugin(words[1], console);
  }
  if (action == "new") {
    require_words(words, 2, "new KIND NAME; kinds are " + kinds_with_template());
    return write_plugin(words[1], words[2], arguments, console);
  }
  if (words.size() > 1) require_words(words, 0, action);
  if (action == "torch") return print_torch(console);
  if (action == "cmake") return print_package(console);
  return list_plugins(console);
}

}  // namespace

Verb plugins_verb() {
  return {
      .name = "plugins",
      .summary = "list plugins, why some cannot be used, and build new ones",
      .text =
          "Plugins are shared objects in the folders of DLRUN_PLUGINS, in ~/.local/share/dlrun/plugins and in those of "
          "the installation. They are compared with this dlrun before any code of theirs runs. Samplers, "
          "pruners and exporters run in a process of their own: DLRUN_PLUGIN_DEADLINE (60) says how many seconds an "
          "answer may take, DLRUN_PLUGIN_MEMORY_MB (2048) how much memory it has. Layers, losses, metrics and "
          "optimisers "
          "are tested by a worker, which needs libtorch. docs/plugins.md says how to write one.",
      .arguments =
          {{.name = "ACTION",
            .text = "list (without a word); new KIND NAME: write a plugin to begin with; test NAME [KEY=VALUE]...: run "
                    "the contract tests of a plugin; cmake: print the folder for CMake's -Ddlrun_DIR; check FILE: "
                    "compare one object with this dlrun; note plugin.yaml: make the source of an ELF note; torch: "
                    "print libtorch's folder",
            .least = 0,
            .choices = {"list", "new", "test", "cmake", "check", "note", "torch"}},
           {.name = "WORD", .text = "of the action", .kind = Kind::file, .least = 0, .most = -1}},
      .options = {output_option("of note: write to FILE, not to standard output; of new: the folder (default: NAME)"),
                  {.name = "study",
                   .value = "STUDY.yaml",
                   .text = "of test, for a format of data: the study whose trial.data names a file of it",
                   .kind = Kind::file},
                  format_option()},
      .examples = {{"dlrun plugins", "what is found, where, and what is wrong with it"},
                   {"dlrun plugins test lshade", "does this sampler keep its contract?"},
                   {"dlrun plugins test hdf5 path=a.h5 inputs=x targets=y", "does this format, with this file?"},
                   {"dlrun plugins new data weather", "a format of data that works, in the folder weather"}},
      .run = run_plugins};
}

}  // namespace dlrun::cli
