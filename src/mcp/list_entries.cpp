#include "list_entries.h"

namespace adit::mcp {
namespace json = boost::json;
namespace {

// Members that all four kinds have.
template <class T>
void add_names(json::object& entry, const T& thing, Revision revision) {
  entry["name"] = thing.name;
  if (revision >= Revision::v2025_06_18 && !thing.title.empty()) entry["title"] = thing.title;
  if (!thing.description.empty()) entry["description"] = thing.description;
  if (revision >= Revision::v2025_11_25 && !thing.icons.empty()) entry["icons"] = icons_array(thing.icons);
}

void add_hints(json::object& entry, const std::string& mime_type, const ContentAnnotations& annotations) {
  if (!mime_type.empty()) entry["mimeType"] = mime_type;
  json::object hints;
  if (!annotations.audience.empty()) hints["audience"] = json::value_from(annotations.audience);
  if (annotations.priority) hints["priority"] = *annotations.priority;
  if (!hints.empty()) entry["annotations"] = std::move(hints);
}

json::object annotations_of(const Tool& tool) {
  return {{"title", tool.title},
          {"readOnlyHint", tool.annotations.read_only},
          {"destructiveHint", tool.annotations.destructive},
          {"idempotentHint", tool.annotations.idempotent},
          {"openWorldHint", tool.annotations.open_world}};
}

}  // namespace

json::object list_entry(const Tool& tool, Revision revision) {
  json::object entry;
  add_names(entry, tool, revision);
  entry["inputSchema"] = tool.input_schema;
  if (revision >= Revision::v2025_06_18 && !tool.output_schema.empty()) entry["outputSchema"] = tool.output_schema;
  if (revision >= Revision::v2025_03_26) entry["annotations"] = annotations_of(tool);
  return entry;
}

json::object list_entry(const Resource& resource, Revision revision) {
  json::object entry{{"uri", resource.uri}};
  add_names(entry, resource, revision);
  add_hints(entry, resource.mime_type, resource.annotations);
  if (resource.size) entry["size"] = *resource.size;
  return entry;
}

json::object list_entry(const ResourceTemplate& resource_template, Revision revision) {
  json::object entry{{"uriTemplate", resource_template.uri_template}};
  add_names(entry, resource_template, revision);
  add_hints(entry, resource_template.mime_type, resource_template.annotations);
  return entry;
}

json::object list_entry(const Prompt& prompt, Revision revision) {
  json::object entry;
  add_names(entry, prompt, revision);
  json::array arguments;
  for (const auto& argument : prompt.arguments) {
    json::object object{{"name", argument.name}};
    if (revision >= Revision::v2025_06_18 && !argument.title.empty()) object["title"] = argument.title;
    object["description"] = argument.description;
    object["required"] = argument.required;
    arguments.push_back(std::move(object));
  }
  if (!arguments.empty()) entry["arguments"] = std::move(arguments);
  return entry;
}

json::array icons_array(const std::vector<Icon>& icons) {
  json::array array;
  for (const auto& icon : icons) {
    json::object object{{"src", icon.src}};
    if (!icon.mime_type.empty()) object["mimeType"] = icon.mime_type;
    if (!icon.sizes.empty()) object["sizes"] = json::value_from(icon.sizes);
    if (!icon.theme.empty()) object["theme"] = icon.theme;
    array.push_back(std::move(object));
  }
  return array;
}

}  // namespace adit::mcp
