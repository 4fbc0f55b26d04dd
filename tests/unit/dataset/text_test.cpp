// SPDX-License-Identifier: Apache-2.0
// op: text and text_classes: vocabularies, windows, padding; byte pairs against a plain program in Python
// (tests/golden/text/make.py).
#include <algorithm>

#include "dataset/text/vocabulary.hpp"
#include "files.hpp"
#include "support/catch.hpp"
#include "util/files.hpp"

namespace text_test {

using namespace dlrun;
using namespace dlrun::dataset;
using Catch::Matchers::Contains;

namespace {

using Tokens = std::vector<std::int32_t>;

Dataset load_section(const DataFolder& folder, const std::string& text) {
  return load(section(text.c_str()), folder.where(), 7);
}

std::string fault_of(const DataFolder& folder, const std::string& text) {
  try {
    load_section(folder, text);
  } catch (const DataError& fault) {
    return fault.path() + ": " + fault.what() + " | " + fault.hint() + " | " + fault.place();
  }
  return "no fault";
}

Json vocabulary_section(const std::string& kind, const Json& size = nullptr, const Json& min_count = nullptr,
                        const Json& lowercase = nullptr) {
  return {{"kind", kind}, {"size", size}, {"min_count", min_count}, {"lowercase", lowercase}};
}

Tokens encoded(const Vocabulary& vocabulary, std::string_view text) {
  Tokens tokens;
  vocabulary.encode(text, tokens);
  return tokens;
}

/// One byte for each of U+0000 to U+00FF, as the expected file has bytes.
std::string latin(const std::string& utf8) {
  std::string bytes;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto c = static_cast<unsigned char>(utf8[i]);
    bytes += c < 0x80 ? utf8[i] : static_cast<char>((c & 3) << 6 | (utf8[++i] & 0x3f));
  }
  return bytes;
}

}  // namespace

TEST_CASE("words are numbered by how often they are seen", "[dataset][text]") {
  const std::string text = "the cat, the dog; The cat sat the";
  const auto words = make_vocabulary(vocabulary_section("word"), {text});
  CHECK(words->names() ==
        std::vector<std::string>{"(padding)", "(unknown)", "the", "cat", ",", ";", "The", "dog", "sat"});
  CHECK(encoded(*words, "the bird sat") == Tokens{2, kUnknown, 8});
  const auto few = make_vocabulary(vocabulary_section("word", 4, 2, true), {text});
  CHECK(few->names() == std::vector<std::string>{"(padding)", "(unknown)", "the", "cat"});
  CHECK(encoded(*few, "THE CAT sat") == Tokens{2, 3, kUnknown});
}

TEST_CASE("byte pairs are those of a plain program", "[dataset][text]") {
  const std::string golden = DLRUN_SOURCE_DIR "/tests/golden/text/";
  const std::string text = read_file(golden + "text.txt");
  const Json expected = parse_json(read_file(golden + "expected.json"), "expected.json");
  const std::size_t merges = expected["merges"].size();
  const auto pairs = make_vocabulary(vocabulary_section("bpe", 258 + merges), {text}, false);
  REQUIRE(pairs->names().size() == 258 + merges);
  for (std::size_t i = 0; i < merges; ++i)
    CHECK(pairs->names()[258 + i] == token_name(latin(expected["merges"][i].get<std::string>())));
  std::vector<std::string> found, wanted;
  for (const std::int32_t token : encoded(*pairs, text)) found.push_back(pairs->names()[std::size_t(token)]);
  for (const Json& token : expected["tokens"]) wanted.push_back(token_name(latin(token.get<std::string>())));
  CHECK(found == wanted);
}

TEST_CASE("every token of a text predicts the next", "[dataset][text]") {
  const DataFolder folder;
  std::string text;
  for (int i = 0; i < 100; ++i) text += static_cast<char>('a' + i % 26);
  folder.write("t.txt", text);
  const Dataset d = load_section(folder, R"({"op":"text","path":"t.txt","length":8,"step":4,
                                             "split":{"train":0.5,"val":0.3,"test":0.2}})");
  CHECK(d.schema.inputs[0].shape == std::vector<std::int64_t>{8});
  CHECK(d.schema.inputs[0].vocabulary == 258);
  CHECK(d.schema.classes == 258);
  CHECK(d.schema.target_shape == std::vector<std::int64_t>{8});
  for (std::int64_t row = 0; row < d.inputs[0].examples; ++row) {
    for (std::int64_t i = 0; i < 8; ++i) {
      CHECK(d.inputs[0].index(row, i) == 2 + text[std::size_t(4 * row + i)]);
      CHECK(d.targets.index(row, i) == 2 + text[std::size_t(4 * row + i + 1)]);
    }
  }
  // Nine bytes from 4 * row on, all within 0-49, 50-79, 80-99.
  CHECK(d.train.back() == 10);
  CHECK(d.val.front() == 13);
  CHECK(d.val.back() == 17);
  CHECK(d.test.front() == 20);
  CHECK(d.test.back() == 22);
}

