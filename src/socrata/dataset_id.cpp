#include "adit/socrata/dataset_id.h"

#include "adit/base/json_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace adit::socrata {
namespace {

constexpr std::size_t kLength = 9;       // kzjm-xkqj
constexpr std::size_t kDash = 4;         // its place
constexpr std::size_t kShownBytes = 60;  // of a refused text in the message

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_id(std::string_view text) {
  return text.size() == kLength && text[kDash] == '-' && std::all_of(text.begin(), text.begin() + kDash, is_word) &&
         std::all_of(text.begin() + kDash + 1, text.end(), is_word);
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// The last id that stands as a word of its own: an address ends in it, and words of a title come before.
std::string id_within(std::string_view text) {
  const std::string lower = lower_case(text);
  const auto joins = [&](std::size_t at) { return at < lower.size() && (is_word(lower[at]) || lower[at] == '-'); };
  auto dash = lower.rfind('-');
  while (dash != std::string::npos && dash >= kDash) {
    const std::size_t begin = dash - kDash;
    const auto candidate = std::string_view(lower).substr(begin, kLength);
    if (is_id(candidate) && !joins(begin + kLength) && (begin == 0 || !joins(begin - 1))) return std::string(candidate);
    dash = lower.rfind('-', dash - 1);
  }
  return {};
}

std::string shown(std::string_view text) {
  const std::string clean = to_valid_utf8(text);
  const auto prefix = utf8_prefix(clean, kShownBytes);
  return json_string(prefix.size() == clean.size() ? clean : std::string(prefix) + "…");
}

}  // namespace

Result<DatasetId> DatasetId::parse(std::string_view text) {
  if (is_id(text)) return DatasetId(std::string(text));
  Error error{.code = ErrorCode::validation,
              .reason = "invalid_id",
              .message = fmt::format("{} is not a dataset id.", shown(text)),
              .hint = "An id has nine characters, such as kzjm-xkqj, in lower case; a dataset search gives it."};
  if (auto inner = id_within(text); !inner.empty()) {
    error.hint = fmt::format("Pass the nine characters of the id alone, in lower case: {}.", inner);
    error.nearest.push_back(std::move(inner));
  }
  return error;
}

}  // namespace adit::socrata
