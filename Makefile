SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -c
export SWIFT ?= swift
# SwiftPM names the package traits to the compiler in the order of a set, which changes from run to run: without this, every other
# build builds everything anew. The programs and tests run without it. (SwiftPM needs the index of the sources to link tests.)
BUILD = SWIFT_DETERMINISTIC_HASHING=1 $(SWIFT) build
# Warnings are errors here, but not for packages that depend on this one.
export BONJOURISH_CHECKS = 1
PREFIX ?= /usr/local

# Importing a module that the target does not declare is an error.
STRICT = --explicit-target-dependency-import-check error
# Limits parallel tests: each test has a time limit, whatever number of others runs beside it.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 8
TESTS = $(SWIFT) test --disable-xctest --skip-build
UNIT_TESTS = $(SWIFT) test --disable-xctest --skip '^LANTests\.'
RELEASE = $(BUILD) -c release
# As installed: with Swift's libraries linked statically.
INSTALLED = $(RELEASE) --static-swift-stdlib --scratch-path .build-install
# One file that needs no other, not even /proc. Without the traits Avahi and Directory, because their libraries are dynamic.
STATIC = $(RELEASE) --traits Daemon --scratch-path .build-static \
  -Xswiftc -static-executable -Xswiftc -DSTATIC_EXECUTABLE \
  $(addprefix -Xlinker --wrap=,main swift_copyAuxiliaryExecutablePath \
    _dispatch_workq_worker_register _dispatch_workq_worker_unregister) -Xlinker -s
# Whole modules without optimization, and no more of them than the game needs: in half the time of a build for debugging.
DEMO = BONJOURISH_BARE=1 BONJOURISH_ONLY="bonjourish-cli twentyfour-host twentyfour-join" $(RELEASE) --scratch-path .build-demo \
  -Xswiftc -Onone -debug-info-format none
PROGRAMS = bonjourish twentyfour-host twentyfour-join
UNITS = twentyfour-host.service twentyfour-host.socket

.DEFAULT_GOAL := help
.PHONY: $(shell sed -n 's/^\([a-z][a-z -]*\):.*/\1/p' $(firstword $(MAKEFILE_LIST)))

# Two signs before what a command does: `make help` lists it. Three: only `make help-all` does.
help:
	@sed -n 's/^\([a-z-]*\):.* ## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 20

help-all: ## List all commands: to measure, to simulate, to attack, and others
	@sed -n 's/^\([a-z-]*\):.* ##*# /  \1\t/p' $(MAKEFILE_LIST) | expand -t 20

deps: check-deps ### Install all Debian packages that are missing: to build, to test and to check (asks sudo unless root)

demo-deps build-deps test-deps check-deps:
	@.ci/deps $(@:-deps=)

build: build-deps ## Build everything for debugging
	$(BUILD) $(STRICT)

demo: demo-deps ## Show a game: a room is opened, found, joined and played on the loopback interface
	$(DEMO)
	@PATH="$$($(DEMO) --show-bin-path):$$PATH" Examples/TwentyFour/demo

directory-demo: test-deps build ### Show two rooms and three players on networks of their own, which only a directory connects
	@PATH="$$($(SWIFT) build --show-bin-path):$$PATH" Tests/lan -n 6 -r -- Examples/Directory/demo

daemon-demo: test-deps build-deps ### Show bonjourishd under unchanged programs of Avahi, on a private network
	@$(BUILD) --product bonjourishd
	@LAN_PROGRAMS="$$($(SWIFT) build --show-bin-path)" Tests/lan -n 2 -d -D bonjourishd -- Tests/Daemon/Demo/demo

pictures: test-deps build ### Make the pictures of the README from real terminals, and a browser, on a private network
	@Tests/lan -n 4 -d -- /usr/bin/python3 Examples/Pictures/pictures.py "$$($(SWIFT) build --show-bin-path)" Examples/Pictures
	@Tests/lan -n 3 -d -- /usr/bin/python3 Examples/TwentyFour/pictures/pictures.py "$$($(SWIFT) build --show-bin-path)" Examples/TwentyFour/pictures
	@Tests/lan -n 3 -- /usr/bin/python3 Examples/TwentyFour/pictures/page.py "$$($(SWIFT) build --show-bin-path)" Examples/TwentyFour/pictures