TEST_CASE("a vocabulary knows the training part alone", "[dataset][text]") {
  const DataFolder folder;
  std::string text;
  for (int i = 0; i < 80; ++i) text += "early ";
  for (int i = 0; i < 20; ++i) text += "later ";
  folder.write("t.txt", text);
  const Dataset d = load_section(folder, R"({"op":"text","path":"t.txt","length":2,"vocabulary":{"kind":"word"},
                                             "split":{"train":0.8,"val":0.2,"test":0}})");
  CHECK(d.schema.class_names == std::vector<std::string>{"(padding)", "(unknown)", "early"});
  CHECK(d.inputs[0].index(d.val.back(), 0) == kUnknown);
}

TEST_CASE("texts with a class come from a table or from folders", "[dataset][text]") {
  const DataFolder folder;
  std::string table = "review,mood\n";
  for (int i = 0; i < 20; ++i) {
    const bool is_good = i % 2 == 0;
    const std::string text = is_good ? "a good film" : "bad";
    table += '"' + text + "\"," + (is_good ? "pos" : "neg") + "\n";
    folder.write(std::string("texts/") + (is_good ? "pos/" : "neg/") + std::to_string(i) + ".txt", text);
  }
  folder.write("t.csv", table);
  const Dataset t = load_section(folder, R"({"op":"text_classes","path":"t.csv","text":"review","target":"mood",
                                             "length":2,"vocabulary":{"kind":"word"}})");
  const Dataset f = load_section(folder, R"({"op":"text_classes","path":"texts","length":2,
                                             "vocabulary":{"kind":"word"}})");
  for (const Dataset* d : {&t, &f}) {
    CHECK(d->schema.class_names == std::vector<std::string>{"neg", "pos"});
    CHECK(d->schema.train == 14);
    const std::int64_t good = d == &t ? 0 : 19, bad = d == &t ? 1 : 0;
    CHECK(d->targets.index(good) == 1);
    CHECK(d->inputs[0].index(bad, 0) >= 2);
    CHECK(d->inputs[0].index(bad, 1) == kPadding);
    CHECK(d->inputs[0].index(good, 1) >= 2);
  }
}

TEST_CASE("a mark before UTF-8 is no text, and UTF-16 is refused", "[dataset][text]") {
  const DataFolder folder;
  const char* const text = R"({"op":"text","path":"t.txt","length":2,"split":{"train":0.5,"val":0.25,"test":0.25}})";
  folder.write("t.txt", "to be, or not to be, that is it");
  const std::vector<std::int64_t> plain = load_section(folder, text).inputs[0].indices();
  folder.write("t.txt", "\xEF\xBB\xBFto be, or not to be, that is it");
  CHECK(load_section(folder, text).inputs[0].indices() == plain);
  folder.write("t.txt", std::string("\xFF\xFEt\0o\0", 6));
  CHECK_THAT(fault_of(folder, text), Contains("is UTF-16, no UTF-8"));
}

TEST_CASE("faults of texts say what would be right", "[dataset][text]") {
  const DataFolder folder;
  folder.write("t.txt", "hello");
  folder.write("t.csv", "a,b\nx,1\ny,2\n");
  const std::string text = R"({"op":"text","path":"t.txt","length":2)";
  CHECK_THAT(fault_of(folder, text + R"(,"vocabulary":{"size":9}})"), Contains("'size' has no effect with kind: byte"));
  CHECK_THAT(fault_of(folder, text + R"(,"vocabulary":{"kind":"bpe","size":9}})"), Contains("bpe begins with 258"));
  CHECK_THAT(fault_of(folder, text + "}"), Contains("split.val: the share for val holds no whole window of 3 items"));
  CHECK_THAT(fault_of(folder, R"({"op":"text","path":"t.txt","length":9})"), Contains("a window needs 10 tokens"));
  CHECK_THAT(fault_of(folder, R"({"op":"text_classes","path":"t.csv","length":2})"), Contains("needs 'text'"));
  CHECK_THAT(fault_of(folder, text + R"(,"split":{"stratify":true}})"), Contains("has no 'split.stratify'"));
  folder.write("texts/one/1.txt", "x");
  CHECK_THAT(fault_of(folder, R"({"op":"text_classes","path":"texts","length":2})"), Contains("one class only"));
  std::filesystem::create_directories(folder.path() / "texts/two");
  CHECK_THAT(fault_of(folder, R"({"op":"text_classes","path":"texts","length":2})"),
             Contains("the class 'two' is empty"));
  folder.write("texts/two/2.txt", "");
  CHECK_THAT(fault_of(folder, R"({"op":"text_classes","path":"texts","length":2})"), Contains("two/2.txt' is empty"));
}

}  // namespace text_test
