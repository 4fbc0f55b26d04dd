// SPDX-License-Identifier: Apache-2.0
#include "dataset/images/cifar_files.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "dataset/images/tar.hpp"
#include "dataset/locate.hpp"

namespace dlrun::dataset {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostCifarFilesBytes = std::size_t(1) << 30;  ///< archive or file: five times CIFAR-10

const CifarVariant kTen{
    {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"},
    "test_batch.bin",
    1,
    0,
    10,
    "batches.meta.txt"};
const CifarVariant kFine{{"train.bin"}, "test.bin", 2, 1, 100, "fine_label_names.txt"};
const CifarVariant kCoarse{{"train.bin"}, "test.bin", 2, 0, 20, "coarse_label_names.txt"};

constexpr const char* kWanted = "the binary version is wanted: data_batch_1.bin (CIFAR-10) or train.bin (CIFAR-100)";

bool has_cifar(const CifarFiles& files) { return files.has(kTen.train[0]) || files.has(kFine.train[0]); }

class Folder final : public CifarFiles {
 public:
  explicit Folder(fs::path folder) : folder_(std::move(folder)) {}

  bool has(const std::string& name) const override { return !file(name).empty(); }
  std::string place_of(const std::string& name) const override {
    const fs::path found = file(name);
    return (found.empty() ? folder_ / name : found).string();
  }
  Content read(const std::string& name) const override { return read_content(require(name), kMostCifarFilesBytes); }

  fs::path require(const std::string& name) const {
    fs::path found = file(name);
    if (!found.empty()) return found;
    throw DataError("path", fmt::format("'{}' is missing in '{}'", name, folder_.string()), "unpack the archive again",
                    folder_.string());
  }

  /// Gzipped or not; empty where there is none.
  fs::path file(const std::string& name) const {
    std::error_code ignored;
    for (const char* ending : {"", ".gz"}) {
      if (fs::is_regular_file(folder_ / (name + ending), ignored)) return folder_ / (name + ending);
    }
    return {};
  }

 private:
  fs::path folder_;
};

class Tarball final : public CifarFiles {
 public:
  explicit Tarball(const fs::path& path) : path_(path.string()), content_(read_content(path, kMostCifarFilesBytes)) {
    for (const TarMember& member : read_tar(content_.bytes, path_)) {
      const std::string name = fs::path(member.name).filename().string();
      if (!members_.emplace(name, member).second)
        throw DataError("path", fmt::format("'{}' has two files named '{}'", path_, name), "is it the right archive?",
                        path_);
    }
  }

  bool has(const std::string& name) const override { return find(name) != members_.end(); }
  std::string place_of(const std::string& name) const override {
    const auto found = find(name);
    return fmt::format("{}({})", path_, found == members_.end() ? name : found->second.name);
  }
  Content read(const std::string& name) const override {
    const auto found = find(name);
    if (found == members_.end())
      throw DataError("path", fmt::format("'{}' is missing in '{}'", name, path_), "fetch it again", path_);
    return unpack(std::string(found->second.bytes), place_of(name), kMostCifarFilesBytes);
  }

 private:
  std::map<std::string, TarMember>::const_iterator find(const std::string& name) const {
    const auto plain = members_.find(name);
    return plain == members_.end() ? members_.find(name + ".gz") : plain;
  }

  std::string path_;
  Content content_;  ///< the members point into it
  std::map<std::string, TarMember> members_;
};

/// The folder with the files: the one named, or the archive's own in it.
fs::path inner_folder(const fs::path& folder) {
  for (const fs::path& inner : {folder, folder / "cifar-10-batches-bin", folder / "cifar-100-binary"}) {
    if (has_cifar(Folder(inner))) return inner;
  }
  throw DataError("path", fmt::format("'{}' holds no CIFAR data", folder.string()),
                  std::string(kWanted) + ", in this folder or in an archive", folder.string());
}

}  // namespace

Source find_cifar_files(const Json& data, const Locations& where) {
  Source source{"path", find_file({"path", data["path"].get<std::string>()}, where)};
  std::error_code ignored;
  if (fs::is_regular_file(source.file, ignored)) return source;
  const fs::path inner = inner_folder(source.file);
  const Folder folder(inner);
  const CifarVariant& variant = variant_of(folder, data["labels"], inner.string());
  for (const std::string& name : variant.train) source.parts.push_back(folder.require(name));
  source.parts.push_back(folder.require(variant.test));
  if (folder.has(variant.names)) source.parts.push_back(folder.require(variant.names));
  return source;
}

std::unique_ptr<CifarFiles> open_cifar_files(const Source& source) {
  if (!source.parts.empty()) return std::make_unique<Folder>(source.parts[0].parent_path());
  auto tarball = std::make_unique<Tarball>(source.file);
  if (has_cifar(*tarball)) return tarball;
  throw DataError("path", fmt::format("'{}' holds no CIFAR data", source.file.string()), kWanted, source.file.string());
}

const CifarVariant& variant_of(const CifarFiles& files, const Json& labels, const std::string& place) {
  const bool is_ten = files.has(kTen.train[0]);
  if (is_ten && !labels.is_null()) {
    throw DataError("labels", "'labels' chooses between the two of CIFAR-100, but this is CIFAR-10", "remove it",
                    place);
  }
  if (is_ten) return kTen;
  return labels == "coarse" ? kCoarse : kFine;
}

}  // namespace dlrun::dataset
