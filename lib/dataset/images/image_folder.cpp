// SPDX-License-Identifier: Apache-2.0
// op: image_folder. A folder for each class with JPEG and PNG files in it, below train/, val/ and test/ or without
// them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "dataset/bytes.hpp"
#include "dataset/column.hpp"
#include "dataset/images/image_set.hpp"
#include "dataset/images/resize.hpp"
#include "dataset/locate.hpp"
#include "dataset/parallel.hpp"
#include "dataset/pixels.hpp"
#include "util/value_form.hpp"

namespace dlrun::dataset {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFileBytes = std::size_t(256) << 20;
constexpr std::size_t kMostBytes = std::size_t(64) << 30;  ///< of all images together
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

/// What the system says of a folder that cannot be listed.
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
    if (is_one_of(ending, kRead)) return files.push_back(entry.path());
    if (is_one_of(ending, kNotRead)) {
      throw DataError("path", fmt::format("'{}' is neither JPEG nor PNG", entry.path().string()),
                      "convert or remove it", entry.path().string());
    }
  });
}

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> result;
  list(folder, [&](const fs::directory_entry& entry) {
    if (entry.is_directory()) result.push_back(entry.path());
  });
  std::sort(result.begin(), result.end());
  return result;
}

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

Roots roots_of(const fs::path& folder) {
  const fs::path train = first_of(folder, {"train", "training"});
  if (train.empty()) return {folder, {}, {}};
  return {train, first_of(folder, {"val", "valid", "validation"}), first_of(folder, {"test", "testing"})};
}

std::vector<fs::path> images_of_class(const fs::path& folder) {
  std::vector<fs::path> files;
  collect(folder, files);
  std::sort(files.begin(), files.end());
  if (!files.empty()) return files;
  throw DataError("path",
                  fmt::format("the class '{}' is empty: there is no image in its folder", folder.filename().string()),
                  "put its JPEG or PNG files there, or remove the folder", folder.string());
}

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

/// Files of one split, with their classes.
struct Listing {
  std::vector<fs::path> files;
  std::vector<std::int64_t> labels;
};

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

/// How every image is brought to one size.
struct Form {
  std::int64_t height = 0, width = 0, channels = 3;  ///< no height: all images must have the first one's size
  bool is_cropped = true;

  explicit Form(const Json& data) : channels(data["colour"] == "grey" ? 1 : 3), is_cropped(data["fit"] != "stretch") {
    if (data["size"].is_null() && !data["fit"].is_null())
      throw DataError("fit", "'fit' has no effect without 'size'", "add size: [height, width], or remove it");
    if (data["size"].is_null()) return;
    const bool is_square = data["size"].is_number();
    height = (is_square ? data["size"] : data["size"][0]).get<std::int64_t>();
    width = (is_square ? data["size"] : data["size"][1]).get<std::int64_t>();
  }

  Image apply(const Image& image) const {
    if (height == 0 || (image.height == height && image.width == width)) return image;
    return is_cropped ? covering(image, height, width) : resized(image, height, width);
  }
};

/// An image's hash and its bytes as [channels, height, width].
class Reader {
 public:
  Reader(const Form& form, const fs::path& folder) : form_(form), folder_(folder) {}

  Image read(const fs::path& file, std::string& hash) const {
    try {
      const Content content = read_content(file, kMostFileBytes);
      hash = file.lexically_relative(folder_).generic_string() + " " + content.sha256;
      const Image whole = decode_image(content.bytes);
      if (form_.is_cropped && form_.height > 0) refuse_thin(whole);
      return with_channels(form_.apply(whole), form_.channels);
    } catch (const ImageFault& fault) {
      throw DataError("path", fmt::format("'{}' {}", file.string(), fault.what()), "mend or remove it", file.string());
    }
  }

 private:
  /// Before the longer side of a strip becomes endless.
  void refuse_thin(const Image& image) const {
    const double scale =
        std::max(double(form_.height) / double(image.height), double(form_.width) / double(image.width));
    if (scale * double(image.height) * scale * double(image.width) > double(kMostPixels))
      throw ImageFault(
          fmt::format("is too thin ({} x {}) to fill {} x {}", image.height, image.width, form_.height, form_.width));
  }

  const Form& form_;
  const fs::path& folder_;
};

