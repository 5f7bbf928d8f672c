// The scanner and the reader of heads on any bytes: tokens in order and inside the text, a body inside the statement.
#include "gate/statement_head.h"
#include "fuzz/require.h"
#include "gate/sql_scanner.h"

#include "adit/base/json_text.h"

#include <cstdint>

namespace adit::worker {
namespace {

void check_tokens(std::string_view sql) {
  SqlScanner scanner(sql);
  std::size_t end = 0;
  for (auto token = scanner.next(); token.kind != SqlTokenKind::end; token = scanner.next()) {
    FUZZ_REQUIRE(token.begin >= end && token.end > token.begin && token.end <= sql.size());
    if (token.kind == SqlTokenKind::word || token.kind == SqlTokenKind::quoted_name) {
      FUZZ_REQUIRE(name_of(token, sql).size() <= token.end - token.begin);
    }
    end = token.end;
  }
  FUZZ_REQUIRE(scanner.next().kind == SqlTokenKind::end);
}

void check(std::string_view sql) {
  check_tokens(sql);
  const auto bounds = statement_bounds(sql);
  FUZZ_REQUIRE(bounds.begin <= bounds.end && bounds.end <= sql.size());
  if (bounds.next) FUZZ_REQUIRE(*bounds.next > bounds.end && *bounds.next < sql.size());

  const auto statement = sql.substr(bounds.begin, bounds.end - bounds.begin);
  const auto head = read_statement_head(statement);
  if (!head.ok()) {
    const auto& error = head.error();
    FUZZ_REQUIRE(!error.message.empty() && !error.hint.empty());
    FUZZ_REQUIRE(error.position && *error.position >= 0 &&
                 static_cast<std::size_t>(*error.position) <= statement.size());
    FUZZ_REQUIRE(is_valid_utf8(error.message) || !is_valid_utf8(sql));
    return;
  }
  FUZZ_REQUIRE(head->body <= statement.size());
  const bool names = head->kind == HeadKind::create || head->kind == HeadKind::drop;
  FUZZ_REQUIRE(names == !head->name.empty());
  FUZZ_REQUIRE(head->kind == HeadKind::create || head->columns.empty());
}

}  // namespace
}  // namespace adit::worker

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  adit::worker::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
