// SPDX-License-Identifier: Apache-2.0
#include "read_data.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <dlrun/plugin/data.hpp>
#include <fstream>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "data_file.hpp"
#include "util/error.hpp"
#include "util/json.hpp"

namespace dlrun::guest {

namespace {

constexpr int kFile = 3;  ///< descriptor of the file for the arrays

std::string standard_input() {
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(0, buffer, sizeof buffer)) > 0;) text.append(buffer, std::size_t(got));
  return text;
}

/// Bytes of private memory that this process holds by now.
std::int64_t memory_held() {
  std::ifstream file("/proc/self/statm");
  std::int64_t pages = 0;
  for (int field = 0; field < 6; ++field) file >> pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

void set_limits(std::int64_t memory) {
  const auto most = rlim_t(memory_held() + memory);
  const rlimit data{most, most}, none{0, 0};
  ::setrlimit(RLIMIT_DATA, &data);
  ::setrlimit(RLIMIT_CORE, &none);
}

plugin::OptionValue value_of(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return std::monostate{};
  if (!value.empty() && value[0].is_string()) return value.get<std::vector<std::string>>();
  return value.get<std::vector<double>>();
}

plugin::Options options_of(const Json& values) {
  std::map<std::string, plugin::OptionValue> options;
  for (const auto& [name, value] : values.items()) options[name] = value_of(value);
  return plugin::Options(std::move(options));
}

plugin::Names names_of(const Json& names) {
  return {names.at("inputs"), names.at("targets"), names.at("test_inputs"), names.at("test_targets")};
}

/// @throws Broken where the object cannot be opened or exports nothing
std::unique_ptr<plugin::Format> open_format(const std::string& object) {
  void* const library = ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Broken(std::string("it cannot be opened: ") + ::dlerror());
  using Make = plugin::Format*();
  auto* const make = reinterpret_cast<Make*>(::dlsym(library, "dlrun_plugin_data"));
  if (make == nullptr) throw Broken("it has no DLRUN_DATA(Class)");
  return std::unique_ptr<plugin::Format>(make());
}

void read(const Json& request) {
  set_limits(request.at("memory"));
  const std::unique_ptr<plugin::Format> format = open_format(request.at("object"));
  const plugin::Names names = names_of(request.at("names"));
  plugin::Arrays arrays = format->read(options_of(request.at("options")), request.at("files"), names);
  check(arrays, names);
  write(std::move(arrays), kFile);
}

Json fault(const std::string& key, const std::string& message, const std::string& hint) {
  return {{"fault", {{"key", key}, {"message", message}, {"hint", hint}}}};
}

Json answer_to(const Json& request) {
  try {
    read(request);
    return Json::object();
  } catch (const plugin::DataFault& found) {
    return fault(found.key(), found.what(), found.hint());
  } catch (const Broken& found) {
    return {{"broken", found.what()}};
  } catch (const std::bad_alloc&) {
    return {{"memory", true}};
  } catch (const std::length_error&) {  // a vector of more than there can be
    return {{"memory", true}};
  } catch (const std::out_of_range& found) {  // Options, asked for a key without a value
    return {{"broken", found.what()}};
  } catch (const Unwritten& found) {
    return {{"disk", found.what()}};
  } catch (const std::exception& found) {
    return fault("path", found.what(), "");
  } catch (...) {
    return {{"broken", "it threw an object that is no std::exception"}};
  }
}

}  // namespace

void read_data() {
  const int answers = ::fcntl(1, F_DUPFD_CLOEXEC, 4);
  ::dup2(2, 1);  // a plugin that prints does not write into the answer
  const std::string answer = to_text(answer_to(parse_json(standard_input(), "the request")));
  const bool is_said = ::write(answers, answer.data(), answer.size()) == ssize_t(answer.size());
  ::_exit(is_said ? 0 : 1);
}

}  // namespace dlrun::guest
