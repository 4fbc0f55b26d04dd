// SPDX-License-Identifier: Apache-2.0
#include "proposing.hpp"

#include <fmt/format.h>

#include <boost/program_options/parsers.hpp>
#include <cstdlib>
#include <filesystem>

#include "asked_program.hpp"
#include "new_file.hpp"
#include "output/console.hpp"
#include "spec/study_spec.hpp"
#include "study_source.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace {

std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words = boost::program_options::split_unix(command);
  if (words.empty() || words[0].empty())
    throw Error(ErrorKind::usage, "--suggest-with names no program", "e.g. --suggest-with './ask.py --max 8'");
  if (words[0].find('/') != std::string::npos) words[0] = std::filesystem::absolute(words[0]).string();
  return words;
}

std::vector<std::string> environment_of(const Arguments& arguments) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    if (value != nullptr) out.push_back(name + '=' + value);
    return value != nullptr;
  };
  for (const char* name : {"PATH", "HOME", "LANG", "TZ"}) add(name);
  for (const std::string& name : arguments.list("env")) {
    if (!add(name))
      throw Error(ErrorKind::usage, fmt::format("--env '{}' is not set here", name), "name a variable, without '='");
  }
  return out;
}

void require_new_output(const Arguments& arguments) {
  if (arguments.has("output")) require_new_file(arguments.text("output"));
}

}  // namespace

std::vector<Option> proposing_options() {
  return {{.name = "suggest-with",
           .value = "COMMAND",
           .text = "print what this program proposes to leave out, as an ABLATION.yaml"},
          {.name = "goal", .value = "TEXT", .text = "with --suggest-with: what the answer is wanted for"},
          {.name = "rounds",
           .value = "N",
           .text = "with --suggest-with: how often it is asked while components are rejected (default 2)"},
          {.name = "timeout", .value = "SECONDS", .text = "with --suggest-with: for each answer (default 120)"},
          {.name = "env",
           .value = "NAME",
           .text = "with --suggest-with: a variable of the environment that the program gets too",
           .repeats = true},
          output_option("with --suggest-with: write there, to a new file")};
}

void require_proposing_options(const Arguments& arguments) {
  if (arguments.has("suggest-with")) {
    if (arguments.has("suggest"))
      throw Error(ErrorKind::usage, "--suggest and --suggest-with are two ways to ask", "choose one");
    return;
  }
  for (const Option& option : proposing_options()) {
    if (arguments.has(option.name))
      throw Error(ErrorKind::usage, fmt::format("--{} is for --suggest-with", option.name),
                  "leave it out, or name a program that proposes");
  }
}

int propose(const std::string& file, const Arguments& arguments, Console& console) {
  require_new_output(arguments);
  const AskedProgram program{words_of(arguments.text("suggest-with")), environment_of(arguments),
                             std::chrono::seconds(arguments.number("timeout", 120, 1))};
  const ablation::ProposalOptions options{arguments.text("suggest-with"), arguments.text("goal"),
                                          int(arguments.number("rounds", 2, 1))};
  const ablation::Proposed found = spec::propose_ablation(
      baseline_source(file, arguments), options, [&](const std::string& request) { return ask(program, request); });
  for (const ablation::Rejected& one : found.rejected)
    console.note(fmt::format("rejected '{}': {}: {}", one.id, one.code, one.message));
  if (found.accepted == 0)
    throw Error(ErrorKind::usage, "nothing that was proposed can be left out", "the notes say why");
  console.note(fmt::format("accepted {} of {}", found.accepted, found.accepted + found.rejected.size()));
  require_new_output(arguments);
  write_or_print(arguments.text("output", "-"), found.yaml, console);
  return 0;
}

}  // namespace dlrun::cli