# What `make quick` leaves out: what starts daemons and programs, waits for real time, or tries random numbers for seconds.
SLOW = (AnyScreen|Clone|Datagram|Deck|Dedicated|FalseServices|Flood|ForeignPeer|FramesOfPeers|GroupMember|LegacyAnswers|Load|Loopback)Tests
SLOW := $(SLOW)|(OwnCompletion|PassiveObservation|PinnedKey|Program|Property|RandomEvening|Renewal|Settling|Simulation|SlowMember)Tests
SLOW := ^(BonjourishDirectory|Corpus|Files|Group|LAN)Tests\.|$(SLOW)|(Stream|WholeEvening)Tests

quick: build-deps ## Run most unit tests, in less than a minute once they are built (ONLY=DomainNameTests: one suite, or one module)
	$(if $(ONLY),modules=$$(.ci/test-modules '$(ONLY)') && env $${modules:+BONJOURISH_ONLY="$$modules"}) $(BUILD) --build-tests
	$(TESTS) $(if $(ONLY),--filter '$(ONLY)',--skip '$(SLOW)') 2>&1 | .ci/repeat-failures

test: test-deps ## Run all tests, including those on a private network (REQUIRE_LAN=1: fail if none can be made)
	@Tests/lan --check || true
	$(BUILD) --build-tests
	@.ci/lanes $(TESTS) --ignore-lock
	/usr/bin/python3 Tests/Benchmarks/Siege/siege.py "$$($(SWIFT) build --show-bin-path)/transport-bench" --seconds 3 --slice
	/usr/bin/python3 -B Tests/Pairs/pairs.py "$$($(SWIFT) build --show-bin-path)" --seconds 25

# Those in Tests/LANTests/Daemon have both daemons, each of the others has what LAN_DAEMON says.
test-daemon: test-deps ### Run the tests that need a daemon once more, with bonjourishd in the place of avahi-daemon
	$(BUILD) --build-tests
	LAN_DAEMON=bonjourishd $(TESTS) --filter '^LANTests\.' \
	  --skip '(Phones|Directory|Hanging)OnALAN|(AvahiTools|Bonjourishd|ClientLibraries|DaemonFiles|Printers|Servers)Tests' 2>&1 | .ci/repeat-failures
	LAN_DAEMON=bonjourishd $(TESTS) --filter '^LANTests\.HangingOnALAN' 2>&1 | .ci/repeat-failures

portable: ### Build and test what the manifest offers on other systems than Linux: the modules without I/O
	BONJOURISH_PORTABLE=1 SWIFT_DETERMINISTIC_HASHING=1 $(SWIFT) test --disable-xctest --scratch-path .build-portable

fresh: ### Run `make demo` and `make test` in a clone of HEAD on a Debian 12 that is made for it (root or sudo)
	@.ci/fresh .ci/steps demo test

static: build-deps ## Build the programs bonjourish and bonjourishd as one static file each, which runs without any other file
	$(STATIC) --product bonjourish
	$(STATIC) --product bonjourishd
	@ls -l "$$($(STATIC) --show-bin-path)"/bonjourish{,d}

check: check-deps ## Check format, warnings, imports, rules, the newest nats-server, manuals, examples, reference and consumer packages
	$(SWIFT) format lint --strict --parallel --recursive Package.swift Sources Tests Examples
	@.ci/rules
	$(BUILD) --build-tests $(STRICT)
	$(RELEASE) $(STRICT)
	@if server=$$(.ci/newest-nats); then NATS_SERVER=$$server \
	  $(TESTS) --filter '^(BonjourishDirectoryTests\.|LANTests\.(DirectoryOnALAN|HangingOnALAN.*director|.*(Failover|FullSurvivor)Tests))' 2>&1 | .ci/repeat-failures; fi
	@.ci/manuals "$$($(SWIFT) build --show-bin-path)" .build/share
	@.ci/examples
	@.ci/docs
	@Tests/Consumers/run
	@/usr/bin/python3 -B Tests/Scorecard/scorecard.py --slice --check "$$($(SWIFT) build --show-bin-path)"

format: ## Format the Swift sources in place
	$(SWIFT) format format --in-place --parallel --recursive Package.swift Sources Tests Examples

# The same seed draws the same mutants as long as the sources are the same. A new one tells more than the same again.
mutants: COUNT = 100
mutants: test-deps ### Draw COUNT=100 small changes blind by SEED=1 (or SEED='1 2 3'), and see which the tests notice (OPTIONS='--mark 85 --list --only PATH --lan')
	@Tests/Mutants/mutants.py --seed $(SEED) --count $(COUNT) $(OPTIONS)

