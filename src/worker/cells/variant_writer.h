// Prints VARIANT values by the rules of all others: the engine's own JSON of them rounds decimals and has other forms
// of times.
#pragma once

#include "cells/value_writer.h"

#include <memory>

namespace adit::worker {

constexpr int kVariantType = 41;  // its number; the 1.4 header does not name it yet

std::unique_ptr<ValueWriter> make_variant_writer(CellNotes& notes);

}  // namespace adit::worker
