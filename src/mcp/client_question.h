// What may be asked of a client, and what an answer to it looks like; the same in both eras (I1, I3, I5).
#pragma once

#include "adit/mcp/dialogue.h"

#include <boost/json.hpp>

#include <vector>

namespace adit::mcp {

// The capabilities that `questions` need and `declared` lacks, as an object of capabilities; empty: all are there.
boost::json::object missing_capabilities(const boost::json::object& declared, const std::vector<Question>& questions);

Error missing_capability_error(const boost::json::object& missing);

// Whether `answer` can be one to `question`: its members, and for a form what the person filled in.
bool answers(const Question& question, const boost::json::value& answer);

}  // namespace adit::mcp
