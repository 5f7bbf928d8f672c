#include "adit/worker/worker.h"

int main() { return adit::worker::run_worker(3); }
