#include "adit/mcp/content.h"

#include "adit/base/base64.h"

namespace adit::mcp {
namespace json = boost::json;

json::object text_content(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

json::object image_content(std::string_view bytes, std::string_view mime_type) {
  return {{"type", "image"}, {"data", base64(bytes)}, {"mimeType", mime_type}};
}

json::object audio_content(std::string_view bytes, std::string_view mime_type) {
  return {{"type", "audio"}, {"data", base64(bytes)}, {"mimeType", mime_type}};
}

json::object embedded_resource(const ResourceContent& resource) {
  return {{"type", "resource"}, {"resource", resource_content(resource)}};
}

json::object resource_content(const ResourceContent& resource) {
  json::object object{{"uri", resource.uri}, {"mimeType", resource.mime_type}};
  if (resource.bytes) object["blob"] = base64(*resource.bytes);
  else object["text"] = resource.text;
  return object;
}

}  // namespace adit::mcp
