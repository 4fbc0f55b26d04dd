// SPDX-License-Identifier: Apache-2.0
#include "data_set.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace hdf5 {

using dlrun::plugin::Array;
using dlrun::plugin::DataFault;
using dlrun::plugin::Type;

namespace {

constexpr std::size_t kMostNames = 10;

/// Refuses links into other files while it lives: a data set is then always of the file whose hash dlrun knows.
herr_t refuse_external(const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) { return -1; }

Handle access_by_links() {
  Handle access(H5Pcreate(H5P_LINK_ACCESS), H5Pclose, "make a property list");
  H5Pset_elink_cb(access, refuse_external, nullptr);
  return access;
}

/// Whether a step of the path is a link into another file.
bool leads_out(hid_t file, const std::string& path, hid_t access) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    H5L_info_t info;
    if (H5Lget_info(file, path.substr(0, end).c_str(), &info, access) < 0) return false;
    if (info.type == H5L_TYPE_EXTERNAL) return true;
    if (end == std::string::npos) return false;
  }
}

struct Names {
  std::vector<std::string> all;
};

herr_t add_name(hid_t, const char* name, const H5O_info_t* info, void* names) {
  if (info->type == H5O_TYPE_DATASET) static_cast<Names*>(names)->all.push_back(std::string("/") + name);
  return static_cast<Names*>(names)->all.size() > kMostNames ? 1 : 0;
}

/// "there are /images, /labels"
std::string names_there(hid_t file) {
  Names names;
  H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, add_name, &names, H5O_INFO_BASIC);
  if (names.all.empty()) return "the file has no data set";
  std::string text = "there are ";
  for (std::size_t i = 0; i < std::min(names.all.size(), kMostNames); ++i) text += (i > 0 ? ", " : "") + names.all[i];
  return text + (names.all.size() > kMostNames ? ", …" : "");
}

Handle open_object(hid_t file, const std::string& path, const std::string& key) {
  const Handle access = access_by_links();
  if (leads_out(file, path, access))
    throw DataFault(key, "'" + path + "' is a link into another file, which would not count in the data's hash",
                    "copy that file's data set into this one, e.g. by h5repack or h5copy");
  const hid_t object = H5Oopen(file, path.c_str(), access);
  if (object < 0) throw DataFault(key, "there is no data set '" + path + "'", names_there(file));
  return {object, H5Oclose, "open '" + path + "'"};
}

/// @throws DataFault where the numbers lie in other files: external storage, a virtual data set
void require_own_storage(hid_t set, const std::string& path, const std::string& key) {
  const Handle made(H5Dget_create_plist(set), H5Pclose, "read how '" + path + "' is stored");
  if (H5Pget_layout(made) == H5D_VIRTUAL || H5Pget_external_count(made) > 0)
    throw DataFault(key, "'" + path + "' has its numbers in other files, which would not count in the data's hash",
                    "copy them into one file, e.g. by h5repack");
}

std::vector<std::int64_t> shape_of(hid_t set, const std::string& path, const std::string& key) {
  const Handle space(H5Dget_space(set), H5Sclose, "read the shape of '" + path + "'");
  const int rank = H5Sget_simple_extent_ndims(space);
  if (H5Sget_simple_extent_type(space) != H5S_SIMPLE || rank < 1)
    throw DataFault(key, "'" + path + "' is a single value", "the first size is the number of examples");
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
  return {sizes.begin(), sizes.end()};
}

/// @throws std::length_error beyond what any memory has
std::size_t count_of(const std::vector<std::int64_t>& shape) {
  std::size_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, static_cast<std::size_t>(size), &count) ||
        count > std::size_t(1) << 48)
      throw std::length_error("too many numbers");
  }
  return count;
}

void read_into(hid_t set, hid_t type, void* bytes, const std::string& path) {
  if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) < 0)
    throw std::runtime_error("cannot read '" + path + "': " + last_fault());
}

/// A type of numbers here, and the memory's name for it.
struct Native {
  Type type;
  hid_t id;
};

Native whole_of(std::size_t size, bool is_signed) {
  if (size == 1) return is_signed ? Native{Type::i8, H5T_NATIVE_INT8} : Native{Type::u8, H5T_NATIVE_UINT8};
  if (size == 2) return is_signed ? Native{Type::i16, H5T_NATIVE_INT16} : Native{Type::u16, H5T_NATIVE_UINT16};
  if (size <= 4) return is_signed ? Native{Type::i32, H5T_NATIVE_INT32} : Native{Type::u32, H5T_NATIVE_UINT32};
  return is_signed ? Native{Type::i64, H5T_NATIVE_INT64} : Native{Type::u64, H5T_NATIVE_UINT64};
}

