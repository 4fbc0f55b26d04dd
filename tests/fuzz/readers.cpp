// SPDX-License-Identifier: Apache-2.0
// The readers and the good files that damage begins from.
#include "dataset/images/decode.hpp"
#include "files.hpp"
#include "fuzz.hpp"
#include "util/files.hpp"

namespace dlrun::fuzz {

namespace {

using dataset::gzipped;
using dataset::idx_bytes;
using dataset::tar_bytes;

std::string golden(const std::string& name) { return read_file(DLRUN_SOURCE_DIR "/tests/golden/" + name); }

std::string table() {
  std::string text = "age,sex,fare,when,day,y\n";
  for (int i = 0; i < 40; ++i) {
    text += std::to_string(20 + i % 7) + (i % 3 == 0 ? ",male," : ",\"fe,male\",") + (i % 5 == 0 ? "" : "7.25") + "," +
            std::to_string(100 + i) + ",2026-01-" + std::to_string(10 + i % 5) + (i % 2 == 0 ? ",no\n" : ",yes\n");
  }
  return text;
}

std::string sparse_lines() {
  std::string text = "# sparse\n";
  for (int i = 0; i < 40; ++i)
    text += (i % 2 == 0 ? "+1 1:0.5 7:" : "-1 2:-3e-2 7:") + std::to_string(i) + (i % 5 == 0 ? " 12:1 # more\n" : "\n");
  return text;
}

std::string series_table() {
  std::string text = "day,heat,load\n";
  for (int i = 0; i < 40; ++i)
    text += std::to_string(100 + i) + "," + std::to_string(i * 7 % 11) + "," + std::to_string(i) + ".5\n";
  return text;
}

std::string text_table() {
  std::string text = "text,mood\n";
  for (int i = 0; i < 20; ++i) text += i % 2 == 0 ? "\"a good, long film\",pos\n" : "bad film,neg\n";
  return text;
}

std::vector<std::pair<std::string, std::string>> idx_files() {
  std::string pixels, labels;
  for (int i = 0; i < 20 * 12; ++i) pixels += static_cast<char>(i);
  for (int i = 0; i < 20; ++i) labels += static_cast<char>(i % 4);
  return {{"train-images-idx3-ubyte", idx_bytes(0x803, {20, 3, 4}, pixels)},
          {"train-labels-idx1-ubyte", idx_bytes(0x801, {20}, labels)},
          {"t10k-images-idx3-ubyte", gzipped(idx_bytes(0x803, {20, 3, 4}, pixels))},
          {"t10k-labels-idx1-ubyte", idx_bytes(0x801, {20}, labels)}};
}

std::vector<std::pair<std::string, std::string>> cifar_files() {
  std::vector<std::pair<std::string, std::string>> files;
  for (const char* name : {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
                           "data_batch_5.bin", "test_batch.bin"}) {
    std::string bytes;
    for (int i = 0; i < 4; ++i)
      bytes += std::string(1, static_cast<char>(i % 2)) + std::string(3072, static_cast<char>(i));
    files.emplace_back(name, bytes);
  }
  files.emplace_back("batches.meta.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n");
  return files;
}

std::vector<std::pair<std::string, std::string>> image_files() {
  return {{"cat/1.jpg", golden("images/rgb.jpg")},   {"cat/2.jpg", golden("images/progressive.jpg")},
          {"cat/3.png", golden("images/rgb.png")},   {"dog/1.jpg", golden("images/grey.jpg")},
          {"dog/2.png", golden("images/alpha.png")}, {"dog/3.png", golden("images/palette.png")}};
}

Reader decoder(const std::string& name, std::vector<std::string> files) {
  Reader reader{name, {}, "", [](const std::string& bytes) { dataset::decode_image(bytes); }};
  for (const std::string& file : files) reader.files.emplace_back(file, golden("images/" + file));
  return reader;
}

Reader numpy_archive(const std::string& op, const std::string& file) {
  return {file,
          {{file, golden("arrays/" + file)}},
          R"({"op":")" + op + R"(","path":")" + file +
              R"(","inputs":{"x":"features","adjacency":"adjacency"},"targets":"label"})",
          {}};
}

/// New examples for a model that was trained on the reader's good files: one of them once more, under another name.
Reader fresh(Reader reader, const std::map<std::string, std::string>& files, bool needs_targets = true) {
  reader.name += needs_targets ? "_measured" : "_predicted";
  reader.needs_targets = needs_targets;
  const auto good = reader.files;
  for (const auto& [key, file] : files) {
    reader.fresh[key] = "new/" + file;
    for (const auto& [name, bytes] : good) {
      if (name == file) reader.files.emplace_back("new/" + file, bytes);
    }
  }
  return reader;
}

std::vector<Reader> trained_on();

