// Progress of long work on a terminal: one line on standard error that is drawn over and wiped at the end.
#pragma once

#include "adit/base/request_context.h"

namespace adit::app {

class ProgressBar {
 public:
  ProgressBar();  // draws nothing when standard error is no terminal
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  RequestContext::ProgressSink sink();

 private:
  void draw(const Progress& progress);
  bool terminal_;
  bool drawn_ = false;
};

}  // namespace adit::app
