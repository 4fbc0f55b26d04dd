// SPDX-License-Identifier: Apache-2.0
#include "dataset/images/folder_images.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "dataset/bytes.hpp"
#include "dataset/content_cache.hpp"
#include "dataset/images/resize.hpp"
#include "dataset/options.hpp"
#include "dataset/parallel.hpp"
#include "util/sha256.hpp"

namespace dlrun::dataset {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFileBytes = std::size_t(256) << 20;
constexpr std::size_t kMostFolderImagesBytes = std::size_t(64) << 30;  ///< size of all images together

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

  std::string hash(const fs::path& file) const { return hash_of(file, read_content(file, kMostFileBytes)); }

  Image read(const fs::path& file, std::string& hash) const {
    try {
      const Content content = read_content(file, kMostFileBytes);
      hash = hash_of(file, content);
      const Image whole = decode_image(content.bytes);
      if (form_.is_cropped && form_.height > 0) refuse_thin(whole);
      return with_channels(form_.apply(whole), form_.channels);
    } catch (const ImageFault& fault) {
      throw DataError("path", fmt::format("'{}' {}", file.string(), fault.what()), "mend or remove it", file.string());
    }
  }

 private:
  std::string hash_of(const fs::path& file, const Content& content) const {
    return file.lexically_relative(folder_).generic_string() + " " + content.sha256;
  }

  /// Rejects a strip before its longer side becomes endless.
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

using Hashes = std::vector<std::string>;

/// Decodes all files into the set. @return their hashes, in order.
Hashes decode_all(const std::vector<fs::path>& files, const Form& form, const Reader& reader, ImageSet& set) {
  Hashes hashes(files.size());
  const Image first = reader.read(files.at(0), hashes[0]);
  set.channels = form.channels;
  set.height = first.height;
  set.width = first.width;
  const std::size_t each = first.pixels.size();
  if (files.size() > kMostFolderImagesBytes / each)
    throw DataError("size", fmt::format("{} images of {} bytes are too much", files.size(), each), "a smaller `size`");
  set.pixels.resize(files.size() * each);
  for_each_index(std::int64_t(files.size()), [&](std::int64_t i) {
    const Image image = reader.read(files[std::size_t(i)], hashes[std::size_t(i)]);
    check_same_size(image, set, files[std::size_t(i)]);
    store(image, set.pixels.data() + std::size_t(i) * each);
  });
  return hashes;
}

Hashes hash_all(const std::vector<fs::path>& files, const Reader& reader) {
  Hashes hashes(files.size());
  for_each_index(std::int64_t(files.size()),
                 [&](std::int64_t i) { hashes[std::size_t(i)] = reader.hash(files[std::size_t(i)]); });
  return hashes;
}

/// Cache key of all that decides the pixels. Raise the version when a decoder or the resizing changes.
std::string image_key(const Hashes& hashes, const Json& data) {
  constexpr int kVersion = 1;
  return Sha256::hex_of(to_text({kVersion, data["size"], data["fit"], data["colour"], hashes}));
}

/// Bytes of the images' size, with which a cached set begins.
constexpr std::size_t kHead = 64;

std::string head_of(const ImageSet& set) {
  std::string head = fmt::format("{} {} {} ", set.channels, set.height, set.width);
  head.resize(kHead, ' ');
  return head;
}

/// @return false where it is not what a set of so many images looks like.
bool use_cached(const Mapped& mapped, std::size_t count, ImageSet& set) {
  if (mapped.size < kHead) return false;
  std::istringstream head(std::string(mapped.text().substr(0, kHead)));
  if (!(head >> set.channels >> set.height >> set.width)) return false;
  if (set.channels < 1 || set.channels > 3 || set.height < 1 || set.width < 1) return false;
  if (set.height > kMostPixels / set.width) return false;
  if (mapped.size - kHead != count * std::size_t(set.channels * set.height * set.width)) return false;
  set.mapped = {mapped.bytes, mapped.bytes.get() + kHead};
  return true;
}

void keep_image(const ContentCache& cache, const ImageSet& set) {
  std::string content = head_of(set);
  content.append(reinterpret_cast<const char*>(set.pixels.data()), set.pixels.size());
  cache.keep(content);
}

}  // namespace

Hashes read_images(const std::vector<fs::path>& files, const fs::path& folder, const Json& data, ImageSet& set) {
  const Form form(data);
  const Reader reader(form, folder);
  if (!uses_cache(data)) return decode_all(files, form, reader, set);
  Hashes hashes = hash_all(files, reader);
  const ContentCache cache("images", image_key(hashes, data), true);
  if (const std::optional<Mapped> found = cache.find(); found && use_cached(*found, files.size(), set)) return hashes;
  Hashes decoded = decode_all(files, form, reader, set);
  if (decoded == hashes) keep_image(cache, set);
  return decoded;
}

}  // namespace dlrun::dataset
