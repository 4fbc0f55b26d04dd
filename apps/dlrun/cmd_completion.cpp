// SPDX-License-Identifier: Apache-2.0
// dlrun completion SHELL
#include "arguments.hpp"
#include "completion/scripts.hpp"
#include "output/console.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

int run_completion(const Arguments& arguments, Console& console) {
  const std::string& shell = arguments.words()[0];
  if (shell == "bash") console.data(bash_script(verbs()));
  if (shell == "zsh") console.data(zsh_script(verbs()));
  if (shell == "fish") console.data(fish_script(verbs()));
  return 0;
}

}  // namespace

Verb completion_verb() {
  return {.name = "completion",
          .summary = "print the completion script of a shell",
          .text =
              "The script completes verbs, options and their values, and asks the store for the names of studies "
              "and trials.",
          .arguments = {{.name = "SHELL", .text = "bash, zsh or fish", .choices = {"bash", "zsh", "fish"}}},
          .examples = {{"dlrun completion bash > dlrun.bash", "then put `source dlrun.bash` into ~/.bashrc"}},
          .run = run_completion};
}

}  // namespace dlrun::cli
