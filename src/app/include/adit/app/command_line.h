// The command line: which words mean what, and what each command does.
#pragma once

namespace adit::app {

// Runs the program; gives its exit code: 0 success, 1 the command failed, 2 the command line is wrong.
int run(int argc, char** argv);

}  // namespace adit::app
