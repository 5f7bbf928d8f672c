// The picture that clients show beside the server's name: an adit's mouth with rails, 48 by 48 points.
#pragma once

#include <string_view>

namespace adit::app {

constexpr std::string_view kIcon =
    "data:image/png;base64,"
    "iVBORw0KGgoAAAANSUhEUgAAADAAAAAwAgMAAAAqbBEUAAAADFBMVEUAAAAvT2AQGCDywU4VG7qAAAAAAXRSTlMAQObYZgAAAIdJ"
    "REFUeNrV0rENwyAQBVBcZATv4xFSJKL0KOxzFIyQKbwEvRsk/H13gEhhEbnML4CnL7pvzCDvGnnPDa+vQqqpYxngwacFNr6eCgfk"
    "Bi60UqyIHnuFS0QhVyASeRRYEIc/KQ7Bp2BNgrBfIAp8gSvIv0Ca/0MKtzB1LAOYDhlFg4zCNIwmdQIV4grm/+PqdQAAAABJRU5E"
    "rkJggg==";

}  // namespace adit::app
