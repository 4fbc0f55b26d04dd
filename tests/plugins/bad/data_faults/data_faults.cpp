// SPDX-License-Identifier: Apache-2.0
// A format that misbehaves as it is told to. Sound, it gives 30 examples of 2 numbers and 3 classes.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <dlrun/plugin/data.hpp>
#include <fstream>
#include <functional>
#include <sstream>

namespace {

using namespace dlrun::plugin;

Arrays sound() {
  std::vector<float> x;
  std::vector<std::string> y;
  for (int i = 0; i < 30; ++i) {
    x.insert(x.end(), {float(i % 3), float(i)});
    y.emplace_back(1, char('a' + i % 3));
  }
  Arrays arrays;
  arrays.inputs["x"] = Array::of({30, 2}, x);
  arrays.targets[""] = {Type::text, {30}, {}, y};
  return arrays;
}

/// Takes memory until there is none.
void take_memory() {
  std::vector<std::vector<char>> all;
  for (;;) all.emplace_back(std::size_t(1) << 24, 'x');
}

const std::map<std::string, std::function<void(Arrays&)>>& faults() {
  static const std::map<std::string, std::function<void(Arrays&)>> all = {
      {"nothing", [](Arrays&) {}},
      {"later", [](Arrays&) {}},
      {"frail", [](Arrays&) {}},
      {"stuck", [](Arrays&) {}},
      {"clock", [](Arrays& arrays) { arrays.inputs["x"].bytes[0] = std::byte(::getpid() % 256); }},
      {"crash", [](Arrays&) { *static_cast<volatile int*>(nullptr) = 1; }},
      {"hang",
       [](Arrays&) {
         for (;;) ::pause();
       }},
      {"exit", [](Arrays&) { std::exit(0); }},
      {"throw", [](Arrays&) { throw std::runtime_error("line 3 is no number"); }},
      {"fault", [](Arrays&) { throw DataFault("does", "it was told to fail", "tell it otherwise"); }},
      {"odd", [](Arrays&) { throw 5; }},
      {"short", [](Arrays& arrays) { arrays.inputs["x"].bytes.pop_back(); }},
      {"negative",
       [](Arrays& arrays) {
         arrays.inputs["x"].shape = {-30, -2};
       }},
      {"empty", [](Arrays& arrays) { arrays.inputs.clear(); }},
      {"names", [](Arrays& arrays) { arrays.targets.clear(); }},
      {"memory", [](Arrays&) { take_memory(); }},
      {"lie", [](Arrays& arrays) { arrays.targets[""].shape = {29}, arrays.targets[""].texts.pop_back(); }},
      {"chat",
       [](Arrays&) {
         for (int i = 0; i < 100'000; ++i) std::printf("{\"fault\": 1}\n");
       }},
      {"hunger", [](Arrays&) { std::vector<double> most(std::size_t(1) << 60); }}};
  return all;
}

/// Whether the file is "1\n2\n", as tests write it.
bool is_whole(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str() == "1\n2\n";
}

class Faults final : public Format {
 public:
  Arrays read(const Options& options, const Files& files, const Names&) override {
    Arrays arrays = sound();
    const std::string does = options.text("does"), path = files.at("path");
    if (does == "later" && ::access((path + ".crash").c_str(), F_OK) == 0) std::abort();
    if (does == "frail" && !is_whole(path)) std::abort();
    while (does == "stuck" && !is_whole(path)) ::pause();
    faults().at(does)(arrays);
    return arrays;
  }
};

}  // namespace

DLRUN_DATA(Faults)
