#include "failure.h"

#include "adit/base/json_fields.h"
#include "adit/base/json_text.h"
#include "retry.h"

#include <fmt/format.h>

namespace adit::socrata {
namespace json = boost::json;
namespace {

constexpr std::size_t kShownToken = 80, kShownMessage = 1'000, kShownBody = 80;
constexpr std::size_t kLargestErrorBody = 64u << 10, kLargestParsed = 1u << 20;

constexpr std::string_view kUnknownDomainHint =
    "It is not the host of a Socrata portal: check its spelling, or take a domain from socrata_list_portals.";

Error make(const Asked& asked, ErrorCode code, std::string reason, std::string message, std::string hint) {
  Error error{.code = code, .reason = std::move(reason), .message = std::move(message), .hint = std::move(hint)};
  error.data["domain"] = asked.host;
  if (!asked.dataset_id.empty()) error.data["dataset_id"] = asked.dataset_id;
  return error;
}

Error unknown_domain(const Asked& asked, std::string why) {
  const bool search = asked.kind == AskedFor::catalog;
  return make(asked, ErrorCode::not_found, "unknown_domain", std::move(why),
              std::string(kUnknownDomainHint) + (search ? " Leave domain out to search all portals." : ""));
}

Error not_found(const Asked& asked) {
  return make(asked, ErrorCode::not_found, "not_found",
              fmt::format("{} has no dataset {}", asked.host, asked.dataset_id),
              "It may belong to another portal: use the domain of the same search result, or search again with "
              "socrata_find_datasets; it may also have been retired.");
}

// Whose failure it is: the catalog's own is not the portal's that was searched.
std::string who(const Asked& asked, const UpstreamAnswer& answer) {
  return asked.kind == AskedFor::catalog ? "The catalog " + answer.host : asked.host;
}

Error unavailable(const Asked& asked, std::string message) {
  auto error = make(asked, ErrorCode::unavailable, "upstream_error", std::move(message), "Try again in a while.");
  error.retryable = true;
  return error;
}

std::string attempts_text(int attempts) { return attempts > 1 ? fmt::format(", after {} attempts", attempts) : ""; }

Error rate_limited(const Asked& asked, const UpstreamAnswer& answer) {
  auto error = make(
      asked, ErrorCode::rate_limited, "rate_limited",
      fmt::format("{} limits how often it is asked (HTTP 429){}", who(asked, answer), attempts_text(answer.attempts)),
      "Wait a little and try again. An app token (SOCRATA_APP_TOKEN) has a limit of its own.");
  error.retryable = true;
  error.data["status"] = 429;
  if (!answer.retry_after.empty()) error.data["retryAfter"] = answer.retry_after;
  return error;
}

Error soql_error(const Asked& asked, const SodaError& soda) {
  auto error = make(asked, ErrorCode::validation, "soql_error", soda.message, soql_hint(soda));
  error.data["socrataCode"] = soda.code;
  if (!soda.column.empty()) error.data["column"] = soda.column;
  return error;
}

Error forbidden(const Asked& asked, const SodaError& soda) {
  if (soda.message.find("non-tabular") != std::string::npos) {
    return make(
        asked, ErrorCode::validation, "not_queryable",
        fmt::format("{} on {} is not a table: it has no rows that can be queried", asked.dataset_id, asked.host),
        "Look at it with socrata_get_dataset, or search with only=\"datasets\" for a table of the same subject.");
  }
  auto error =
      make(asked, ErrorCode::forbidden, "access_denied", soda.message, "The portal does not let the public read this.");
  error.data["status"] = 403;
  return error;
}

// The framework's numbers for statuses without a row of their own.
ErrorCode code_of_status(int status) {
  switch (status) {
    case 402: return ErrorCode::forbidden;
    case 409:
    case 423:
    case 424: return ErrorCode::conflict;
    case 422: return ErrorCode::validation;
    case 501: return ErrorCode::internal;
    default: return ErrorCode::invalid_request;
  }
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// "Expected an expression, but got `GROUP'": what stands between the quotes at the end.
std::string unexpected_token(std::string_view message) {
  const auto got = message.rfind("but got `");
  if (got == std::string_view::npos) return "";
  auto token = message.substr(got + 9);
  token = token.substr(0, token.find('\''));
  return std::string(utf8_prefix(token, kShownToken));
}

std::string malformed_hint(const SodaError& error) {
  const auto token = unexpected_token(error.message);
  for (const std::string_view word : {"GROUP", "SELECT", "WHERE", "ORDER", "LIMIT", "OFFSET", "HAVING", "SEARCH"}) {
    if (token == word && contains(error.message, "Expected an expression")) {
      return fmt::format("{} is a word of SoQL. If a column has that name, write it in back-ticks: `{}`.", word, [&] {
        std::string lower(word);
        for (char& c : lower) c = static_cast<char>(c | 0x20);
        return lower;
      }());
    }
  }
  const bool like_time = token.size() > 1 && token[0] == 'T' && token[1] >= '0' && token[1] <= '9';
  if (like_time) return "Write dates and times in single quotes: date < '2022-01-01T00:00:00.000'.";
  return "Use the API field names (field_name of socrata_get_dataset), not display labels with spaces; then check that "
         "every single quote is closed (an apostrophe in a text is written twice: 'O''Hare').";
}

std::string mismatch_hint(const SodaError& error) {
  std::string hint =
      "Values of Text columns stand in single quotes, those of Number columns do not (year = 2023, name = "
      "'2023'): socrata_get_dataset tells the types.";
  if (contains(error.message, "date_") || contains(error.message, "timestamp")) {
    hint += " A text that holds dates is read with a cast: column::floating_timestamp.";
  }
  return hint + " An alias that equals a column's name hides that column.";
}

}  // namespace

std::string soql_hint(const SodaError& error) {
  if (contains(error.code, "malformed") || contains(error.message, "Could not parse SoQL"))
    return malformed_hint(error);
  if (contains(error.code, "no-such-column")) {
    const auto name = utf8_prefix(error.column, kShownToken);
    return fmt::format(
        "If {} is a column, use its API field name from socrata_get_dataset; if it is a text value, put it "
        "in single quotes.",
        name.empty() ? "the name" : name);
  }
  if (contains(error.code, "type-mismatch")) return mismatch_hint(error);
  if (contains(error.code, "column-not-in-group-bys")) {
    return fmt::format("Name {} in group, or put it inside an aggregate such as max().",
                       error.column.empty() ? "the column" : error.column);
  }
  if (contains(error.code, "no-such-function"))
    return "SoQL has no function of that name: see https://dev.socrata.com/docs/functions/.";
  return "Check the names and the types of the columns with socrata_get_dataset; * cannot stand beside an aggregate.";
}

std::optional<SodaError> parse_soda_error(std::string_view body) {
  if (body.size() > kLargestErrorBody) return std::nullopt;  // no error is that long
  const auto value = parse_json(body, 32);
  const auto* object = value.ok() ? value->if_object() : nullptr;
  if (object == nullptr) return std::nullopt;
  SodaError error;
  error.code = text_or(*object, "errorCode", text_or(*object, "code", ""));
  error.message = text_or(*object, "message", text_or(*object, "error", ""));
  error.marked = boolean_or(*object, "error", false) || !error.code.empty();
  if (error.message.empty()) return std::nullopt;
  if (const auto echo = error.message.find("; position: Map("); echo != std::string::npos) error.message.resize(echo);
  error.message = utf8_prefix(error.message, kShownMessage);
  if (const auto* data = find_field(*object, "data"); data != nullptr && data->is_object()) {
    error.column = text_or(data->get_object(), "column", "");
  }
  return error;
}

Error failure_of_status(const Asked& asked, const UpstreamAnswer& answer) {
  const auto soda = parse_soda_error(answer.body);
  const int status = answer.status;
  if (status == 429) return rate_limited(asked, answer);
  if (status == 404 && asked.kind == AskedFor::catalog) {
    return unknown_domain(asked, fmt::format("The catalog knows no portal {}", asked.host));
  }
  if (status == 404 && soda && soda->marked) return not_found(asked);
  if (status == 404) {
    auto error = unknown_domain(asked, fmt::format("{} does not serve the Socrata API", asked.host));
    if (answer.redirected) error.data["redirectedTo"] = answer.host;
    return error;
  }
  if (status == 403 && soda && soda->marked && asked.kind != AskedFor::catalog) return forbidden(asked, *soda);
  if (status == 403 && asked.kind == AskedFor::catalog) {
    auto error = unavailable(asked, fmt::format("{} refuses the request (HTTP 403)", who(asked, answer)));
    error.retryable = false;
    error.data["status"] = 403;
    return error;
  }
  if (status == 403) {
    auto error = not_found(asked);
    error.data["status"] = 403;
    return error;
  }
  if (status == 400 && soda && !soda->code.empty()) return soql_error(asked, *soda);
  if (status == 400) {
    return make(asked, ErrorCode::invalid_params, "bad_request",
                soda ? soda->message : fmt::format("{} refuses the request (HTTP 400)", asked.host),
                "Check the arguments with socrata_get_dataset.");
  }
  if (status == 401) {
    return make(asked, ErrorCode::unauthorized, "access_denied", fmt::format("{} wants a log-in for this", asked.host),
                "The portal does not let the public read this.");
  }
  if (status == 202) {
    auto error = unavailable(asked, fmt::format("{} is still working on the query", who(asked, answer)));
    error.hint = "Ask the same again in a while, or for less: filter, or select fewer columns.";
    return error;
  }
  if (status == 408 || status == 425 || status == 504) {
    auto error = unavailable(asked, fmt::format("{} did not answer in time (HTTP {}){}", who(asked, answer), status,
                                                attempts_text(answer.attempts)));
    error.code = ErrorCode::timeout;
    error.reason = "timeout";
    error.hint = "Ask for less: add a filter that bounds the rows (a date), or use search instead of many LIKEs.";
    return error;
  }
  if (status >= 500 && status != 501) {
    auto error = unavailable(
        asked, fmt::format("{} has a fault (HTTP {}){}", who(asked, answer), status, attempts_text(answer.attempts)));
    error.data["status"] = status;
    return error;
  }
  const auto hint = status == 414 ? "Ask a shorter query: fewer values in IN (…), or a condition in their place."
                                  : "Check the domain and the id.";
  auto error = make(asked, code_of_status(status), "upstream_error",
                    fmt::format("{} answers HTTP {}", who(asked, answer), status), hint);
  error.data["status"] = status;
  return error;
}

BodyIs kind_of_other_body(std::string_view body) {
  const auto first = body.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return BodyIs::not_json;
  // What is too large to be looked at whole is judged by how it begins.
  const bool is_json = body.size() <= kLargestParsed ? parse_json(body).ok() : body[first] == '{' || body[first] == '[';
  return is_json ? BodyIs::other_json : BodyIs::not_json;
}

Error failure_of_body(const Asked& asked, const UpstreamAnswer& answer) {
  if (answer.redirected) {
    auto error = unknown_domain(
        asked, fmt::format("{} does not serve the Socrata API: it redirected to {}", asked.host, answer.host));
    error.data["redirectedTo"] = answer.host;
    return error;
  }
  if (answer.body_is == BodyIs::not_json) {
    auto message = fmt::format("The answer of {} is not JSON, or not all of it{}", who(asked, answer),
                               attempts_text(answer.attempts));
    // A page of HTML tells nobody anything; other texts may.
    const bool shown =
        !answer.body.empty() && answer.content_type.find("html") == std::string::npos && answer.body.find('<') != 0;
    if (shown)
      message += fmt::format(
          "; it begins with {}",
          json_string(utf8_prefix(to_valid_utf8(std::string_view(answer.body).substr(0, 4 * kShownBody)), kShownBody)));
    return unavailable(asked, std::move(message));
  }
  if (asked.kind == AskedFor::metadata) return not_found(asked);
  return unknown_domain(asked, fmt::format("{} answers with something else than Socrata data", who(asked, answer)));
}

Error failure_of_transfer(const Asked& asked, Error error) {
  const bool catalog = asked.kind == AskedFor::catalog;
  for (const std::string_view ready : {"unknown_domain", "cancelled", "rate_limited"}) {
    if (error.reason == ready) return error;
  }
  if (error.reason == "host_not_found" && !catalog) return unknown_domain(asked, std::move(error.message));
  if (error.reason == "address_not_allowed") {
    return make(asked, ErrorCode::validation, "invalid_domain", std::move(error.message),
                "Only hosts on the public internet are asked; a host of your own is named with --portal-map.");
  }
  if (error.reason == "body_too_large") {
    return make(asked, ErrorCode::validation, "answer_too_large", std::move(error.message),
                "Ask for fewer rows (limit), or select fewer columns.");
  }
  const bool may_pass = error.retryable || error.reason == "host_not_found";
  auto failure = unavailable(asked, std::move(error.message));
  if (!may_pass) {
    failure.retryable = false;
    failure.hint = "Nothing the caller can do mends this: the host's certificate, or what stands between, is at fault.";
  }
  if (error.reason == "timed_out") {
    failure.code = ErrorCode::timeout;
    failure.reason = "timeout";
    failure.hint = "Ask for less: add a filter that bounds the rows (a date), or use search instead of many LIKEs.";
  }
  return failure;
}

bool refuses_id(const Error& error) {
  const bool names_id = text_or(error.data, "column", "") == ":id";
  return (error.reason == "soql_error" && names_id) || contains(error.message, "Unrecognized arguments");
}

}  // namespace adit::socrata