# With Swift's lock, TSan reports races that do not exist: -DTHREAD_SANITIZER replaces it with a pthread lock. Leaks are not checked:
# Swift stores bits of its own in pointers of globals, so that their targets look lost. The tests run one after another, because
# everything takes ten times as long and tests that wait for a real peer have a time limit.
sanitize: test-deps ### Run the unit tests under the thread and the address sanitizer
	$(UNIT_TESTS) --no-parallel --sanitize=thread --scratch-path .build-tsan -Xswiftc -DTHREAD_SANITIZER
	ASAN_OPTIONS=detect_leaks=0 $(UNIT_TESTS) --no-parallel --sanitize=address --scratch-path .build-asan -Xswiftc -use-ld=lld

security: test-deps ### Try to break encryption, passcodes and rooms, in memory and as strangers on a private network
	$(BUILD) --build-tests
	$(TESTS) --filter '^(FramedSecurityTests|PrivateFilesTests|RoomsTests\.AdmissionTests|NamesTests)'
	REQUIRE_LAN=1 $(TESTS) --filter '^LANTests\..*(StrangersOnALAN|IntruderTests)'

conformance: test-deps build ### Examine the engine as Apple's Bonjour Conformance Test does, on a private LAN (OPTIONS='--avahi --case rate')
	@Tests/Conformance/run $(OPTIONS) "$$($(SWIFT) build --show-bin-path)"

conformance-broken: test-deps build ### Break one promise of the engine at a time: does the conformance suite notice each? (OPTIONS='--list --only NAME')
	@/usr/bin/python3 -B Tests/Conformance/broken.py $(OPTIONS) "$$($(SWIFT) build --show-bin-path)"

# Others are looked for where Debian installs them, and unpacked in .build/subjects (Tests/Conformance/others.py).
scorecard: test-deps build-deps ### Compare with other mDNS stacks: conformance, public attacks, load; writes SCORECARD.md (OPTIONS='--check --axis load --subject ours')
	@$(RELEASE) >&2
	@/usr/bin/python3 -B Tests/Scorecard/scorecard.py $(OPTIONS) "$$($(RELEASE) --show-bin-path)"

doctor-networks: test-deps ### Break 32 private networks, and see whether bonjourish doctor names the cause first (OPTIONS='--only NAMES --list')
	@$(BUILD) --product bonjourish >&2
	@/usr/bin/python3 -B Tests/Doctor/networks.py "$$($(BUILD) --show-bin-path)" $(OPTIONS)

SEEDS ?= 1000
HOSTS ?= 20

# A seed that fails is told with its command, such as `make simulate REPLAY=17 HOSTS=20`, which tells what happens, step by step.
simulate: build-deps ### Run SEEDS=1000 simulations of HOSTS=20 engines on failing networks, and all seeds of other random tests (REPLAY=17: that seed, telling what happens)
	$(if $(REPLAY),SIMULATE_REPLAY=$(REPLAY)) SIMULATE_SEEDS=$(SEEDS) SIMULATE_HOSTS=$(HOSTS) \
	  $(SWIFT) test -c release -Xswiftc -enable-testing --disable-xctest --scratch-path .build-simulate \
	  --filter 'MulticastDNSTests.*Simulation'
	$(if $(REPLAY),,EVERY_SEED=1 $(SWIFT) test -c release -Xswiftc -enable-testing --disable-xctest --scratch-path .build-simulate \
	  --filter '(Property|BroadcastLog|OutboundQueue|AnyScreen|Deck)Tests')

# A seed that fails is told with its command, such as `make simulate-group REPLAY=17`. The order of sets is part of what is replayed.
simulate-group: build-deps ### Run SEEDS=1000 simulations of groups of match servers with their directory and players (REPLAY=17: that seed, telling what happens)
	SWIFT_DETERMINISTIC_HASHING=1 $(if $(REPLAY),GROUP_REPLAY=$(REPLAY)) GROUP_SEEDS=$(SEEDS) \
	  $(SWIFT) test -c release -Xswiftc -enable-testing --disable-xctest --scratch-path .build-simulate \
	  --filter '^GroupTests\.'

EVENINGS ?= 10000

