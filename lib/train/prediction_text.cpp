// SPDX-License-Identifier: Apache-2.0
// Predictions as lines: CSV and JSON lines.
#include <fmt/format.h>

#include <cmath>

#include "train/prediction_writer.hpp"
#include "util/json.hpp"

namespace dlrun::train {

namespace {

/// RFC 4180: quoted where a comma, a quote or a line end would break the row.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string in_json(const std::string& text) { return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string digits(double number, bool is_double) {
  return is_double ? fmt::format("{}", number) : fmt::format("{}", float(number));
}

/// Rows of cells, in either form.
class TextWriter : public PredictionWriter {
 public:
  TextWriter(AllColumns columns, const trial::PredictionFile& file) : columns_(std::move(columns)), file_(file) {}

  void add_examples(const dataset::Fresh& facts, std::size_t first, const std::vector<at::Tensor>& outputs) override {
    if (number_ == 0) begin(facts);
    const std::int64_t count = outputs.at(columns_.front().output).size(0);
    for (std::int64_t row = 0; row < count; ++row, ++number_) {
      add_ids(facts, first + std::size_t(row));
      for (const PredictionColumns& columns : columns_) add_output(columns, outputs[columns.output], row);
      end_row();
    }
    file_.append(text_);
    text_.clear();
  }
  void finish() override {}

 protected:
  const AllColumns& columns() const { return columns_; }
  void put(const std::string& text) { text_ += text; }

 private:
  virtual void begin(const dataset::Fresh& facts) = 0;
  virtual void add_number(const std::string& name, double number, bool is_double) = 0;
  /// @param label  nullptr: none is predicted
  virtual void add_class(const std::string& name, const std::string* label) = 0;
  /// @param is_number  of a known one
  virtual void add_id(const std::string& name, const std::string& text, bool is_number) = 0;
  virtual void end_row() = 0;

  void add_ids(const dataset::Fresh& facts, std::size_t row) {
    if (facts.ids.empty()) add_id("row", fmt::format("{}", number_), true);
    for (const dataset::IdColumn& id : facts.ids) add_id(id.name, id.cells[row], id.is_number);
  }
  void add_output(const PredictionColumns& columns, const at::Tensor& output, std::int64_t row) {
    if (!columns.classes.empty()) add_class(columns.prefix + "class", columns.class_of(output, row));
    columns.read(output, row, numbers_);
    for (std::size_t i = 0; i < columns.names.size(); ++i)
      add_number(columns.prefix + columns.names[i], numbers_[i], columns.is_double());
  }

  AllColumns columns_;
  const trial::PredictionFile& file_;
  std::string text_;
  std::vector<double> numbers_;
  std::int64_t number_ = 0;  ///< number of the next example
};

class Csv final : public TextWriter {
 public:
  using TextWriter::TextWriter;

 private:
  void begin(const dataset::Fresh& facts) override {
    if (facts.ids.empty()) put_cell("row");
    for (const dataset::IdColumn& id : facts.ids) put_cell(cell(id.name));
    for (const PredictionColumns& one : columns()) {
      if (!one.classes.empty()) put_cell(cell(one.prefix + "class"));
      for (const std::string& name : one.names) put_cell(cell(one.prefix + name));
    }
    end_row();
  }
  void add_number(const std::string&, double number, bool is_double) override { put_cell(digits(number, is_double)); }
  void add_class(const std::string&, const std::string* label) override { put_cell(label ? cell(*label) : ""); }
  void add_id(const std::string&, const std::string& text, bool) override { put_cell(cell(text)); }
  void end_row() override {
    put("\n");
    is_first_ = true;
  }
  void put_cell(const std::string& text) {
    if (!is_first_) put(",");
    put(text);
    is_first_ = false;
  }

  bool is_first_ = true;
};

class JsonLines final : public TextWriter {
 public:
  using TextWriter::TextWriter;

 private:
  void begin(const dataset::Fresh&) override {}
  void add_number(const std::string& name, double number, bool is_double) override {
    put_entry(name, std::isfinite(number) ? digits(number, is_double) : "null");
  }
  void add_class(const std::string& name, const std::string* label) override {
    put_entry(name, label ? in_json(*label) : "null");
  }
  void add_id(const std::string& name, const std::string& text, bool is_number) override {
    put_entry(name, text.empty() ? "null" : is_number ? text : in_json(text));
  }
  void end_row() override {
    put("}\n");
    is_first_ = true;
  }
  void put_entry(const std::string& name, const std::string& value) {
    put((is_first_ ? "{" : ", ") + in_json(name) + ": " + value);
    is_first_ = false;
  }

  bool is_first_ = true;
};

}  // namespace

std::unique_ptr<PredictionWriter> csv_writer(AllColumns columns, const trial::PredictionFile& file) {
  return std::make_unique<Csv>(std::move(columns), file);
}

std::unique_ptr<PredictionWriter> jsonl_writer(AllColumns columns, const trial::PredictionFile& file) {
  return std::make_unique<JsonLines>(std::move(columns), file);
}

}  // namespace dlrun::train
