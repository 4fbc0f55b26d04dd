// SPDX-License-Identifier: Apache-2.0
// A format of data sets: named arrays in a text file.
#include <dlrun/plugin/data.hpp>
#include <fstream>
#include <sstream>

namespace plugin = dlrun::plugin;

namespace {

namespace text_file {

/// Numbers of the next array in the file, after the line that has its name and sizes.
std::vector<double> numbers_of(std::istream& file, const std::string& name, std::int64_t count) {
  std::vector<double> numbers;
  for (double number = 0; static_cast<std::int64_t>(numbers.size()) < count;) {
    if (!(file >> number)) throw std::runtime_error("the array '" + name + "' has too few numbers");  // shown at `path`
    numbers.push_back(number);
  }
  file.ignore();  // the end of its last line
  return numbers;
}

/// An array of the file.
struct Read {
  std::vector<std::int64_t> shape;  ///< the first size is the number of examples
  std::vector<double> numbers;
};

std::map<std::string, Read> all_arrays(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("the file cannot be opened");
  std::map<std::string, Read> arrays;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    Read& array = arrays[name];
    std::int64_t count = 1;
    for (std::int64_t size = 0; words >> size; count *= size) array.shape.push_back(size);
    array.numbers = numbers_of(file, name, count);
  }
  return arrays;
}

const Read& array_of(const std::map<std::string, Read>& all, const std::string& name, const std::string& key) {
  const auto found = all.find(name);
  if (found == all.end()) throw plugin::DataFault(key, "the file has no array '" + name + "'");  // shown at that key
  return found->second;
}

}  // namespace text_file

class TemplateName : public plugin::Format {
 public:
  /// The arrays that the study asks for. A pure function of its parameters and of the files' content.
  plugin::Arrays read(const plugin::Options& options, const plugin::Files& files, const plugin::Names& names) override {
    const std::map<std::string, text_file::Read> all = text_file::all_arrays(files.at("path"));
    plugin::Arrays arrays;
    for (const auto& [name, in_file] : names.inputs)
      arrays.inputs[name] = input(text_file::array_of(all, in_file, "inputs"), options.real("factor"));
    for (const auto& [name, in_file] : names.targets)
      arrays.targets[name] = target(text_file::array_of(all, in_file, "targets"));
    for (const auto& [name, in_file] : names.test_inputs)
      arrays.test_inputs[name] = input(text_file::array_of(all, in_file, "test_inputs"), options.real("factor"));
    for (const auto& [name, in_file] : names.test_targets)
      arrays.test_targets[name] = target(text_file::array_of(all, in_file, "test_targets"));
    return arrays;
  }

 private:
  /// Inputs are numbers: float32 here.
  static plugin::Array input(const text_file::Read& read, double factor) {
    std::vector<float> numbers;
    for (const double number : read.numbers) numbers.push_back(static_cast<float>(number * factor));
    return plugin::Array::of(read.shape, numbers);
  }

  /// Whole numbers are classes, counted from 0. For values to be foretold return float or double numbers.
  static plugin::Array target(const text_file::Read& read) {
    return plugin::Array::of(read.shape, std::vector<std::int64_t>(read.numbers.begin(), read.numbers.end()));
  }
};

}  // namespace

DLRUN_DATA(TemplateName)
