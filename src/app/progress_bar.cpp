#include "progress_bar.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>

namespace adit::app {
namespace {

constexpr int kBarCells = 30;
constexpr double kQuietSeconds = 0.5;  // short work needs no bar

}  // namespace

ProgressBar::ProgressBar() : terminal_(::isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

RequestContext::ProgressSink ProgressBar::sink() {
  return [this](const Progress& progress) { draw(progress); };
}

void ProgressBar::draw(const Progress& progress) {
  if (!terminal_ || progress.elapsed_seconds < kQuietSeconds) return;
  drawn_ = true;
  std::string bar;
  const int full = static_cast<int>(progress.fraction.value_or(0) * kBarCells);
  for (int i = 0; i < kBarCells; ++i) bar += i < full ? "█" : "░";
  const auto share = progress.fraction ? fmt::format("{:3.0f} %", 100 * *progress.fraction) : std::string("    ");
  fmt::print(stderr, "\r\x1b[K{} {} {:.0f} s {}", bar, share, progress.elapsed_seconds, progress.message);
}

}  // namespace adit::app