evenings: build-deps ### Play EVENINGS=10000 random matches and rooms, with random events at random times
	EVENINGS=$(EVENINGS) $(SWIFT) test -c release -Xswiftc -enable-testing --disable-xctest --scratch-path .build-evenings \
	  --filter 'MatchPropertyTests|RandomEveningTests'

SECONDS ?= 60
# Program, folder in Tests/Fuzz, what its cases need.
FUZZERS = message:Message: engine:Engine: reflector:Reflector: frames:Frames:Transport reader:Reader:Transport json:JSON:Transport requests:Requests:Transport \
  invocations:Invocations:Transport tls-handshake:TLSHandshake:Secure cpace:CPace:Secure websocket:WebSocket:Web http:HTTP:Web \
  directory:Directory:Directory room:Room:Room bus:Bus:Daemon calls:Calls:Daemon simple-socket:SimpleSocket:Daemon
# Comparisons are not traced: tracing takes half of the time, and messages have few numbers that are hard to guess.
COVERAGE = -Xswiftc -sanitize-coverage=edge,inline-8bit-counters,pc-table
FUZZING = -max_total_time=$(SECONDS) -max_len=2048 -rss_limit_mb=512 -timeout=5 -reload=0 -print_final_stats=1 -verbosity=0

# New inputs are kept in .build-fuzz/corpus. An input that fails is written to .build-fuzz; add it to Tests/Fuzz/Corpus.
fuzz: build-deps ### Feed random bytes to all code that reads from the network, for SECONDS=60 each
	@set -e; for fuzzer in $(FUZZERS); do name=$${fuzzer%%:*}; \
	  FUZZ='$(FUZZERS)' $(RELEASE) --sanitize=fuzzer $(COVERAGE) --scratch-path .build-fuzz --product fuzz-$$name; \
	  mkdir -p .build-fuzz/corpus/$$name; \
	  echo "fuzz-$$name, $(SECONDS) s"; \
	  if SWIFT_BACKTRACE=enable=no .build-fuzz/release/fuzz-$$name $(FUZZING) -artifact_prefix=.build-fuzz/$$name- \
	    .build-fuzz/corpus/$$name Tests/Fuzz/Corpus/$$name >.build-fuzz/$$name.log 2>&1; \
	  then sed -n 's/^stat::\([a-z_]*\): */  \1 /p' .build-fuzz/$$name.log | tr _ ' '; \
	  else tail -n 40 .build-fuzz/$$name.log; exit 1; fi; \
	done

siege: build-deps ### Check that servers under attack by thousands of connections still serve clients and players, for SECONDS=60 each
	@for product in transport-bench twentyfour-host siege-players; do $(RELEASE) --product $$product >&2; done
	@for siege in '' '--game matches' '--game room' '--game matches --web' --nothing; do \
	  /usr/bin/python3 Tests/Benchmarks/Siege/siege.py "$$($(RELEASE) --show-bin-path)/transport-bench" --seconds $(SECONDS) \
	    $$siege $(OPTIONS) || exit; done

load: build-deps ### Fill a match server with 1,600 players, refuse 1,600 more in each of four waves, and measure it (OPTIONS=--json)
	@$(RELEASE) --product twentyfour-host >&2
	@$(RELEASE) --product twentyfour-load >&2
	@"$$($(RELEASE) --show-bin-path)/twentyfour-load" --marks $(OPTIONS)

FRAMES ?= 10000000
TIMES ?= 100
COUNT ?= 100000
CONNECTIONS ?= 100
SEED ?= 1

stress: build-deps ### Send FRAMES=10000000 over CONNECTIONS=100 in random pieces (SEED=1), and check that each arrives
	@$(RELEASE) --product stress-frames >&2
	@"$$($(RELEASE) --show-bin-path)/stress-frames" $(FRAMES) $(CONNECTIONS) $(SEED)

# A run that fails is told with its command, such as `make pairs SEED=3 RUN=17`, and its logs are kept below .build/pairs.
pairs: test-deps build ### Combine what can go wrong: every pair of faults, on private networks, in about 50 runs (SEED=1, RUN=N, OPTIONS='--list --seconds 60')
	@/usr/bin/python3 -B Tests/Pairs/pairs.py "$$($(SWIFT) build --show-bin-path)" --seed $(SEED) $(RUN:%=--run %) $(OPTIONS)

