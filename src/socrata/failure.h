// What an answer that is not the wanted one means: behaviour of the failures, one table. Pure: no request is made here.
#pragma once

#include "adit/base/error.h"
#include "adit/socrata/upstream.h"

#include <optional>
#include <string>

namespace adit::socrata {

enum class AskedFor { rows, metadata, catalog };

struct Asked {
  AskedFor kind = AskedFor::rows;
  std::string host;             // as the caller named it
  std::string dataset_id = {};  // "" for the catalog
};

// A status other than 2xx.
Error failure_of_status(const Asked& asked, const UpstreamAnswer& answer);

// A 2xx whose body is not what was asked for.
Error failure_of_body(const Asked& asked, const UpstreamAnswer& answer);

// other_json or not_json.
BodyIs kind_of_other_body(std::string_view body);

// No answer: the transfer's own error in the words of the tools.
Error failure_of_transfer(const Asked& asked, Error error);

// The portal does not let rows be ordered by :id.
bool refuses_id(const Error& error);

// The body of a SODA error, in any of its shapes.
struct SodaError {
  std::string message;  // without the echo of the query
  std::string code;     // "query.soql.no-such-column"; "" when it has none
  std::string column;   // that the code is about
  bool marked = false;  // it says error: true, or has a code
};
std::optional<SodaError> parse_soda_error(std::string_view body);

// Hints for a SoQL query that the portal refused, by its code and words.
std::string soql_hint(const SodaError& error);

}  // namespace adit::socrata
