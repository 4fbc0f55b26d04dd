// SPDX-License-Identifier: Apache-2.0
#include "document/fence.hpp"

#include <algorithm>
#include <functional>
#include <system_error>

namespace dlrun::document {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLongestPath = 4096;  // Linux's PATH_MAX
constexpr std::size_t kMostFolders = 50;    // folders that a tree names, from which paths count

fs::path real(const fs::path& path) {
  std::error_code fault;
  fs::path out = fs::weakly_canonical(fs::absolute(path), fault);
  return fault ? fs::path() : out;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

bool may_be_path(const std::string& text) {
  return !text.empty() && text.size() < kLongestPath && text.find('\0') == std::string::npos;
}

void each_scalar(const Node& node, const std::function<void(const Node&)>& visit) {
  if (node.is_scalar()) visit(node);
  for (const Node& item : node.items) each_scalar(item, visit);
  for (const Entry& entry : node.entries) each_scalar(entry.value, visit);
}

fs::path folder_of(const Node& node) { return node.span.source ? node.span.source->folder : fs::path(); }

}  // namespace

Fence::Fence(const std::vector<fs::path>& folders, Guarded guarded) : guarded_(guarded) {
  for (const fs::path& folder : folders) {
    fs::path path = real(folder);
    if (!path.empty() && !path.has_filename()) path = path.parent_path();  // "/a/" names "/a"
    if (!path.empty()) folders_.push_back(std::move(path));
  }
}

bool Fence::admits(const fs::path& path) const {
  const fs::path there = real(path);
  if (there.empty()) return false;  // a circle of links, or no permission
  return std::any_of(folders_.begin(), folders_.end(), [&](const fs::path& folder) { return is_below(there, folder); });
}

bool Fence::is_left_by(const std::string& text, const std::vector<fs::path>& from) const {
  if (!may_be_path(text)) return false;
  const fs::path path(text);
  if (path.is_absolute()) return !admits(path);
  const bool climbs = std::find(path.begin(), path.end(), "..") != path.end();
  std::error_code fault;
  for (const fs::path& folder : from) {
    const bool counts = climbs || admits(folder) || fs::exists(folder / path, fault);
    if (counts && !admits(folder / path)) return true;
  }
  return false;
}

void require_inside(const Node& root, const Fence& fence, const std::vector<fs::path>& from, Diagnostics& faults) {
  std::vector<fs::path> folders = from;
  each_scalar(root, [&](const Node& node) {
    std::error_code fault;
    for (const fs::path& base : {fs::path(), folder_of(node)}) {
      const fs::path named = base / node.text;
      const bool is_new = may_be_path(node.text) && folders.size() < from.size() + kMostFolders;
      if (is_new && fs::is_directory(named, fault) && fence.admits(named)) folders.push_back(named);
    }
  });
  each_scalar(root, [&](const Node& node) {
    std::vector<fs::path> all = folders;
    all.push_back(folder_of(node));
    if (!fence.is_left_by(node.text, all)) return;
    faults.error(node.span, quote(node.text) + " leads out of the folders that this study may read",
                 "name a file below the root, without links that lead out");
  });
}

}  // namespace dlrun::document
