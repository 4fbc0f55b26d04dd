// SPDX-License-Identifier: Apache-2.0
#include "failure.hpp"

#include <filesystem>
#include <new>
#include <string>

#include "output/console.hpp"
#include "output/text_width.hpp"
#include "spec/study_spec.hpp"
#include "util/error.hpp"
#include "util/place_prefix.hpp"

namespace dlrun::cli {

namespace {

int report(const Error& error, const Style& style) {
  const std::string message = visible(error.what(), true);
  const bool rendered = dynamic_cast<const spec::SpecError*>(&error) != nullptr;
  const std::string place = visible(place_prefix(error));
  std::string text = rendered ? message : style.red("error:") + " " + place + message;
  if (text.back() != '\n') text += '\n';
  if (!error.hint().empty()) text += style.cyan("help:") + " " + visible(error.hint(), true) + "\n";
  write_error(text);
  return error.exit_code();
}

int report(ErrorKind kind, const std::string& message, const std::string& hint, const Style& style) {
  return report(Error(kind, message, hint), style);
}

}  // namespace

int report_failure(const std::exception& failure, const Style& style) {
  if (const auto* error = dynamic_cast<const Error*>(&failure)) return report(*error, style);
  if (dynamic_cast<const std::bad_alloc*>(&failure)) {
    return report(ErrorKind::outside, "out of memory", "run the same command again when there is more", style);
  }
  if (dynamic_cast<const std::filesystem::filesystem_error*>(&failure)) {
    return report(ErrorKind::outside, failure.what(), "", style);
  }
  return report(ErrorKind::internal, std::string("internal error: ") + failure.what(),
                "this is a bug of dlrun: please report it with the command and the study", style);
}

}  // namespace dlrun::cli
