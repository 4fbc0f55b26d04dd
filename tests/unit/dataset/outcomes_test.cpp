// SPDX-License-Identifier: Apache-2.0
// Many small files and the sections that read them, good and bad: tests/golden/datasets/outcomes.json, beside it the
// whole text of what each gives. A case changes the section of its group, and may write further files.
#include "dataset_text.hpp"
#include "files.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"

namespace outcomes_test {

using namespace dlrun;
using namespace dlrun::dataset;
namespace fs = std::filesystem;

namespace {

const fs::path kPlace = DLRUN_SOURCE_DIR "/tests/golden/datasets";
constexpr std::uint64_t kSeed = 7;

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

std::string bytes_of(const Json& part);

template <class Number>
std::string packed(const Json& numbers) {
  const auto all = numbers.get<std::vector<Number>>();
  return {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(Number)};
}

/// An npy file with a header that may be wrong, of version 1.
std::string npy_of(const Json& part) {
  const std::string header = part["npy"];
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + bytes_of(part["data"]);
}

/// A text; bytes as hexadecimal digits; numbers; parts one behind the other, or one of them several times or packed.
std::string bytes_of(const Json& part) {
  if (part.is_string()) return part;
  std::string bytes;
  if (part.is_array()) {
    for (const Json& inner : part) bytes += bytes_of(inner);
    return bytes;
  }
  if (part.contains("npy")) return npy_of(part);
  if (part.contains("f4")) return packed<float>(part["f4"]);
  if (part.contains("f8")) return packed<double>(part["f8"]);
  if (part.contains("i4")) return packed<std::int32_t>(part["i4"]);
  if (part.contains("i8")) return packed<std::int64_t>(part["i8"]);
  if (part.contains("hex")) return from_hex(part["hex"]);
  if (part.contains("gzip")) return gzipped(bytes_of(part["gzip"]));
  for (std::int64_t i = 0; i < part["times"].get<std::int64_t>(); ++i) bytes += bytes_of(part["of"]);
  return bytes;
}

/// The folders that it leaves empty go too.
void remove_file(const DataFolder& folder, const std::string& name) {
  const fs::path file = folder.path() / name;
  fs::remove_all(file);
  for (fs::path above = file.parent_path(); above != folder.path(); above = above.parent_path()) {
    if (fs::exists(above) && fs::is_empty(above)) fs::remove(above);
  }
}

void write_files(const DataFolder& folder, const Json& files) {
  for (const auto& [name, content] : files.items()) {
    fs::remove_all(folder.path() / name);
    if (content.is_null()) continue;
    if (name.ends_with('/')) {
      fs::create_directories(folder.path() / name);
    } else {
      folder.write(name, bytes_of(content));
    }
  }
}

/// Value of a key of the case, or else of its group; the case then no longer has it.
Json taken(Json& one, const Json& group, const char* key, Json fallback) {
  Json value = one.contains(key) ? one[key] : group.value(key, std::move(fallback));
  one.erase(key);
  return value;
}

std::string new_text(const Json& data, const Json& files, FreshOptions options, const fs::path& place) {
  for (const auto& [key, file] : files.items()) options.files[key] = (place / file.get<std::string>()).string();
  return text_of(load_fresh(data, options, kSeed));
}

std::string text_of_case(Json one, const Json& group, const DataFolder& folder) {
  const Json files = taken(one, group, "new", nullptr);
  const FreshOptions options{.needs_targets = taken(one, group, "needs_targets", true),
                             .unseen = taken(one, group, "unseen_now", ""),
                             .id = taken(one, group, "id", "")};
  Json data = group["data"];
  data.merge_patch(one);
  std::string text = outcome([&] { return text_of(load(data, folder.where(), kSeed)); });
  if (!files.is_null() && !text.starts_with("fault"))
    text = outcome([&] { return new_text(located(data, folder.where()), files, options, folder.path()); });
  support::replace_all(text, folder.path().string(), "HERE");
  return text;
}

/// The case with files of its own, which are gone behind it.
std::string text_beside_files(Json one, const Json& group, const DataFolder& folder) {
  const Json own = taken(one, Json::object(), "files", Json::object());
  write_files(folder, own);
  std::string text = text_of_case(std::move(one), group, folder);
  for (const auto& [name, content] : own.items()) remove_file(folder, name);
  if (!own.empty()) write_files(folder, group["files"]);
  return text;
}

/// The case as it is written, long texts in it cut off.
Json shortened(Json one) {
  constexpr std::size_t kMost = 110;
  if (one.is_string() && one.get_ref<const std::string&>().size() > kMost)
    return one.get_ref<const std::string&>().substr(0, kMost) + "…";
  if (one.is_structured()) {
    for (Json& inner : one) inner = shortened(std::move(inner));
  }
  return one;
}

}  // namespace

TEST_CASE("small files give the data sets, or the faults, that stand in their golden file", "[dataset][golden]") {
  std::string all;
  for (const Json& group : parse_json(read_file(kPlace / "outcomes.json"), "cases")) {
    all += fmt::format("## {}\n", group["name"].get<std::string>());
    const DataFolder folder;
    write_files(folder, group["files"]);
    for (const Json& one : group["tries"])
      all += fmt::format("# {}\n{}\n", shortened(one).dump(-1, ' ', true), text_beside_files(one, group, folder));
  }
  const std::string expected = support::golden(kPlace / "outcomes.txt", all);
  const auto differs = std::mismatch(all.begin(), all.end(), expected.begin(), expected.end()).first;
  const auto place = std::size_t(differs - all.begin());
  const std::size_t at = all.rfind("\n# ", place), near = place - std::min<std::size_t>(place, 500);
  const std::size_t begin = std::max(at == std::string::npos ? 0 : at, near);
  CHECK(all.substr(begin, 1000) == expected.substr(std::min(begin, expected.size()), 1000));
}

}  // namespace outcomes_test
