// SPDX-License-Identifier: Apache-2.0
// dlrun predict TRIAL --data FILE -o FILE.csv: what a trained trial says of new examples.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "output/console.hpp"
#include "trained.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

/// A pipe or a device is written as it is, never replaced.
bool is_special(const std::filesystem::path& path) {
  std::error_code none;
  const auto status = std::filesystem::status(path, none);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

/// A file that is there as a whole or not at all: its content goes to another name first.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& path)
      : path_(path), part_(is_special(path) ? path.string() : path.string() + ".part") {
    fd_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd_ < 0) fail(errno == ENOENT || errno == ENOTDIR ? ErrorKind::usage : ErrorKind::outside, errno);
  }
  ~NewFile() {
    if (fd_ < 0) return;
    ::close(fd_);
    if (part_ != path_) ::unlink(part_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  int fd() const { return fd_; }
  void keep() {
    const bool is_whole = ::close(std::exchange(fd_, -1)) == 0;
    if (!is_whole || (part_ != path_ && std::rename(part_.c_str(), path_.c_str()) != 0))
      fail(ErrorKind::outside, errno);
  }

 private:
  [[noreturn]] void fail(ErrorKind kind, int fault) const {
    throw Error(kind, fmt::format("cannot write '{}': {}", path_.string(), std::generic_category().message(fault)));
  }

  std::filesystem::path path_;
  std::string part_;
  int fd_ = -1;
};

void note(const std::string& file, const Trained& trained, std::int64_t rows, Console& console) {
  console.note(fmt::format("{}: {} predictions of {}", file, rows, trained.name()));
}

int run(const Arguments& arguments, Console& console) {
  const char* const usage = "dlrun predict TRIAL --data FILE -o FILE; `-o -` writes to standard output";
  if (!arguments.has("data")) throw Error(ErrorKind::usage, "'predict' needs --data", usage);
  if (!arguments.has("output")) throw Error(ErrorKind::usage, "'predict' needs -o FILE", usage);
  const Trained trained = find_trained(arguments);
  const std::string file = arguments.text("output");
  trial::UseOptions options{.files = new_files(arguments, trained), .id = arguments.text("id"), .predicts = true};
  if (arguments.text("unseen") == "zero") options.unseen = "zero";
  if (file == "-") {
    use(arguments, trained, options, STDOUT_FILENO);
    return 0;
  }
  NewFile output(file);
  const trial::Use made = use(arguments, trained, options, output.fd());
  output.keep();
  note(file, trained, made.examples, console);
  return 0;
}

std::vector<Option> options() {
  std::vector<Option> all = trained_options();
  all.push_back({.name = "id", .value = "COLUMN", .text = "a column of the new table to begin each row with"});
  all.push_back({.name = "output",
                 .value = "FILE",
                 .text = "where the rows go, as CSV; - is standard output",
                 .kind = Kind::file,
                 .letter = 'o'});
  return all;
}

}  // namespace

Verb predict_verb() {
  return {.name = "predict",
          .summary = "let a trained trial predict new examples",
          .text =
              "A row of CSV for each new example, in their order: its number from 0 (or --id), then the class and the "
              "probability of each class, or the value in the unit of the training file; several outputs have columns "
              "of their own. Columns that the model does not need, the target among them, may be there or not. New "
              "examples are prepared by what was measured on the training split, whose data has to be where it was.",
          .arguments = {trained_argument()},
          .options = options(),
          .examples = {{"dlrun predict titanic --data new.csv -o out.csv --id PassengerId", "by the best trial"},
                       {"dlrun predict cats/3 --data photos/ -o - | head", "images in a folder"}},
          .run = run};
}

}  // namespace dlrun::cli
