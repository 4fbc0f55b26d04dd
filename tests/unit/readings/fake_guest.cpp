// SPDX-License-Identifier: Apache-2.0
// dlrun-guest as the tests of readings have it: it logs what it was asked, leaves the bytes of the section's file as
// the arrays, and ends as the option `does` says.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "util/json.hpp"

using dlrun::Json;

namespace {

void say(const std::string& text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) ::_exit(9);
}

[[noreturn]] void answer(const std::string& text, int code = 0) {
  if (::write(STDOUT_FILENO, text.data(), text.size()) < 0) ::_exit(9);
  ::_exit(code);
}

/// How this process was started.
Json facts(int argc, char** argv) {
  sigset_t blocked;
  ::sigprocmask(SIG_BLOCK, nullptr, &blocked);
  int death = 0;
  ::prctl(PR_GET_PDEATHSIG, &death);
  Json arguments = Json::array();
  for (int i = 1; i < argc; ++i) arguments.push_back(argv[i]);
  return {{"leads", ::getpgrp() == ::getpid()},
          {"blocked", ::sigismember(&blocked, SIGUSR1) == 1},
          {"dies", death == SIGKILL},
          {"arguments", arguments}};
}

void leave_arrays(std::filesystem::path path) {
  if (std::filesystem::is_directory(path)) path /= "arrays";
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (::write(3, bytes.data(), bytes.size()) < 0) ::_exit(9);
}

std::string numbered_words() {
  std::string text;
  for (int i = 1000; i < 2000; ++i) text += std::to_string(i) + ' ';
  return text;
}

void end_badly(const std::string& does) {
  if (does == "crash") ::signal(SIGSEGV, SIG_DFL), ::raise(SIGSEGV);  // a sanitizer has a handler of its own
  if (does == "is killed") say("not told\n"), ::raise(SIGKILL);
  if (does == "exits") say("first\n  the last line\t \n\n"), ::_exit(3);
  if (does == "says one line") say("the only line"), ::_exit(3);
  if (does == "says much") say(numbered_words()), ::_exit(3);
  if (does == "says a lot") say(std::string(300'000, 'y') + "\nlast\n"), ::_exit(3);
  if (does == "says blanks") say("\n "), ::_exit(3);
  if (does == "says nothing") ::_exit(3);
  if (does == "answers nothing") ::_exit(0);
  if (does == "answers and fails") answer("{}", 4);
  while (does == "hangs") ::pause();
  if (does == "closes and waits") {
    ::close(STDERR_FILENO);
    ::usleep(50'000);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string text((std::istreambuf_iterator<char>(std::cin)), std::istreambuf_iterator<char>());
  const Json request = Json::parse(text);
  const std::string does = request.at("options").value("does", ""), path = request.at("files").at("path");
  Json log = facts(argc, argv);
  log["request"] = request;
  std::ofstream(path + ".log", std::ios::app) << dlrun::to_text(log) << '\n';
  end_badly(does);
  leave_arrays(path);
  if (does == "changes its file") std::ofstream(path, std::ios::app) << "more";
  const Json fault{{"fault", {{"key", "inputs"}, {"message", "there are no images"}, {"hint", "look again"}}}};
  if (does == "faults") answer(dlrun::to_text(fault));
  if (does == "lacks memory") answer(R"({"memory": true})");
  if (does == "lacks room") answer(R"({"disk": "No space left on device"})");
  if (does == "breaks") answer(R"({"broken": "it gave no arrays"})");
  answer(does == "answers oddly" ? "odd" : "{}");
}