# SECONDS is 600 unless told. OPTIONS='--kills 5 --faults kill,drain' for a part, --json for other programs; logs: .build/chaos.
chaos-directory: test-deps build ### Play six matches on three servers and a directory of three while all of them fail, and tell what was lost (SECONDS=600, SEED=1, OPTIONS=--json)
	@Tests/lan -n 8 -r -- /usr/bin/python3 -B Tests/Chaos/chaos.py "$$($(SWIFT) build --show-bin-path)" --seed $(SEED) \
	  $(if $(filter-out file,$(origin SECONDS)),--seconds $(SECONDS)) $(OPTIONS)

outages: test-deps ### Kill the daemon or its bus TIMES=100 times under a program that publishes and browses, on a private network
	@$(RELEASE) >&2
	@Tests/lan -n 2 -- bash -c 'daemon h1 start && exec /usr/bin/python3 Tests/Stress/Discovery/outages.py "$$0" --times $(TIMES)' "$$($(RELEASE) --show-bin-path)"

cancellations: test-deps ### Begin COUNT=100000 operations and cancel each at a random moment, with both backends, on a private network
	@$(RELEASE) --product stress-discovery >&2
	@for backend in builtin avahi; do Tests/lan -n 1 -d -- on h1 "$$($(RELEASE) --show-bin-path)/stress-discovery" \
	  cancellations $(COUNT) 1 $$backend || exit; done

flood: test-deps ### Check that real services are found among 4,000 false ones, on a private network of three hosts
	@$(RELEASE) >&2
	@Tests/lan -n 3 -- /usr/bin/python3 Tests/Benchmarks/Flood/flood.py "$$($(RELEASE) --show-bin-path)"

bench: test-deps ### Measure the speed of frames, and compare it with C (OPTIONS='--growth --json --report --runs 5')
	@$(INSTALLED) --product transport-bench >&2
	@/usr/bin/python3 Tests/Benchmarks/Transport/transport.py "$$($(INSTALLED) --show-bin-path)/transport-bench" $(OPTIONS)

bench-files: test-deps ### Measure the example Files against encrypted frames of 64 KiB, on a private network
	@BONJOURISH_ONLY="files transport-bench" $(RELEASE) --scratch-path .build-bench-files >&2
	@Tests/lan -n 1 -- /usr/bin/python3 -B Tests/Benchmarks/Transport/files.py .build-bench-files/release

RUNS ?= 7

# OPTIONS='--sizes 1000 10000', '--only growth', '--only watchers' or '--only hostile' for a part, --json for other programs.
bench-directory: test-deps ### Measure a directory of 1,000 to 100,000 rooms, 1,000 watchers and a hostile one (RUNS=7, OPTIONS=--json)
	@$(RELEASE) --product bench-directory >&2
	@/usr/bin/python3 Tests/Benchmarks/Directory/directory.py "$$($(RELEASE) --show-bin-path)" --runs $(RUNS) $(OPTIONS)

bench-explorer: ### Measure what a picture of the explorer of bonjourish browse takes with 5,000 services
	@$(RELEASE) --product bench-explorer >&2
	@"$$($(RELEASE) --show-bin-path)/bench-explorer"

# As installed. OPTIONS='--only times', '--only memory' or '--only minutes', and --minutes 10: for how long datagrams are counted, and services published.
bench-daemon: test-deps ### Compare what bonjourishd and avahi-daemon need and send, and how long unchanged programs wait for them
	@$(INSTALLED) --product bonjourishd >&2
	@/usr/bin/python3 -B Tests/Benchmarks/Daemon/compare.py "$$($(INSTALLED) --show-bin-path)" $(OPTIONS)

soak-daemon: test-deps ### Kill bonjourishd under 20 programs, then let services, browsers and interfaces come and go, and see what it needs (OPTIONS='--kills 50 --minutes 10 --seed 1')
	@$(RELEASE) >&2
	@LAN_PROGRAMS="$$($(RELEASE) --show-bin-path)" Tests/lan -n 2 -d -D bonjourishd -- \
	  /usr/bin/python3 -B Tests/Stress/Daemon/soak.py "$$($(RELEASE) --show-bin-path)" $(OPTIONS)

bench-relay: test-deps ### Compare connections by a directory's servers with direct ones (RUNS=7)
	@$(RELEASE) --product relay-bench >&2
	@Tests/Benchmarks/Relay/relay "$$($(RELEASE) --show-bin-path)/relay-bench" $(RUNS)

