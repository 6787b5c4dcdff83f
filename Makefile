# The front door. `make` lists the rooms; CMake does the work (presets in CMakePresets.json).

MAKEFLAGS += --no-print-directory

JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
prefix  ?= /usr/local
DESTDIR ?=
DATA    ?=
PEERS   ?=
SKIP    ?= slow

CTEST = ctest --output-on-failure --no-label-summary -j $(JOBS)

.PHONY: help calculator demo demo-images test test-all mutants bench benches build install docs deps format check asan tsan fuzz coverage clean

help:
	@echo 'make demo         install what is missing, build, train a private model, end with a report'
	@echo 'make demo-images  the same for a network: clothes of Fashion-MNIST at epsilon 3'
	@echo 'make test         install what is missing, build, run the fast tests'
	@echo 'make test-all     the same, then slow tests, sanitizers, fuzzing, valgrind, a fifth of the mutants'
	@echo 'make mutants      apply each deliberate bug of tests/mutants/; its tests must fail'
	@echo 'make calculator   build/calculator/index.html, the accountant as one page'
	@echo 'make build        build/sotto, build/libsotto.so, build/libsotto.a'
	@echo 'make install      into $$(DESTDIR)$$(prefix), prefix=$(prefix)'
	@echo 'make docs         build/site, the documentation as static pages with search'
	@echo 'make benches      build the benchmarks, build/release/bench/bench_*'
	@echo 'make bench        time the hot paths; DATA=DIR adds those that need foreign data,'
	@echo '                  PEERS=VENV a Python environment with the peers of bench/peers_*.py'
	@echo 'make check        formatting, layers, exports, headers, man pages, proofs, words'
	@echo 'make format       clang-format the sources'
	@echo 'make asan         the fast tests under AddressSanitizer and UBSan'
	@echo 'make tsan         the tests of threads under ThreadSanitizer'
	@echo 'make fuzz         each fuzz target for FUZZ_SECONDS=20'
	@echo 'make coverage     branch coverage of ledger, outputs, checkpoints and PATE directories'
	@echo 'make deps         install what the build needs (tools/deps lists the groups)'
	@echo 'make clean        remove build/'

deps:
	tools/deps build

# Configure and build a preset: $(call cmake,PRESET,OPTIONS)
define cmake
cmake --preset $(1) $(2) --log-level=WARNING
cmake --build build/$(1) -j $(JOBS)
endef

# Test a preset and end with the line that counts: $(call ctest,PRESET,OPTIONS)
define ctest
$(CTEST) --test-dir build/$(1) --output-log $(CURDIR)/build/$(1)/tests.log $(2)
@grep -E 'tests passed|[0-9] - .*[(](Skipped|Disabled)[)]' build/$(1)/tests.log
endef

# Parts that need foreign data, or programs of others, say so when they are left out.
SKIPPED = if [ -z "$(DATA)" ]; then echo '$@: parts that need foreign data skipped; give DATA=DIR'; fi; \
    if [ -z "$(PEERS)" ]; then echo '$@: comparisons with peers skipped; give PEERS=VENV'; fi

build:
	@SOTTO_NO_INSTALL=1 tools/deps build
	$(call cmake,release)
	@ln -sf release/sotto release/libsotto.so release/libsotto.a build/

calculator:
	tools/deps calculator
	python3 tools/calculator/build.py -o build/calculator/index.html

demo:
	tools/deps build
	$(MAKE) build
	@examples/demo.sh build/sotto

demo-images:
	tools/deps images
	$(MAKE) build
	@examples/demo-images.sh build/sotto

test:
	tools/deps test
	$(call cmake,dev)
	$(call ctest,dev,-LE slow)

test-all:
	tools/deps all
	$(call cmake,dev)
	$(MAKE) check
	$(MAKE) asan
	$(MAKE) tsan
	$(MAKE) fuzz
	$(call ctest,dev)
	python3 tools/mutants.py --build build/dev --rotate 5 --minutes 8 -j $(JOBS)

mutants:
	tools/deps test
	$(call cmake,dev)
	python3 tools/mutants.py --build build/dev --resume -j $(JOBS)

asan:
	tools/deps test
	$(call cmake,asan)
	$(call ctest,asan,-LE '$(SKIP)')

tsan:
	tools/deps test
	$(call cmake,tsan)
	$(call ctest,tsan,-L threads)

FUZZ_SECONDS ?= 20
fuzz:
	tools/deps fuzz
	tools/fuzz --each $(FUZZ_SECONDS)

# The counts of the fast tests. A test that limits file sizes stops the counters too, which must not show in its output:
# GCOV_ERROR_FILE. MISSED=--missed lists the lines whose branches were not all taken.
coverage: export GCOV_ERROR_FILE = /dev/null
coverage:
	tools/deps test
	$(call cmake,coverage)
	python3 tools/coverage.py --reset build/coverage
	$(call ctest,coverage,-LE slow)
	python3 tools/coverage.py build/coverage $(MISSED)

SOURCES = $(shell find bench cli examples fuzz include src tests -name '*.[ch]')
format:
	tools/deps check
	@clang-format-14 -i $(SOURCES)

check:
	tools/deps check
	$(MAKE) build
	@clang-format-14 --dry-run --Werror $(SOURCES) && echo "formatting: $(words $(SOURCES)) files"
	python3 tools/check_layers.py
	python3 tools/check_exports.py build/libsotto.so tests/abi/exports.txt
	python3 tools/check_headers.py
	python3 tools/make_layouts.py --check
	python3 tools/check_proofs.py
	python3 tools/check_words.py
	python3 tools/check_commits.py
	python3 tools/mutants.py --applies
	python3 tools/check_man.py --sotto build/sotto
	python3 tools/check_docs.py --sotto build/sotto

benches: build
	cmake --build build/release -j $(JOBS) --target benches

bench: benches
	@for program in build/release/bench/bench_*; do \
	    if [ -x "$$program" ] && [ -f "$$program" ]; then "$$program" $(DATA) || exit 1; fi; \
	done
	@if [ -n "$(PEERS)" ]; then \
	    "$(PEERS)/bin/python" bench/peers_account.py --json build/release/bench/bench_account && \
	    "$(PEERS)/bin/python" bench/peers_account_answers.py --json build/sotto && \
	    "$(PEERS)/bin/python" bench/peers_nn.py --json build/release/bench/bench_nn; \
	fi
	@if [ -n "$(PEERS)" ] && [ -n "$(DATA)" ]; then \
	    PYTHONPATH=build/release/python "$(PEERS)/bin/python" bench/peers_train.py --json "$(DATA)" && \
	    PYTHONPATH=build/release/python "$(PEERS)/bin/python" -W ignore bench/same_model.py "$(DATA)" && \
	    "$(PEERS)/bin/python" bench/peers_adassp.py --json --sotto build/sotto "$(DATA)"; \
	fi
	@$(SKIPPED)

install:
	@SOTTO_NO_INSTALL=1 tools/deps build
	$(call cmake,release,-DCMAKE_INSTALL_PREFIX=$(prefix))
	DESTDIR=$(DESTDIR) cmake --install build/release

docs:
	tools/deps docs
	tools/python_env build/site-env tools/site/requirements.txt
	NO_MKDOCS_2_WARNING=1 build/site-env/bin/mkdocs build --quiet --strict --config-file tools/site/mkdocs.yml
	@echo 'the site: open build/site/index.html'

clean:
	rm -rf build
