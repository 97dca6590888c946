export SWIFT ?= swift
PREFIX ?= /usr/local

# A target that imports a module which it does not declare is an error.
STRICT = --explicit-target-dependency-import-check error
UNIT_TESTS = $(SWIFT) test --disable-xctest --skip '^LANTests\.'
RELEASE = $(SWIFT) build -c release
# As it is installed: without the libraries that Swift brings.
INSTALLED = $(RELEASE) --static-swift-stdlib --scratch-path .build-install
PROGRAMS = bonjourish twentyfour-host twentyfour-join transport-bench
UNITS = twentyfour-host.service twentyfour-host.socket
MANUALS = Sources/bonjourish-cli/bonjourish.1 Examples/Host/twentyfour-host.1 Examples/Join/twentyfour-join.1 \
  Sources/transport-bench/transport-bench.1

.DEFAULT_GOAL := help
.PHONY: help deps build demo pictures test check format sanitize simulate evenings fuzz stress siege load bench bench-discovery docs install clean

help: ## List what can be made
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 20

deps: ## Install the Debian packages that are missing (asks sudo unless root)
	@.ci/deps

build: deps ## Build everything for debugging
	$(SWIFT) build $(STRICT)

demo: build ## See a room opened, found, joined and played, on the loopback interface
	@PATH="$$($(SWIFT) build --show-bin-path):$$PATH" Examples/demo

pictures: build ## Make the pictures of the README: a game on a private LAN, as it stands at a terminal
	@Tests/lan -n 3 -d -- /usr/bin/python3 Examples/pictures/pictures.py "$$($(SWIFT) build --show-bin-path)" Examples/pictures

# The package that Tests/Embed depends on may have got new files since, which a cached manifest of the build does not know.
test: deps ## Run all tests, those on a private LAN too (REQUIRE_LAN=1: fail where none can be made)
	@Tests/lan --check || true
	$(SWIFT) build --disable-build-manifest-caching --package-path Tests/Embed --scratch-path .build/embed
	$(SWIFT) test --disable-xctest
	/usr/bin/python3 Tests/Siege/siege.py "$$($(SWIFT) build --show-bin-path)/transport-bench" --seconds 3 --slice

check: deps ## Format, warnings, imports, module rules, scripts, manual pages, examples, reference
	$(SWIFT) format lint --strict --parallel --recursive Package.swift Sources Tests Examples
	@.ci/rules
	$(SWIFT) build --build-tests $(STRICT)
	$(SWIFT) build -c release $(STRICT)
	@.ci/examples
	@.ci/docs

format: ## Format the Swift sources in place
	$(SWIFT) format format --in-place --parallel --recursive Package.swift Sources Tests Examples

# The lock that Swift brings makes TSan see races that are none: -DTHREAD_SANITIZER puts a pthread lock in its place. Leaks are not
# looked for: Swift keeps bits of its own in the pointers of globals, and what these point to then looks lost. One test after the
# other, for everything takes ten times as long, and those that wait for a real peer have their time.
sanitize: deps ## Run the unit tests under the thread and the address sanitizer
	$(UNIT_TESTS) --no-parallel --sanitize=thread --scratch-path .build-tsan -Xswiftc -DTHREAD_SANITIZER
	ASAN_OPTIONS=detect_leaks=0 $(UNIT_TESTS) --no-parallel --sanitize=address --scratch-path .build-asan -Xswiftc -use-ld=lld

SEEDS ?= 1000
HOSTS ?= 20

simulate: deps ## Let HOSTS=20 engines live through SEEDS=1000 different evenings on a failing network
	SIMULATE_SEEDS=$(SEEDS) SIMULATE_HOSTS=$(HOSTS) $(SWIFT) test -c release -Xswiftc -enable-testing --disable-xctest \
	  --scratch-path .build-simulate --filter 'MulticastDNSTests.*Simulation'

EVENINGS ?= 10000

evenings: deps ## Play EVENINGS=10000 random matches and rooms, in which anything may happen at any time
	EVENINGS=$(EVENINGS) $(SWIFT) test -c release -Xswiftc -enable-testing --disable-xctest --scratch-path .build-evenings \
	  --filter 'MatchPropertyTests|RandomEveningTests'

