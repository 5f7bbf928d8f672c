// Signals are the loop's: every further thread blocks them.
#pragma once

#include <signal.h>

namespace adit::io {

inline void block_all_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace adit::io
