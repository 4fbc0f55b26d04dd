// SPDX-License-Identifier: Apache-2.0
#include "dataset/images/image_listing.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "dataset/bytes.hpp"
#include "dataset/column.hpp"
#include "dataset/locate.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kRead{".jpg", ".jpeg", ".png"};
const std::vector<std::string> kNotRead{".bmp", ".gif", ".webp", ".tif", ".tiff", ".ppm", ".pgm", ".heic", ".avif"};

std::string lower_extension(const fs::path& file) {
  std::string ending = file.extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return ending;
}

bool is_one_of(const std::string& ending, const std::vector<std::string>& list) {
  return std::find(list.begin(), list.end(), ending) != list.end();
}

bool is_hidden(const fs::path& path) { return path.filename().string().front() == '.'; }

/// Visits a folder; one that cannot be listed throws the system's message.
template <class Visit>
void list(const fs::path& folder, const Visit& visit) {
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (!is_hidden(entry.path())) visit(entry);
    }
  } catch (const fs::filesystem_error& fault) {
    throw DataError("path", fmt::format("cannot list '{}': {}", folder.string(), fault.code().message()), "",
                    folder.string());
  }
}

/// Images of a class folder and of what lies below it; links to folders are not followed.
void collect(const fs::path& folder, std::vector<fs::path>& files) {
  list(folder, [&](const fs::directory_entry& entry) {
    const std::string ending = lower_extension(entry.path());
    if (entry.is_directory() && !entry.is_symlink()) return collect(entry.path(), files);
    if (is_one_of(ending, kRead)) {
      require_file(entry.path());
      return files.push_back(entry.path());
    }
    if (is_one_of(ending, kNotRead)) {
      throw DataError("path", fmt::format("'{}' is neither JPEG nor PNG", entry.path().string()),
                      "convert or remove it", entry.path().string());
    }
  });
}

}  // namespace

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> result;
  list(folder, [&](const fs::directory_entry& entry) {
    if (entry.is_directory()) result.push_back(entry.path());
  });
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<fs::path> images_below(const fs::path& folder) {
  std::vector<fs::path> files;
  collect(folder, files);
  std::sort(files.begin(), files.end());
  return files;
}

namespace {

/// The folders that hold the class folders: of the training split, and of the others where they are there.
struct Roots {
  fs::path train, val, test;
};

fs::path first_of(const fs::path& folder, std::initializer_list<const char*> names) {
  std::error_code ignored;
  for (const char* name : names) {
    if (fs::is_directory(folder / name, ignored)) return folder / name;
  }
  return {};
}

bool is_image(const fs::directory_entry& entry) { return is_one_of(lower_extension(entry.path()), kRead); }

/// Is there an image in the folder, or in one below it? Whatever cannot be listed has none.
bool has_images(const fs::path& folder) {
  std::error_code fault;
  for (fs::recursive_directory_iterator it(folder, fault), end; !fault && it != end; it.increment(fault)) {
    if (is_image(*it)) return true;
  }
  return false;
}

/// Other folders of images beside a folder `train` that no folder of another split is beside.
std::vector<fs::path> classes_beside(const fs::path& train) {
  std::vector<fs::path> others = folders_in(train.parent_path());
  std::erase_if(others, [&](const fs::path& other) { return other == train || !has_images(other); });
  return others;
}

/// Is a folder `train` a class, as the class of trains? It holds images itself then, and stands beside other classes.
/// @throws DataError where it may be either
bool is_class(const fs::path& train) {
  const std::vector<fs::path> others = classes_beside(train);
  if (others.empty()) return false;
  const fs::directory_iterator entries(train);
  if (std::any_of(begin(entries), end(entries), is_image)) return true;
  throw DataError("path",
                  fmt::format("'{}' may be the training split, or a class beside '{}'", train.string(),
                              others.front().filename().string()),
                  fmt::format("if it is a class, put its images into it, not into folders below; else write path: {}",
                              train.string()),
                  train.string());
}

Roots roots_of(const fs::path& folder) {
  const fs::path train = first_of(folder, {"train", "training"});
  const fs::path val = first_of(folder, {"val", "valid", "validation"}), test = first_of(folder, {"test", "testing"});
  if (train.empty() || (val.empty() && test.empty() && is_class(train))) return {folder, {}, {}};
  return {train, val, test};
}

std::vector<fs::path> images_of_class(const fs::path& folder) {
  std::vector<fs::path> files = images_below(folder);
  if (!files.empty()) return files;
  throw DataError("path",
                  fmt::format("the class '{}' is empty: there is no image in its folder", folder.filename().string()),
                  "put its JPEG or PNG files there, or remove the folder", folder.string());
}

std::vector<std::string> class_names_of(const fs::path& root) {
  std::vector<std::string> names;
  for (const fs::path& folder : folders_in(root)) {
    names.push_back(folder.filename().string());
    require_utf8(names.back(), "the name of a class folder", folder.string());
  }
  if (names.size() >= 2) return names;
  throw DataError("path",
                  fmt::format("'{}' has {} folder{}, but every class needs one", root.string(), names.size(),
                              names.size() == 1 ? "" : "s"),
                  "at least two classes, a folder of images for each", root.string());
}

/// @param parts  all images of the section, sorted within each folder
Listing list_split(const fs::path& root, const std::vector<std::string>& classes, const Source& source) {
  Listing listing;
  if (root.empty()) return listing;
  std::map<std::string, std::int64_t> labels;
  for (const std::string& name : classes) labels.emplace(name, std::int64_t(labels.size()));
  for (const fs::path& file : source.parts) {
    const fs::path inner = file.lexically_relative(root);
    if (inner.empty() || *inner.begin() == "..") continue;
    const auto label = labels.find(inner.begin()->string());
    if (label == labels.end()) {
      throw DataError(
          "path", fmt::format("the class {} is not among the training folder's", quoted(Json(inner.begin()->string()))),
          hint_for_name(inner.begin()->string(), classes), (root / *inner.begin()).string());
    }
    listing.files.push_back(file);
    listing.labels.push_back(label->second);
  }
  return listing;
}

}  // namespace

Sources find_images(const Json& data, const Locations& where) {
  Source source{"path", find_file({"path", data["path"].get<std::string>()}, where)};
  std::error_code ignored;
  if (!fs::is_directory(source.file, ignored)) {
    throw DataError("path", fmt::format("'{}' is a file, not a folder", source.file.string()),
                    "unpack it, and name the folder with a folder for each class");
  }
  const Roots roots = roots_of(source.file);
  for (const fs::path& root : {roots.train, roots.val, roots.test}) {
    if (root.empty()) continue;
    for (const fs::path& folder : folders_in(root)) {
      for (fs::path& file : images_of_class(folder)) source.parts.push_back(std::move(file));
    }
  }
  return {source};
}

ImageListing list_images(const Source& source) {
  const Roots roots = roots_of(source.file);
  ImageListing listing{class_names_of(roots.train), {}, {}, {}};
  listing.train = list_split(roots.train, listing.class_names, source);
  listing.val = list_split(roots.val, listing.class_names, source);
  listing.test = list_split(roots.test, listing.class_names, source);
  return listing;
}

}  // namespace dlrun::dataset
