// SPDX-License-Identifier: Apache-2.0
// Predictions as arrays: npy and safetensors. How many examples there are is known at the end, so the header keeps its
// place at the beginning and is written once more.
#include <fmt/format.h>

#include <cstdio>
#include <limits>

#include "train/prediction_writer.hpp"
#include "util/error.hpp"
#include "util/json.hpp"

namespace dlrun::train {

namespace {

using Header = std::string (*)(const AllColumns& columns, std::int64_t examples);
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::size_t bytes_of(const PredictionColumns& columns) { return columns.is_double() ? sizeof(double) : sizeof(float); }

void append(const PredictionColumns& columns, const at::Tensor& output, std::string& bytes) {
  std::vector<double> numbers;
  for (std::int64_t row = 0; row < output.size(0); ++row) {
    columns.read(output, row, numbers);
    for (const double number : numbers) {
      const auto single = static_cast<float>(number);
      bytes.append(
          columns.is_double() ? reinterpret_cast<const char*>(&number) : reinterpret_cast<const char*>(&single),
          bytes_of(columns));
    }
  }
}

/// Bytes that come behind others whose number is not known yet.
class Spill {
 public:
  Spill() : file_(std::tmpfile(), std::fclose) { require(file_ != nullptr); }
  void append(const std::string& bytes) {
    require(std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size());
  }
  void copy_to(const trial::PredictionFile& file) {
    require(std::fflush(file_.get()) == 0);
    std::rewind(file_.get());
    std::string part(std::size_t(1) << 20, '\0');
    for (std::size_t got = 0; (got = std::fread(part.data(), 1, part.size(), file_.get())) > 0;)
      file.append({part.data(), got});
    require(std::ferror(file_.get()) == 0);
  }

 private:
  static void require(bool is_good) {
    if (!is_good) throw Error(ErrorKind::outside, "cannot write a temporary file", "TMPDIR needs room");
  }
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

/// The arrays one behind the other, below a header.
class ArrayWriter final : public PredictionWriter {
 public:
  ArrayWriter(AllColumns columns, const trial::PredictionFile& file, Header header)
      : columns_(std::move(columns)), file_(file), header_(header), spills_(columns_.size() - 1) {
    file_.append(header_(columns_, 0));
  }

  void add_examples(const dataset::Fresh&, std::size_t, const std::vector<at::Tensor>& outputs) override {
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      std::string bytes;
      append(columns_[k], outputs[columns_[k].output], bytes);
      k == 0 ? file_.append(bytes) : spills_[k - 1].append(bytes);
    }
    examples_ += outputs[columns_.front().output].size(0);
  }
  void finish() override {
    for (Spill& spill : spills_) spill.copy_to(file_);
    file_.begin_with(header_(columns_, examples_));
  }

 private:
  AllColumns columns_;
  const trial::PredictionFile& file_;
  Header header_;
  std::vector<Spill> spills_;  ///< one for each array but the first
  std::int64_t examples_ = 0;
};

/// As many bytes for any number of examples: the numbers begin at a multiple of 64.
std::string npy_header(const AllColumns& columns, std::int64_t examples) {
  const PredictionColumns& one = columns.front();
  const auto text = [&](std::int64_t rows) {
    return fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}), }}",
                       one.is_double() ? "<f8" : "<f4", rows, one.names.size());
  };
  constexpr std::size_t kBefore = 10;
  const std::size_t size = (kBefore + text(kMost).size() + 1 + 63) / 64 * 64 - kBefore;
  std::string header = text(examples);
  header.resize(size - 1, ' ');
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(size & 0xff) + static_cast<char>(size >> 8) + header +
         '\n';
}

std::string safetensors_text(const AllColumns& columns, std::int64_t examples) {
  Json header = Json::object(), names = Json::object();
  std::uint64_t at = 0;
  for (const PredictionColumns& one : columns) {
    const std::uint64_t end = at + std::uint64_t(examples) * one.names.size() * bytes_of(one);
    header[one.prefix + one.kind] = {{"dtype", one.is_double() ? "F64" : "F32"},
                                     {"shape", {examples, one.names.size()}},
                                     {"data_offsets", {at, end}}};
    names[one.prefix + one.kind + ".columns"] = to_text(Json(one.names));
    at = end;
  }
  header["__metadata__"] = names;
  return to_text(header);
}

std::string safetensors_header(const AllColumns& columns, std::int64_t examples) {
  constexpr std::size_t kMostDigits = 20;  // in each of three numbers of an array
  std::size_t size = safetensors_text(columns, 0).size() + columns.size() * 3 * kMostDigits;
  size = (size + 63) / 64 * 64 + 56;  // behind eight bytes, so that the numbers begin at a multiple of 64
  std::string header;
  for (int i = 0; i < 8; ++i) header += static_cast<char>(size >> (8 * i));
  header += safetensors_text(columns, examples);
  header.resize(8 + size, ' ');
  return header;
}

}  // namespace

std::unique_ptr<PredictionWriter> npy_writer(AllColumns columns, const trial::PredictionFile& file) {
  if (columns.size() > 1)
    throw Error(ErrorKind::usage, fmt::format("the model has {} outputs, but an npy file one array", columns.size()),
                "--output-format safetensors has one for each; csv and jsonl have columns");
  return std::make_unique<ArrayWriter>(std::move(columns), file, npy_header);
}

std::unique_ptr<PredictionWriter> safetensors_writer(AllColumns columns, const trial::PredictionFile& file) {
  return std::make_unique<ArrayWriter>(std::move(columns), file, safetensors_header);
}

}  // namespace dlrun::train
