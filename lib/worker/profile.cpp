// SPDX-License-Identifier: Apache-2.0
#include "worker/profile.hpp"

#include <unistd.h>

#include <cerrno>
#include <istream>
#include <iterator>
#include <ostream>
#include <string_view>
#include <system_error>

#include "trial/build.hpp"
#include "trial/json.hpp"
#include "trial/profile.hpp"
#include "util/error.hpp"
#include "worker/trainer.hpp"

namespace dlrun::worker {

namespace {

/// A reader that went away is no fault: the rest is dropped. @throws Error(outside) for a full disk and the like.
void write_rows(std::string_view text) {
  static bool is_closed = false;
  while (!text.empty() && !is_closed) {
    const ssize_t written = ::write(trial::kRowsDescriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    is_closed = written < 0 && errno == EPIPE;
    if (is_closed) return;
    if (written < 0)
      throw Error(ErrorKind::outside, "cannot write the predictions: " + std::generic_category().message(errno));
    text.remove_prefix(std::size_t(written));
  }
}

/// Over what was written first. @throws Error(outside).
void rewrite_beginning(std::string_view bytes) {
  for (off_t at = 0; !bytes.empty();) {
    const ssize_t written = ::pwrite(trial::kRowsDescriptor, bytes.data(), bytes.size(), at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      throw Error(ErrorKind::outside, "cannot write the predictions: " + std::generic_category().message(errno));
    bytes.remove_prefix(std::size_t(written));
    at += written;
  }
}

Json answer_to(const Json& question, const std::filesystem::path& library) {
  const trial::WorkSetup setup = trial::work_setup(question.at("setup"));
  const trial::PieceOrder order = trial::piece_order(question.at("order"));
  if (question.contains("use"))
    return trial::to_json(
        use_trial(library, setup, order, trial::use_options(question["use"]), {write_rows, rewrite_beginning}));
  if (!question.contains("steps")) return trial::to_json(build_trial(library, setup, order));
  const trial::ProfileOptions options{question["steps"].get<std::int64_t>(), question.at("warmup").get<std::int64_t>(),
                                      question.value("busy", std::int64_t(0))};
  return trial::to_json(profile_trial(library, setup, order, options));
}

}  // namespace

void answer_profile(std::istream& question, std::ostream& answer, const std::filesystem::path& library) {
  const std::string text(std::istreambuf_iterator<char>(question), {});
  try {
    answer << to_text(answer_to(Json::parse(text), library.empty() ? program_folder() : library)) << '\n';
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::usage, std::string("malformed question: ") + fault.what());
  }
}

}  // namespace dlrun::worker