/// Boolean values of h5py are an enumeration of FALSE and TRUE.
bool is_boolean(hid_t type) {
  char name[8];
  const signed char zero = 0, one = 1;
  return H5Tget_class(type) == H5T_ENUM && H5Tget_size(type) == 1 && H5Tget_nmembers(type) == 2 &&
         H5Tenum_nameof(type, &zero, name, sizeof name) >= 0 && std::strcmp(name, "FALSE") == 0 &&
         H5Tenum_nameof(type, &one, name, sizeof name) >= 0 && std::strcmp(name, "TRUE") == 0;
}

/// @throws DataFault for types that hold neither whole numbers nor reals
Native native_of(hid_t type, const std::string& path, const std::string& key) {
  const std::size_t size = H5Tget_size(type);
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      if (size <= 8) return whole_of(size, H5Tget_sign(type) == H5T_SGN_2);
      break;
    case H5T_FLOAT:  // half precision becomes single: all its numbers are
      if (size <= 4) return {Type::f32, H5T_NATIVE_FLOAT};
      if (size <= 8) return {Type::f64, H5T_NATIVE_DOUBLE};
      break;
    default: break;
  }
  throw DataFault(key, "'" + path + "' holds neither numbers nor texts",
                  "whole numbers and reals of at most 8 bytes, and strings");
}

Array read_numbers(hid_t set, const Native& native, std::vector<std::int64_t> shape, const std::string& path) {
  Array array{native.type, std::move(shape), {}, {}};
  array.bytes.resize(count_of(array.shape) * dlrun::plugin::size_of(native.type));
  read_into(set, native.id, array.bytes.data(), path);
  return array;
}

Array read_booleans(hid_t set, hid_t type, std::vector<std::int64_t> shape, const std::string& path) {
  const Handle memory(H5Tget_native_type(type, H5T_DIR_ASCEND), H5Tclose, "take the type of '" + path + "'");
  return read_numbers(set, {Type::boolean, memory}, std::move(shape), path);
}

/// Texts of one length: they end at a NUL or, padded, with spaces.
std::vector<std::string> fixed_texts(hid_t set, hid_t type, std::size_t count, const std::string& path) {
  const std::size_t size = H5Tget_size(type);
  std::vector<char> bytes(count * size);
  read_into(set, type, bytes.data(), path);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text(bytes.data() + i * size, size);
    text.resize(std::strlen(text.c_str()));
    if (H5Tget_strpad(type) == H5T_STR_SPACEPAD) text.resize(text.find_last_not_of(' ') + 1);
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::string> variable_texts(hid_t set, hid_t type, std::size_t count, const std::string& path) {
  std::vector<char*> lent(count);
  read_into(set, type, lent.data(), path);
  std::vector<std::string> texts;
  for (const char* text : lent) texts.emplace_back(text == nullptr ? "" : text);
  const Handle space(H5Dget_space(set), H5Sclose, "read the shape of '" + path + "'");
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, lent.data());
  return texts;
}

Array read_texts(hid_t set, hid_t stored, std::vector<std::int64_t> shape, const std::string& path) {
  const std::size_t count = count_of(shape);
  const Handle type(H5Tcopy(stored), H5Tclose, "take the type of '" + path + "'");
  std::vector<std::string> texts =
      H5Tis_variable_str(type) > 0 ? variable_texts(set, type, count, path) : fixed_texts(set, type, count, path);
  return {Type::text, std::move(shape), {}, std::move(texts)};
}

}  // namespace

Array read_data_set(hid_t file, const std::string& path, const std::string& key) {
  const Handle set = open_object(file, path, key);
  if (H5Iget_type(set) != H5I_DATASET)
    throw DataFault(key, "'" + path + "' is a group or a type, no data set", names_there(file));
  require_own_storage(set, path, key);
  std::vector<std::int64_t> shape = shape_of(set, path, key);
  const Handle type(H5Dget_type(set), H5Tclose, "read the type of '" + path + "'");
  if (H5Tget_class(type) == H5T_STRING) return read_texts(set, type, std::move(shape), path);
  if (is_boolean(type)) return read_booleans(set, type, std::move(shape), path);
  return read_numbers(set, native_of(type, path, key), std::move(shape), path);
}

}  // namespace hdf5
