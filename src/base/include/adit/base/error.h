// The one error type. Made where a failure is understood, passed up unchanged, rendered once at the edge
// (tools/sql_error, mcp/rpc_message). It never holds a request URL, a token or a path outside the user's roots.
#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace adit {

// What the caller can do about a failure, as a JSON-RPC number. The same numbers stand in the results of tools.
enum class ErrorCode : std::int32_t {
  parse_error = -32700,         // the bytes are not JSON
  invalid_request = -32600,     // JSON, but not a request
  method_not_found = -32601,    // no such method in this era
  invalid_params = -32602,      // the call can be repaired by the caller
  internal = -32603,            // our bug: nothing the caller does helps
  unavailable = -32000,         // something outside failed; later may do
  not_found = -32001,           // the named thing does not exist (any more)
  resource_not_found = -32002,  // MCP up to 2025-11-25
  conflict = -32002,            // the same number in the results of tools
  rate_limited = -32003,
  timeout = -32004,
  forbidden = -32005,
  unauthorized = -32006,
  validation = -32007,       // understood and refused: the text says what would be accepted
  configuration = -32008,    // switched off, or set up wrongly, at this server
  header_mismatch = -32020,  // MCP 2026-07-28
  missing_capability = -32021,
  unsupported_version = -32022,
};

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string reason;   // machine word of the contract: "unknown_dataset", "timeout", …
  std::string message;  // what happened, one sentence
  std::string hint;     // what to do next; may be empty
  bool retryable = false;

  // Where in the work a failure of the SQL tools happened: a word of the contract's errorStages.
  std::string stage = {};
  std::optional<std::int64_t> statement_index = {};  // zero-based
  std::optional<std::int64_t> position = {};         // byte offset in the statement's text
  std::vector<std::string> nearest = {};             // names the caller may have meant

  // What else a program may want to know, by the contract's names: the portal's own code, the seconds to wait, ….
  boost::json::object data = {};
};

// A failure that only a defect of ours explains.
Error internal_error(std::string message);

}  // namespace adit
