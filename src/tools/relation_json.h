// A relation as open_dataset and describe_dataset tell it.
#pragma once

#include "adit/workspace/workspaces.h"

#include <boost/json.hpp>

#include <string>
#include <string_view>

namespace adit::tools {

boost::json::object relation_object(const workspace::Relation& relation);

// The schema text with the word RELATION replaced by the schema of such an object.
std::string with_relation_schema(std::string_view schema);

}  // namespace adit::tools
