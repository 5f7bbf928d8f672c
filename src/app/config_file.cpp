#include "config_file.h"

#include "adit/base/nearest_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>

#include <fstream>
#include <optional>
#include <vector>

namespace adit::app {
namespace {

Error config_error(const std::string& path, std::int64_t line, std::string_view what, std::string hint) {
  return Error{.code = ErrorCode::invalid_params,
               .reason = "",
               .message = line > 0 ? fmt::format("{}:{}: {}", path, line, what) : fmt::format("{}: {}", path, what),
               .hint = std::move(hint)};
}

std::optional<std::string> text_of(const toml::node& value) {
  if (const auto* text = value.as_string()) return text->get();
  if (const auto* number = value.as_integer()) return std::to_string(number->get());
  if (const auto* number = value.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* flag = value.as_boolean()) return flag->get() ? "true" : "false";
  return std::nullopt;
}

// A list is an option given several times.
std::optional<std::vector<std::string>> texts_of(const toml::node& value) {
  std::vector<std::string> texts;
  const auto* list = value.as_array();
  if (list == nullptr) {
    auto text = text_of(value);
    if (!text) return std::nullopt;
    return std::vector<std::string>{std::move(*text)};
  }
  for (const auto& element : *list) {
    auto text = text_of(element);
    if (!text) return std::nullopt;
    texts.push_back(std::move(*text));
  }
  return texts;
}

bool is_for_files(const std::string& key) { return key != "config" && key != "help" && key != "version"; }

std::vector<std::string> known_keys(const CLI::App& app) {
  std::vector<std::string> keys;
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) {
      if (is_for_files(name)) keys.push_back(name);
    }
  }
  return keys;
}

Result<void> apply(CLI::App& app, const std::string& path, const std::string& key, const toml::node& value) {
  const auto line = static_cast<std::int64_t>(value.source().begin.line);
  auto* option = app.get_option_no_throw("--" + key);
  if (option == nullptr || !is_for_files(key)) {
    const auto nearest = nearest_names(key, known_keys(app));
    return config_error(
        path, line, fmt::format("there is no option {}", key),
        nearest.empty() ? "adit --help lists the options." : fmt::format("Near: {}.", fmt::join(nearest, ", ")));
  }
  if (option->count() > 0) return {};  // a flag or the environment has set it
  const auto texts = texts_of(value);
  if (!texts) return config_error(path, line, fmt::format("{} is a text, a number or a list of texts", key), "");
  try {
    option->add_result(*texts);
    option->run_callback();
  } catch (const CLI::Error& error) {
    return config_error(path, line, error.what(), fmt::format("adit --help tells what --{} takes.", key));
  }
  return {};
}

}  // namespace

Result<void> apply_config_file(CLI::App& app, const std::string& path) {
  std::ifstream file(path);
  if (!file) return config_error(path, 0, "the configuration file cannot be read", "Name a readable file.");
  try {
    const auto table = toml::parse(file, path);
    for (const auto& [key, value] : table) ADIT_CHECK(apply(app, path, std::string(key.str()), value));
  } catch (const toml::parse_error& error) {
    return config_error(path, static_cast<std::int64_t>(error.source().begin.line), error.description(),
                        "The file is TOML: key = value, texts in quotation marks.");
  }
  return {};
}

}  // namespace adit::app
