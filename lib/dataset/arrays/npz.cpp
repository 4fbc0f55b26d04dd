// SPDX-License-Identifier: Apache-2.0
#include <zip.h>

#include <fmt/format.h>

#include "dataset/arrays/archive.hpp"
#include "dataset/arrays/npy.hpp"
#include "dataset/dataset.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::uint64_t kMostNpzBytes = std::uint64_t(16) << 30;  ///< size of one array
constexpr std::uint64_t kBestRatio = 1032;                        ///< deflate packs no better (RFC 1951)
constexpr zip_int64_t kMostEntries = 10000;

struct CloseZip {
  void operator()(zip_t* zip) const { zip_discard(zip); }
};
struct CloseEntry {
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};
using Zip = std::unique_ptr<zip_t, CloseZip>;

class Npz : public std::enable_shared_from_this<Npz> {
 public:
  explicit Npz(const std::filesystem::path& path) : mapped_(map_file(path, "path")), file_(path.string()) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* source = zip_source_buffer_create(mapped_.bytes.get(), mapped_.size, 0, &error);
    if (source != nullptr) zip_.reset(zip_open_from_source(source, ZIP_RDONLY, &error));
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    if (zip_) return;
    if (source != nullptr) zip_source_free(source);
    throw DataError("path", fmt::format("'{}' is no npz archive: {}", file_, why), "numpy.savez writes one", file_);
  }

  Archive archive() {
    Archive result{{}, file_, mapped_.sha256, {}};
    const zip_int64_t count = zip_get_num_entries(zip_.get(), 0);
    if (count > kMostEntries) fail("path", fmt::format("'{}' has {} entries", file_, count));
    for (zip_int64_t i = 0; i < count; ++i) {
      const char* raw_name = zip_get_name(zip_.get(), zip_uint64_t(i), ZIP_FL_ENC_GUESS);
      std::string name = raw_name != nullptr ? raw_name : "";
      if (name.ends_with(".npy")) name.resize(name.size() - 4);
      const auto self = shared_from_this();
      const auto read = [self, i, name](const std::string& key) { return self->read(zip_uint64_t(i), name, key); };
      if (!result.tensors.emplace(name, read).second)
        fail("path", fmt::format("'{}' has two arrays named {}", file_, quoted(Json(name))));
    }
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& what, const std::string& hint = {}) const {
    throw DataError(key, what, hint, file_);
  }

  zip_stat_t stat(zip_uint64_t index, const std::string& name, const std::string& key) const {
    zip_stat_t info;
    zip_stat_init(&info);
    const zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if (zip_stat_index(zip_.get(), index, 0, &info) != 0 || (info.valid & needed) != needed)
      fail(key, fmt::format("{} cannot be read", name), "the archive is damaged");
    if (info.encryption_method != ZIP_EM_NONE) fail(key, fmt::format("{} is encrypted", name));
    if (info.comp_method != ZIP_CM_STORE && info.comp_method != ZIP_CM_DEFLATE)
      fail(key, fmt::format("{} is packed by method {}", name, info.comp_method), "numpy stores or deflates");
    if (info.size > kMostNpzBytes || info.size / kBestRatio > info.comp_size)
      fail(key, fmt::format("{} says it unpacks to {} bytes", name, info.size), "that cannot be, or is too much");
    return info;
  }

  RawTensor read(zip_uint64_t index, const std::string& array, const std::string& key) const {
    const std::string name = fmt::format("{} in '{}'", quoted(Json(array)), file_);
    const auto bytes = std::make_shared<std::vector<std::byte>>(stat(index, name, key).size);
    const std::unique_ptr<zip_file_t, CloseEntry> entry(zip_fopen_index(zip_.get(), index, 0));
    zip_uint64_t done = 0;
    while (entry && done < bytes->size()) {
      const zip_int64_t got = zip_fread(entry.get(), bytes->data() + done, bytes->size() - done);
      if (got <= 0) break;
      done += zip_uint64_t(got);
    }
    std::byte beyond;  // the check sum is compared at the end
    if (!entry || done != bytes->size() || zip_fread(entry.get(), &beyond, 1) != 0)
      fail(key,
           fmt::format("{} is damaged: {}", name, entry ? zip_file_strerror(entry.get()) : zip_strerror(zip_.get())),
           "save it again");
    return read_npy({bytes, bytes->data()}, bytes->size(), name, key);
  }

  Mapped mapped_;
  std::string file_;
  Zip zip_;
};

}  // namespace

RawTensor Archive::get(const std::string& name, const std::string& key) const {
  const auto found = tensors.find(name);
  if (found != tensors.end()) return found->second(key);
  std::vector<std::string> known;
  for (const auto& entry : tensors) known.push_back(entry.first);
  throw DataError(key, fmt::format("there is no array {} in '{}'", quoted(Json(name)), file),
                  hint_for_name(name, known), file);
}

Archive open_npz(const std::filesystem::path& path) { return std::make_shared<Npz>(path)->archive(); }

}  // namespace dlrun::dataset
