// SPDX-License-Identifier: Apache-2.0
#include "document/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "document/parse.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::document {

namespace fs = std::filesystem;

Node merge(Node base, Node over) {
  if (!base.is_map() || !over.is_map()) return over;
  for (Entry& entry : over.entries) {
    Entry* known = base.find_entry(entry.key);
    if (known == nullptr) {
      base.entries.push_back(std::move(entry));
    } else if (entry.value.is_null()) {
      base.entries.erase(base.entries.begin() + (known - base.entries.data()));
    } else {
      known->value = merge(std::move(known->value), std::move(entry.value));
      known->key_span = entry.key_span;
    }
  }
  base.span = over.span;
  base.is_broken = base.is_broken || over.is_broken;
  return base;
}

namespace {

constexpr int kMaxFiles = 100;
constexpr std::size_t kMaxChain = 16;

class Loader {
 public:
  Loader(const LoadOptions& options, Diagnostics& faults) : options_(options), faults_(faults) {}

  Loaded load_file() {
    Loaded out;
    if (!admits(options_.file))
      throw Error(ErrorKind::usage, quote(options_.file.string()) + " lies outside of the folders that may be read",
                  "name a file below the root, without links that lead out");
    out.text = options_.text ? *options_.text : read_file(options_.file, kMaxBytes + 1);
    chain_ = {absolute(options_.file)};
    out.root = read(options_.file, out.text);
    if (is_circular_) out.root.reset();  // keys that the circle keeps out would seem to be missing
    return out;
  }

 private:
  static fs::path absolute(const fs::path& path) {
    std::error_code fault;
    const fs::path real = fs::weakly_canonical(path, fault);
    return fault ? fs::absolute(path) : real;
  }

  bool admits(const fs::path& path) const { return !options_.fence || options_.fence->admits(path); }

  std::optional<Node> read(const fs::path& path, const std::string& text) {
    const Source source = make_source(path.string(), absolute(path).parent_path(), files_++, text, faults_);
    if (!source) return std::nullopt;
    std::optional<Node> root = parse(source, faults_);
    if (!root) return std::nullopt;
    if (root->is_null()) {
      faults_.error(root->span, "the file is empty", "`dlrun init` writes a study to begin with");
      return std::nullopt;
    }
    if (!root->is_map()) {
      faults_.error(root->span, "a map of keys is needed here, not " + describe(*root), "write name: value");
      return std::nullopt;
    }
    return extend(std::move(*root), path);
  }

  /// Resolves every `extends:` at and below `node`, which was written in `path`.
  Node extend(Node node, const fs::path& path) {
    for (Node& item : node.items) item = extend(std::move(item), path);
    for (Entry& entry : node.entries) {
      if (entry.key != "extends") entry.value = extend(std::move(entry.value), path);
    }
    const Entry* entry = node.find_entry("extends");
    if (entry == nullptr) return node;
    const Node names = entry->value;
    std::erase_if(node.entries, [](const Entry& e) { return e.key == "extends"; });
    Node base;
    base.kind = Node::Kind::map;
    for (const Node& name : list_of(names)) {
      std::optional<Node> piece = read_piece(name, path);
      node.is_broken = node.is_broken || !piece;
      if (piece) base = merge(std::move(base), std::move(*piece));
    }
    return check_size(merge(std::move(base), std::move(node)));
  }

  static std::vector<Node> list_of(const Node& names) {
    return names.is_list() ? names.items : std::vector<Node>{names};
  }

  std::optional<Node> read_piece(Node name, const fs::path& from) {
    substitute(name, options_.environment, faults_);
    if (!name.is_scalar() || name.text.empty()) {
      faults_.error(name.span, "extends needs the name of a file or a list of names, not " + describe(name));
      return std::nullopt;
    }
    const std::optional<fs::path> path = find(name, from);
    if (!path || !enter(name, *path)) return std::nullopt;
    std::optional<Node> piece;
    try {
      piece = read(*path, read_file(*path, kMaxBytes + 1));
    } catch (const Error& fault) {
      faults_.error(name.span, fault.what(), fault.hint());
    }
    chain_.pop_back();
    return piece;
  }

  std::optional<fs::path> find(const Node& name, const fs::path& from) {
    std::vector<fs::path> folders{from.parent_path()};
    folders.insert(folders.end(), options_.pieces.begin(), options_.pieces.end());
    std::string looked;
    for (const fs::path& folder : folders) {
      for (const char* end : {"", ".yaml"}) {
        const fs::path path = (folder / (name.text + end)).lexically_normal();
        std::error_code fault;
        if (admits(path) && fs::is_regular_file(path, fault)) return path;
      }
      looked += (looked.empty() ? "" : ", ") + quote(folder.empty() ? "." : folder.string());
    }
    faults_.error(name.span, "there is no file " + quote(name.text) + " to extend", "looked in " + looked);
    return std::nullopt;
  }

  /// Puts the file on the chain; false where that would never end.
  bool enter(const Node& name, const fs::path& path) {
    const fs::path real = absolute(path);
    if (std::find(chain_.begin(), chain_.end(), real) != chain_.end()) {
      std::string chain;
      for (const fs::path& link : chain_) chain += link.filename().string() + " -> ";
      faults_.error(name.span, "extends goes in a circle: " + chain + real.filename().string());
      is_circular_ = true;
      return false;
    }
    if (files_ >= kMaxFiles || chain_.size() >= kMaxChain) {
      faults_.error(name.span,
                    fmt::format("extends reads more than {} files or nests deeper than {}", kMaxFiles, kMaxChain));
      return false;
    }
    chain_.push_back(real);
    return true;
  }

  static std::size_t size_of(const Node& node) {
    std::size_t size = 1;
    for (const Node& item : node.items) size += size_of(item);
    for (const Entry& entry : node.entries) size += size_of(entry.value);
    return size;
  }

  Node check_size(Node node) {
    if (size_of(node) <= kMaxNodes) return node;
    faults_.error(node.span, fmt::format("with what it extends, the file has more than {} values", kMaxNodes));
    return {};
  }

  const LoadOptions& options_;
  Diagnostics& faults_;
  int files_ = 0;
  bool is_circular_ = false;
  std::vector<fs::path> chain_;  ///< files being read, the study first
};

}  // namespace

Loaded load(const LoadOptions& options, Diagnostics& faults) {
  Loaded out = Loader(options, faults).load_file();
  if (!out.root) return out;
  substitute(*out.root, options.environment, faults);
  int order = kMaxFiles + 1;  // after every file
  for (const std::string& set : options.sets) apply_set(*out.root, set, order++, options.environment, faults);
  return out;
}

}  // namespace dlrun::document
