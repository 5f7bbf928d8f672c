#!/usr/bin/env python3
"""Rules that no compiler checks (CONTRIBUTING.md names them). Usage: check_style.py FILE..."""
import re
import sys

RULES = [
    # g++ 12 destroys an aggregate temporary inside a co_await expression twice.
    (re.compile(r"co_await [^;]*\(\{"), "a braced list inside a co_await expression; name it first"),
    (re.compile(r"co_await [^;]*\(\s*\[[^\]]"), "a capturing lambda inside a co_await expression"),
    (re.compile(r"\?[^;:]*co_await|co_await[^;]*\?[^;]*:[^:]"), "?: around co_await"),
    (re.compile(r"\b(TODO|FIXME|XXX|HACK)\b"), "unfinished work; finish it or file it"),
    (re.compile(r"\busing namespace std\s*;"), "using namespace std"),
    (re.compile(r"\b(std::)?(printf|puts|cout)\b"), "writing to standard output"),
]
ASIO_MODULES = ("src/io/", "src/net/", "src/base/include/adit/base/task.h", "src/base/precompiled.h")
BANNED_NAMES = ("util", "utils", "helper", "helpers", "manager", "misc", "common")


def problems(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for number, line in enumerate(lines, 1):
        code = re.sub(r'"(\\.|[^"\\])*"', '""', line.split("//")[0]) if "//" not in line.split('"')[0] else line.split("//")[0]
        for pattern, text in RULES:
            if "standard output" in text and not path.startswith("src/"):
                continue
            if pattern.search(line if "unfinished" in text else code):
                yield number, text
        if path.startswith("src/") and "<boost/asio" in line and not path.startswith(ASIO_MODULES):
            yield number, "Asio is included by io, net and base/task.h only"
    stem = path.rsplit("/", 1)[-1].split(".")[0]
    if stem in BANNED_NAMES:
        yield 1, "a file named after nothing"
    if path.endswith(".h") and "#pragma once" not in "\n".join(lines):
        yield 1, "no #pragma once"
    if path.endswith(".h") and not lines[0].startswith("//"):
        yield 1, "a header begins with what it is"


found = 0
for name in sys.argv[1:]:
    for line_number, what in problems(name):
        print(f"{name}:{line_number}: {what}")
        found += 1
sys.exit(1 if found else 0)
