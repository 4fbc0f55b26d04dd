// SPDX-License-Identifier: Apache-2.0
// The contract of formats, as include/dlrun/plugin/data.hpp states it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "contracts/contract.hpp"
#include "dataset/dataset.hpp"
#include "dataset/plugin_formats.hpp"
#include "tensors/header.hpp"
#include "util/files.hpp"
#include "util/random.hpp"
#include "util/temporary_folder.hpp"

namespace dlrun::cli {

namespace {

namespace fs = std::filesystem;

constexpr int kWrongCopies = 12;                     ///< copies with wrong bytes
constexpr double kSecondsOfCopy = 20;                ///< to read a damaged copy
constexpr std::int64_t kMemoryOfCopy = 500'000'000;  ///< bytes, beside twenty times the size of the file
constexpr const char* kNoArray = "no array has this name";

/// Counts of the copies that a plugin read and refused.
struct Copies {
  int read = 0, refused = 0;
  std::string text() const { return fmt::format("{} copies: {} read, {} refused", read + refused, read, refused); }
};

class DataContract {
 public:
  explicit DataContract(const Tested& tested) : tested_(tested), reading_(dataset::reading_of(tested.section, {})) {}

  std::string reading() const {
    const dataset::Mapped first = dataset::read_apart(reading_, folder_.path());
    const dataset::Mapped second = dataset::read_apart(reading_, folder_.path());
    if (first.sha256 != second.sha256) throw Broken{"two readings of the same file give different arrays"};
    std::string text;
    for (const tensors::TensorView& one : tensors::read_header(first.text()).tensors)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", one.name, shape_text(one.shape));
    return fmt::format("{}; the same in a second process", text);
  }

  std::string examples() const {
    const dataset::Schema schema = dataset::load(tested_.section, {}, 0).schema;
    return fmt::format("{} to train, {} to validate, {} to test, {}", schema.train, schema.val, schema.test,
                       schema.classes > 0 ? fmt::format("{} classes", schema.classes)
                                          : fmt::format("{} numbers to predict", schema.targets));
  }

  std::string missing_array() const {
    for (const char* part : {"inputs", "targets"}) {
      dataset::Reading reading = reading_;
      for (Json& where : reading.names[part]) where = kNoArray;
      Copies copies;
      read(reading, fmt::format("asked for {} of an array that is not there", part), copies);
      if (copies.read > 0) throw Broken{fmt::format("it gives {} that the file does not have", part)};
    }
    return "refused";
  }

  std::string truncated() const {
    const std::string whole = read_file(damaged_file());
    Copies copies;
    std::vector<std::size_t> lengths{1};
    for (std::size_t eighth = 1; eighth < 8; ++eighth) lengths.push_back(whole.size() * eighth / 8);
    lengths.push_back(whole.size() - 1);
    std::sort(lengths.begin(), lengths.end());
    lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
    for (const std::size_t length : lengths)
      read_copy(whole.substr(0, length), fmt::format("cut off after {} of {} bytes", length, whole.size()), copies);
    return copies.text();
  }

  std::string damaged() const {
    const std::string whole = read_file(damaged_file());
    Copies copies;
    for (int copy = 0; copy < kWrongCopies; ++copy) {
      RandomStream random(3, {"damage", std::to_string(copy)});
      std::string bytes = whole;
      std::size_t place = 0;
      for (int i = 0; i < 1 + copy; ++i) {
        place = random.below(i % 2 == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 512));
        bytes[place] = char(random.below(256));
      }
      read_copy(bytes, fmt::format("copy {} with {} wrong bytes, the last at {}", copy, 1 + copy, place), copies);
    }
    return copies.text();
  }

 private:
  static std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string text;
    for (const std::int64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
    return '[' + text + ']';
  }

  fs::path original() const { return reading_.files.at("path"); }

  /// The file that copies change: of a folder the largest, the first of these by name.
  fs::path damaged_file() const {
    if (!fs::is_directory(original())) return original();
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(original()))
      if (entry.is_regular_file()) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return *std::max_element(files.begin(), files.end(),
                             [](const auto& a, const auto& b) { return fs::file_size(a) < fs::file_size(b); });
  }

  /// Reads a copy of all files with other bytes in one of them.
  void read_copy(const std::string& bytes, const std::string& what, Copies& copies) const {
    const TemporaryFolder folder("dlrun-damaged");
    dataset::Reading reading = reading_;
    reading.files["path"] = folder.path() / original().filename();
    fs::copy(original(), reading.files["path"], fs::copy_options::recursive);
    const fs::path file = fs::is_directory(original())
                              ? reading.files["path"] / damaged_file().lexically_relative(original())
                              : reading.files["path"];
    fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
    write_file(file, bytes, {.durable = false});
    read(reading, what, copies);
  }

  void read(dataset::Reading reading, const std::string& what, Copies& copies) const {
    const auto size = std::int64_t(fs::file_size(damaged_file()));
    reading.limits = {.seconds = kSecondsOfCopy, .memory = kMemoryOfCopy + 20 * size};
    try {
      static_cast<void>(dataset::read_apart(reading, folder_.path()));
      ++copies.read;
    } catch (const dataset::PluginFault& fault) {
      throw Broken{fmt::format("{}: {}", what, fault.brief())};
    } catch (const dataset::DataError& fault) {
      if (fault.kind() == ErrorKind::outside) throw;
      ++copies.refused;
    }
  }

  const Tested& tested_;
  dataset::Reading reading_;
  TemporaryFolder folder_{"dlrun-readings"};
};

/// A refusal of the file as it is breaks the contract, too.
template <class Test>
Check check_of(const char* name, Test test) {
  return {name, [test]() -> std::string {
            try {
              return test();
            } catch (const dataset::DataError& fault) {
              throw Broken{fault.brief()};
            }
          }};
}

}  // namespace

std::vector<Check> data_checks(const Tested& tested) {
  const auto contract = std::make_shared<DataContract>(tested);
  std::vector<Check> checks{check_of("reading", [=] { return contract->reading(); }),
                            check_of("examples", [=] { return contract->examples(); })};
  if (tested.plugin.manifest->whole.value("names", true))
    checks.push_back(check_of("an array that is not there", [=] { return contract->missing_array(); }));
  checks.push_back(check_of("truncated copies", [=] { return contract->truncated(); }));
  checks.push_back(check_of("damaged copies", [=] { return contract->damaged(); }));
  return checks;
}

}  // namespace dlrun::cli