bench-discovery: test-deps ### Measure the speed of discovery, compare with Avahi and python3-zeroconf (RUNS=7, OPTIONS=--json)
	@$(RELEASE) >&2
	@Tests/lan -n 2 -d -- /usr/bin/python3 Tests/Benchmarks/Discovery/discovery.py "$$($(RELEASE) --show-bin-path)" --runs $(RUNS) $(OPTIONS)

# OPTIONS='--services 100 --runs 1', or --json for other programs.
bench-reflect: test-deps ### Measure how fast 1,000 services on two networks cross bonjourish reflect, and with how many datagrams
	@$(RELEASE) --product bonjourish >&2
	@Tests/lan -n 3 -s -- /usr/bin/python3 -B Tests/Benchmarks/Reflect/reflect.py "$$($(RELEASE) --show-bin-path)" $(OPTIONS)

docs: build ## Build the reference of the libraries (DocC) below .build/docs
	@.ci/docs

manuals: build ### Write the manual pages and completion scripts of all programs below .build/share, and check them
	@.ci/manuals "$$($(SWIFT) build --show-bin-path)" .build/share

install: build-deps ## Install the programs, their manual pages and completion scripts below PREFIX (/usr/local)
	$(INSTALLED)
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/bonjourish"
	install -s $(PROGRAMS:%=.build-install/release/%) "$(DESTDIR)$(PREFIX)/bin"
	.ci/manuals .build-install/release "$(DESTDIR)$(PREFIX)/share" $(PROGRAMS)
	install -m 644 Sources/Programs/bonjourish-cli/Output/output.schema.json "$(DESTDIR)$(PREFIX)/share/bonjourish"
	install -d "$(DESTDIR)$(PREFIX)/lib/systemd/system"
	for unit in $(UNITS); do \
	  sed 's|/usr/local/bin|$(PREFIX)/bin|' Examples/TwentyFour/Host/$$unit >"$(DESTDIR)$(PREFIX)/lib/systemd/system/$$unit"; done

# The units, the policy of the bus and the users go where systemd and the bus look for them; an /etc/avahi/avahi-daemon.conf stays.
PACKAGING = Sources/Daemon/Packaging
SYSCONFDIR ?= /etc

install-daemon: build-deps ## Install the daemon bonjourishd, its units, bus policy, configuration and manual page below PREFIX and SYSCONFDIR (/etc)
	$(INSTALLED) --product bonjourishd
	install -d "$(DESTDIR)$(PREFIX)/sbin" "$(DESTDIR)$(PREFIX)/lib/systemd/system" "$(DESTDIR)$(PREFIX)/lib/sysusers.d" \
	  "$(DESTDIR)$(PREFIX)/share/dbus-1/system-services" "$(DESTDIR)$(SYSCONFDIR)/dbus-1/system.d" "$(DESTDIR)$(SYSCONFDIR)/avahi/services"
	install -s .build-install/release/bonjourishd "$(DESTDIR)$(PREFIX)/sbin"
	.ci/manuals .build-install/release "$(DESTDIR)$(PREFIX)/share" bonjourishd
	install -m 644 $(PACKAGING)/bonjourishd.socket "$(DESTDIR)$(PREFIX)/lib/systemd/system"
	sed 's|/usr/local/sbin|$(PREFIX)/sbin|' $(PACKAGING)/bonjourishd.service >"$(DESTDIR)$(PREFIX)/lib/systemd/system/bonjourishd.service"
	install -m 644 $(PACKAGING)/bonjourishd-users.conf "$(DESTDIR)$(PREFIX)/lib/sysusers.d/bonjourishd.conf"
	install -m 644 $(PACKAGING)/bonjourishd-activation.conf \
	  "$(DESTDIR)$(PREFIX)/share/dbus-1/system-services/org.freedesktop.Avahi.service"
	install -m 644 $(PACKAGING)/bonjourishd-bus.conf "$(DESTDIR)$(SYSCONFDIR)/dbus-1/system.d/bonjourishd.conf"
	[ -e "$(DESTDIR)$(SYSCONFDIR)/avahi/avahi-daemon.conf" ] || \
	  install -m 644 $(PACKAGING)/avahi-daemon.conf "$(DESTDIR)$(SYSCONFDIR)/avahi/avahi-daemon.conf"

clean: ## Remove everything that was built
	rm -rf .build .build-*
