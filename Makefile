# The verbs of the project. Each does its own set-up first (scripts/setup.sh), once.
#
#   make demo    build, then the main job on real data
#   make test    every test (what CI runs)
#   make build   programs in build/bin
#   make lint    formatting, style script, clang-tidy over the whole tree
#   make bench   measurements beside the targets
#   make sanitize  the tests under AddressSanitizer and ThreadSanitizer
#   make fuzz    each fuzzer: its corpus, then FUZZ_SECONDS (120)
MAKEFLAGS += --no-print-directory
DOWNLOADS ?= $(or $(ADIT_DOWNLOADS),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/adit-build)

FUZZ_SECONDS ?= 120

.PHONY: demo build test bench lint sanitize fuzz clean setup-build setup-test setup-lint

build: setup-build
	@[ -f build/build.ninja ] || cmake --preset release
	@cmake --build build

demo: build
	@build/bin/adit demo --data $(DOWNLOADS)/vega-datasets-3.2.1

test: setup-test
	@[ -f build/build.ninja ] || cmake --preset release
	@cmake --build build
	@scripts/run_tests.sh

bench: build
	@build/bench/adit_bench --data $(DOWNLOADS)/vega-datasets-3.2.1
	@build/bench/worker_bench --benchmark_min_time=0.2
	@build/bench/http_bench --data $(DOWNLOADS)/vega-datasets-3.2.1

lint: setup-lint
	@scripts/lint.sh all

sanitize: setup-test build
	@scripts/sanitize.sh asan
	@scripts/sanitize.sh tsan

fuzz: setup-test
	@scripts/fuzz.sh $(FUZZ_SECONDS)

clean:
	rm -rf build

setup-build setup-test setup-lint:
	@scripts/setup.sh $(@:setup-%=%)