void check_same_size(const Image& image, const ImageSet& set, const fs::path& file) {
  if (image.height == set.height && image.width == set.width) return;
  throw DataError("size",
                  fmt::format("'{}' has {} x {} pixels, but the first image {} x {}", file.string(), image.height,
                              image.width, set.height, set.width),
                  fmt::format("bring all to one size: `size: [{}, {}]`", set.height, set.width), file.string());
}

/// [height, width, channels] -> [channels, height, width].
void store(const Image& image, std::uint8_t* to) {
  const std::int64_t area = image.height * image.width;
  for (std::int64_t c = 0; c < image.channels; ++c) {
    for (std::int64_t i = 0; i < area; ++i) to[c * area + i] = image.pixels[std::size_t(i * image.channels + c)];
  }
}

/// Decodes all files into the set. @return their hashes, in order.
std::vector<std::string> decode_all(const std::vector<fs::path>& files, const Json& data, const fs::path& folder,
                                    ImageSet& set) {
  const Form form(data);
  const Reader reader(form, folder);
  std::vector<std::string> hashes(files.size());
  const Image first = reader.read(files.at(0), hashes[0]);
  set.channels = form.channels;
  set.height = first.height;
  set.width = first.width;
  const std::size_t each = first.pixels.size();
  if (files.size() > kMostBytes / each)
    throw DataError("size", fmt::format("{} images of {} bytes are too much", files.size(), each), "a smaller `size`");
  set.pixels.resize(files.size() * each);
  for_each_index(std::int64_t(files.size()), [&](std::int64_t i) {
    const Image image = reader.read(files[std::size_t(i)], hashes[std::size_t(i)]);
    check_same_size(image, set, files[std::size_t(i)]);
    store(image, set.pixels.data() + std::size_t(i) * each);
  });
  return hashes;
}

/// Adds what the limit leaves of a split. @return how many.
std::int64_t add(const Listing& listing, const Json& limit, std::uint64_t seed, ImageSet& set,
                 std::vector<fs::path>& files) {
  const std::vector<std::int64_t> rows = limited(listing.labels, limit, seed);
  for (const std::int64_t row : rows) {
    set.labels.push_back(listing.labels[std::size_t(row)]);
    files.push_back(listing.files[std::size_t(row)]);
  }
  return std::int64_t(rows.size());
}

Dataset load_images(const Json& data, const Sources& sources, std::uint64_t seed) {
  const Source& source = sources[0];
  const Roots roots = roots_of(source.file);
  ImageSet set;
  set.class_names = class_names_of(roots.train);
  const Listing train = list_split(roots.train, set.class_names, source);
  const Listing val = list_split(roots.val, set.class_names, source);
  const Listing test = list_split(roots.test, set.class_names, source);
  if (test.files.empty() && !data["limit_test"].is_null())
    throw DataError("limit_test", "'limit_test' has no effect: there is no folder 'test'", "remove it");
  std::vector<fs::path> files;
  add(train, data["limit"], split_seed(data, seed), set, files);
  set.val = add(val, nullptr, 0, set, files);
  set.test = add(test, data["limit_test"], split_seed(data, seed), set, files);
  const std::vector<std::string> hashes = decode_all(files, data, source.file, set);
  set.sha256 = content_hash(data, sources, hashes);
  return finish_images(std::move(set), data, seed);
}

}  // namespace

Format image_folder_format() {
  DataKind kind{
      "image_folder",
      {{.name = "path",
        .type = "string",
        .required = true,
        .text = "a folder with a folder for each class, or with train, and val or test, that have them",
        .is_path = true},
       {.name = "size",
        .type = "int-or-pair",
        .low = 1,
        .high = 4096,
        .text = "[height, width] of every image, or one number for both; default: as they are, if all are alike"},
       {.name = "fit",
        .type = "enum:crop|stretch",
        .text = "crop (default): resized so that it covers `size`, then the middle; stretch: both sides alone"},
       {.name = "colour", .type = "enum:rgb|grey", .fallback = "rgb", .text = "three channels or one"}},
      "images in a folder for each class, JPEG and PNG"};
  for (Option& option : pixel_options()) kind.options.push_back(std::move(option));
  for (Option& option : limit_options()) kind.options.push_back(std::move(option));
  return {std::move(kind), SplitBy::parts, find_images, load_images};
}

}  // namespace dlrun::dataset
