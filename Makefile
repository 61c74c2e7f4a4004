# Every target installs what it needs first. `make` alone lists them.

SWIFT ?= swift
PREFIX ?= /usr/local
# Which build of the service `make demo` crashes; all three when empty.
MODE ?=
# Which group of figures `make bench` measures; all when empty.
ONLY ?=
# How long `make fuzz` runs, in seconds.
SECONDS ?= 60
# How many crashes `make soak` makes, and the seed of the first; from the clock when empty.
COUNT ?= 300
FIRST ?=

# The programs that tests and demo crash, built as services are: debug, release, and release with Swift linked statically.
# Each has its own scratch path, so that they never rebuild each other.
RELEASE := -c release --scratch-path .build/release-build
STATIC := -c release --static-swift-stdlib --scratch-path .build/static-build
EXAMPLES := CrashGallery CheckoutService
bin = $(shell $(SWIFT) build --show-bin-path $(1))

.DEFAULT_GOAL := help
.PHONY: help packages demo test aarch64 bench fuzz soak interop soak-delivery soak-collector lint install builds

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1 \2/p' $(MAKEFILE_LIST) | while read -r name text; do printf 'make %-13s %s\n' "$$name" "$$text"; done

packages:
	@scripts/install-packages

demo: packages ## crash a service over HTTP and read the report (MODE=debug|release|static, all three when not given)
	@SWIFT="$(SWIFT)" MODE="$(MODE)" scripts/demo

test: packages builds ## build everything, then run every test
	MAYDAY_REQUIRE_ALL_BUILDS=1 \
	MAYDAY_DEBUG_BUILD="$(call bin,)" \
	MAYDAY_RELEASE_BUILD="$(call bin,$(RELEASE))" \
	MAYDAY_STATIC_BUILD="$(call bin,$(STATIC))" \
	$(SWIFT) test --skip-build --disable-xctest
	scripts/compile-snippets "$(call bin,)"

aarch64: packages ## compile the crash handler for aarch64, and run its tests in an emulator
	$(SWIFT) build --build-tests
	@SWIFT="$(SWIFT)" scripts/test-aarch64

builds: packages
	$(SWIFT) build --build-tests
	@for product in $(EXAMPLES); do \
		$(SWIFT) build $(RELEASE) --product $$product && $(SWIFT) build $(STATIC) --product $$product || exit 1; \
	done

bench: packages ## print one line a figure against a peer or floor (ONLY=capture for one group)
	@SWIFT="$(SWIFT)" ONLY="$(ONLY)" Benchmarks/run

soak: packages ## crash busy processes at random, and look for hangs, lost reports and wrong ends (COUNT=5000 for more)
	$(SWIFT) build --product Soak
	$(SWIFT) build $(RELEASE) --product Soak
	scripts/soak "$(call bin,)/Soak" "$(call bin,$(RELEASE))/Soak" --count $(COUNT) $(if $(FIRST),--first $(FIRST))

fuzz: packages ## feed the reader of reports and HTTP bodies what libFuzzer makes up, for SECONDS=60 (from Tests/Fuzz/Corpus on)
	@mkdir -p .build/fuzz/corpus
	$(SWIFT)c -sanitize=fuzzer -parse-as-library -O -swift-version 6 -package-name mayday -module-name Fuzz -I Sources/System/CZlib \
		Sources/CrashReport/*.swift Tests/Fuzz/ReportFuzzer.swift -lz -o .build/fuzz/ReportFuzzer
	.build/fuzz/ReportFuzzer -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=512 -max_len=65536 -print_final_stats=1 \
		-artifact_prefix=.build/fuzz/ .build/fuzz/corpus Tests/Fuzz/Corpus

interop: packages ## crash a service into real backends: Bugsink, OpenTelemetry, a webhook (PyPI, once)
	$(SWIFT) build --product InteropService
	scripts/interop "$(call bin,)/InteropService"

soak-delivery: packages ## kill services at random while they write and deliver reports, and look for what is lost or shown twice
	$(SWIFT) build --product SDKChild
	$(SWIFT) build --product mayday
	scripts/soak-delivery "$(call bin,)/SDKChild" "$(call bin,)/mayday" --rounds 1000

soak-collector: packages ## kill collectors under load, 100 times on SQLite and 100 on PostgreSQL, and look for what is lost or counted twice
	$(SWIFT) build --product mayday
	scripts/soak-collector "$(call bin,)/mayday" --rounds 100
	scripts/soak-collector "$(call bin,)/mayday" --rounds 100 --postgres

lint: packages ## format, file lengths, and what the crash handler may call
	$(SWIFT) format lint --strict --parallel --recursive Package.swift $(wildcard Sources Collector Examples Tests Benchmarks)
	@for check in scripts/check-*; do echo $$check; $$check || exit 1; done

install: packages ## put `mayday` below $(DESTDIR)$(PREFIX), with its manual page and completions; it needs no Swift toolchain
	$(SWIFT) build $(STATIC) --product mayday
	install -D -s -m 755 "$(call bin,$(STATIC))/mayday" "$(DESTDIR)$(PREFIX)/bin/mayday"
	mayday="$(DESTDIR)$(PREFIX)/bin/mayday"; share="$(DESTDIR)$(PREFIX)/share"; \
	install -d "$$share/man/man1" "$$share/bash-completion/completions" "$$share/zsh/site-functions" \
		"$$share/fish/vendor_completions.d" && \
	"$$mayday" man > "$$share/man/man1/mayday.1" && \
	"$$mayday" completion bash > "$$share/bash-completion/completions/mayday" && \
	"$$mayday" completion zsh > "$$share/zsh/site-functions/_mayday" && \
	"$$mayday" completion fish > "$$share/fish/vendor_completions.d/mayday.fish"
