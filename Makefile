# SPDX-License-Identifier: Apache-2.0
# The short names of what one does here. CMake builds, ctest tests; the scripts in tools/ call them,
# and work without make too.
.DEFAULT_GOAL := help
.PHONY: help build demo test bench docs format tidy clean

RELEASE := build/release
SOURCES = $(shell find src include sim compiler tests bench -name '*.[ch]pp')

help: ## list these targets
	@sed -n 's/^\([a-z]*\): .*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 12

build: ## libheddle.so and lib/drop-in/libgomp.so.1, in build/release
	tools/build.sh

demo: ## install what is missing, build, and compare with libgomp for a minute
	tools/demo.sh

test: ## install what is missing, then every test: release, debug, two sanitizers, AArch64
	tools/test.sh

bench: build ## the full benchmark run
	python3 bench/run.py

docs: ## the documentation site, in build/docs
	tools/docs.sh

format: ## clang-format-19 over all C++ sources (tools/setup.sh --dev installs it)
	clang-format-19 -i $(SOURCES)

tidy: build ## clang-tidy-19 over src, with the checks of .clang-tidy (likewise)
	find src -name '*.cpp' -print0 | xargs -0 -n 1 -P $$(nproc) clang-tidy-19 -p $(RELEASE) --quiet

clean: ## remove all that was built
	rm -rf build
