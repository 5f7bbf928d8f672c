#include "adit/app/command_line.h"

int main(int argc, char** argv) { return adit::app::run(argc, argv); }
