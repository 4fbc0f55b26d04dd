// SPDX-License-Identifier: Apache-2.0
// SQL as people type it: where a statement ends, where its fault is, and words that may come next.
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlrun::report {

/// Splits off the first whole statement, with its semicolon; nullopt: there is none yet.
std::optional<std::string> take_statement(std::string& text);

/// Whether it has nothing but spaces, comments and semicolons.
bool is_blank_statement(const std::string& text);

/// SQLite's words with the place in the statement, and the line with a mark below it.
/// @param at          of the fault, in bytes; negative: unknown
/// @param first_line  number of the statement's first line
std::string at_place(const std::string& words, std::string_view statement, int at, int first_line);

/// Words that a statement may have.
struct SqlWords {
  std::vector<std::pair<std::string, std::vector<std::string>>> tables;  ///< with their columns
  std::vector<std::string> functions;
  std::vector<std::string> keywords;  ///< in small letters
};

/// Tables of these studies, and the functions and keywords of SQLite and of the sandbox.
/// @throws as sql()
SqlWords sql_words(const std::filesystem::path& store, const std::vector<std::string>& studies);

/// Endings of the last word of `before`, each as the whole word, sorted: tables after `from` and `join`, columns of a
/// table after its name and a point, else columns (of tables that the statement names, if it names some), tables,
/// functions with their bracket, and keywords in capitals if the word has some.
std::vector<std::string> sql_completions(const SqlWords& words, std::string_view before);

/// The part of `before` that a completion takes the place of: after the last character that is in no name.
std::string_view last_word(std::string_view before);

}  // namespace dlrun::report
