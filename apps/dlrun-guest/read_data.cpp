// SPDX-License-Identifier: Apache-2.0
#include "read_data.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <dlrun/plugin/data.hpp>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "data_file.hpp"
#include "object.hpp"
#include "plugin/manifest.hpp"
#include "plugin/note.hpp"
#include "plugin/section.hpp"
#include "util/error.hpp"
#include "util/json.hpp"
#include "util/memory.hpp"

namespace dlrun::guest {

namespace {

constexpr int kFile = 3;  ///< descriptor of the file for the arrays

std::string standard_input() {
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(0, buffer, sizeof buffer)) > 0;) text.append(buffer, std::size_t(got));
  return text;
}

plugin::Names names_of(const Json& names) {
  return {names.at("inputs"), names.at("targets"), names.at("test_inputs"), names.at("test_targets")};
}

void read(const Json& request) {
  limit_own_memory(request.at("memory"));
  const std::string file = request.at("object");
  const plugin::Manifest manifest = plugin::manifest_from_json(plugin::read_note(file).manifest);
  const std::unique_ptr<plugin::Format> format(Object(file).function<plugin::Format*()>("dlrun_plugin_data")());
  const plugin::Names names = names_of(request.at("names"));
  plugin::Arrays arrays =
      format->read(plugin::options_of(request.at("options"), manifest.keys), request.at("files"), names);
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
  } catch (const Error& found) {  // the object cannot be opened, or exports nothing
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