SECONDS ?= 60
FUZZERS = message engine frames reader json requests
# Comparisons are not traced: that takes half of the time, and a message has few numbers that could not be guessed.
COVERAGE = -Xswiftc -sanitize-coverage=edge,inline-8bit-counters,pc-table
FUZZING = -max_total_time=$(SECONDS) -max_len=2048 -rss_limit_mb=512 -timeout=5 -reload=0 -print_final_stats=1 -verbosity=0

# What is found is kept in .build-fuzz/corpus; an input that fails is written to .build-fuzz, and belongs into Tests/Fuzz/Corpus.
fuzz: deps ## Throw bytes at all that reads the network, SECONDS=60 each
	@set -e; for name in $(FUZZERS); do \
	  FUZZ=1 $(SWIFT) build -c release --sanitize=fuzzer $(COVERAGE) --scratch-path .build-fuzz --product fuzz-$$name; \
	  mkdir -p .build-fuzz/corpus/$$name; \
	  echo "fuzz-$$name, $(SECONDS) s"; \
	  if SWIFT_BACKTRACE=enable=no .build-fuzz/release/fuzz-$$name $(FUZZING) -artifact_prefix=.build-fuzz/$$name- \
	    .build-fuzz/corpus/$$name Tests/Fuzz/Corpus/$$name >.build-fuzz/$$name.log 2>&1; \
	  then sed -n 's/^stat::\([a-z_]*\): */  \1 /p' .build-fuzz/$$name.log | tr _ ' '; \
	  else tail -n 40 .build-fuzz/$$name.log; exit 1; fi; \
	done

siege: deps ## See honest clients served while thousands of attackers besiege the server, for SECONDS=60
	@$(RELEASE) --product transport-bench >&2
	@/usr/bin/python3 Tests/Siege/siege.py "$$($(RELEASE) --show-bin-path)/transport-bench" --seconds $(SECONDS) $(OPTIONS)

load: deps ## Fill a house with 1,600 players, come with as many again, and see whether anybody notices (OPTIONS=--json)
	@$(RELEASE) --product twentyfour-host >&2
	@$(RELEASE) --product twentyfour-load >&2
	@"$$($(RELEASE) --show-bin-path)/twentyfour-load" --marks $(OPTIONS)

FRAMES ?= 10000000
CONNECTIONS ?= 100
SEED ?= 1

stress: deps ## Send FRAMES=10000000 over CONNECTIONS=100 that are split at random (SEED=1), and see every one arrive
	@$(RELEASE) --product stress-frames >&2
	@"$$($(RELEASE) --show-bin-path)/stress-frames" $(FRAMES) $(CONNECTIONS) $(SEED)

flood: deps ## See real services found among 4,000 false ones, on a private LAN of three hosts
	@$(RELEASE) >&2
	@Tests/lan -n 3 -- /usr/bin/python3 Tests/Flood/flood.py "$$($(RELEASE) --show-bin-path)"

bench: deps ## See how fast frames go, beside the same in C (OPTIONS='--growth --json --report --runs 5')
	@$(INSTALLED) --product transport-bench >&2
	@/usr/bin/python3 Tests/Benchmarks/Transport/transport.py "$$($(INSTALLED) --show-bin-path)/transport-bench" $(OPTIONS)

RUNS ?= 7

bench-discovery: deps ## See how fast services are found, beside Avahi and python3-zeroconf (RUNS=7, OPTIONS=--json)
	@$(RELEASE) >&2
	@Tests/lan -n 2 -d -- /usr/bin/python3 Tests/Benchmarks/discovery.py "$$($(RELEASE) --show-bin-path)" --runs $(RUNS) $(OPTIONS)

docs: build ## Build the reference of the libraries (DocC) below .build/docs
	@.ci/docs

install: deps ## Install the programs and their manual pages below PREFIX (/usr/local)
	$(INSTALLED)
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1"
	install -s $(PROGRAMS:%=.build-install/release/%) "$(DESTDIR)$(PREFIX)/bin"
	install -m 644 $(MANUALS) "$(DESTDIR)$(PREFIX)/share/man/man1"
	install -d "$(DESTDIR)$(PREFIX)/lib/systemd/system"
	for unit in $(UNITS); do \
	  sed 's|/usr/local/bin|$(PREFIX)/bin|' Examples/Host/$$unit >"$(DESTDIR)$(PREFIX)/lib/systemd/system/$$unit"; done

clean: ## Remove everything that was built
	rm -rf .build .build-*