/// Of a reader, by its name, with the keys of its new files. Tables are read otherwise where targets are not needed.
std::vector<Reader> fresh_readers() {
  const std::vector<std::pair<std::string, std::map<std::string, std::string>>> wanted{
      {"csv", {{"path", "t.csv"}}},
      {"csv.gz", {{"path", "t.csv"}}},
      {"svmlight", {{"path", "s.txt"}}},
      {"cifar", {{"path", "test_batch.bin"}}},
      {"npy", {{"inputs", "x.npy"}, {"targets", "y.npy"}}},
      {"deflated.npz", {{"path", "deflated.npz"}}},
      {"tensors.safetensors", {{"path", "tensors.safetensors"}}},
      {"series", {{"path", "s.csv"}}},
      {"series.npy", {{"path", "s.npy"}}},
      {"series.npz", {{"path", "s.npz"}}},
      {"text", {{"path", "t.txt"}}},
      {"text_classes", {{"path", "t.csv"}}}};
  std::vector<Reader> result;
  for (const auto& [name, files] : wanted) {
    for (const Reader& reader : trained_on()) {
      if (reader.name != name) continue;
      result.push_back(fresh(reader, files));
      if (name == "csv" || name == "series" || name == "svmlight") result.push_back(fresh(reader, files, false));
    }
  }
  return result;
}

std::vector<Reader> trained_on() {
  return {
      {"csv", {{"t.csv", table()}}, R"({"op":"csv","path":"t.csv","target":"y","most_categories":10})", {}},
      {"csv.gz", {{"t.csv", gzipped(table())}}, R"({"op":"csv","path":"t.csv","target":"age","impute":"median"})", {}},
      {"csv_tables",
       {{"t.csv", table()}, {"u.csv", table()}},
       R"({"op":"csv","path":"t.csv","test":"u.csv","target":"y","types":{"day":"date"},"unseen":"zero"})",
       {}},
      {"svmlight", {{"s.txt", sparse_lines()}}, R"({"op":"svmlight","path":"s.txt"})", {}},
      {"svmlight_files",
       {{"s.txt", gzipped(sparse_lines())}, {"u.txt", sparse_lines()}},
       R"({"op":"svmlight","path":"s.txt","val":"u.txt","features":20,"scale":2,"standardise":true})",
       {}},
      {"idx", idx_files(), R"({"op":"idx","path":".","standardise":true})", {}},
      {"cifar", cifar_files(), R"({"op":"cifar","path":".","standardise":true})", {}},
      {"cifar.tar", {{"cifar.tar", tar_bytes(cifar_files())}}, R"({"op":"cifar","path":"cifar.tar"})", {}},
      {"image_folder", image_files(), R"({"op":"image_folder","path":".","size":8,"cache":false})", {}},
      decoder("jpeg", {"rgb.jpg", "progressive.jpg", "grey.jpg"}),
      decoder("png", {"rgb.png", "palette.png", "alpha.png", "one_bit.png", "grey_alpha.png"}),
      {"npy",
       {{"x.npy", golden("arrays/little_f4.npy")}, {"y.npy", golden("arrays/labels.npy")}},
       R"({"op":"npy","inputs":"x.npy","targets":"y.npy"})",
       {}},
      numpy_archive("npz", "stored.npz"),
      numpy_archive("npz", "deflated.npz"),
      numpy_archive("safetensors", "tensors.safetensors"),
      {"series",
       {{"s.csv", series_table()}},
       R"({"op":"series","path":"s.csv","target":"load","time":"day","window":3,"fill":"forward"})",
       {}},
      {"series.npy",
       {{"s.npy", dataset::npy_bytes("(20, 2)", std::vector<double>(40, 0.5))}},
       R"({"op":"series","path":"s.npy","target":1,"window":3,"fill":"forward","split":{"train":0.5,"val":0.5}})",
       {}},
      {"series.npz",
       {{"s.npz", golden("arrays/series.npz")}},
       R"({"op":"series","path":"s.npz","target":"load","time":"day","window":3,"split":{"train":0.5,"val":0.5}})",
       {}},
      {"text",
       {{"t.txt", golden("text/text.txt")}},
       R"({"op":"text","path":"t.txt","length":8,"cache":false,"vocabulary":{"kind":"bpe","size":300}})",
       {}},
      {"text_classes",
       {{"t.csv", text_table()}},
       R"({"op":"text_classes","path":"t.csv","text":"text","target":"mood","length":4,"vocabulary":{"kind":"word"}})",
       {}}};
}

}  // namespace

std::vector<Reader> readers() {
  std::vector<Reader> all = trained_on();
  for (Reader& reader : fresh_readers()) all.push_back(std::move(reader));
  return all;
}

}  // namespace dlrun::fuzz
