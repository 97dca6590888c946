export SWIFT ?= swift
PREFIX ?= /usr/local

# A target that imports a module which it does not declare is an error.
STRICT = --explicit-target-dependency-import-check error
UNIT_TESTS = $(SWIFT) test --disable-xctest --skip '^LANTests\.'
PROGRAMS = bonjourish twentyfour-host twentyfour-join
MANUALS = Sources/bonjourish-cli/bonjourish.1 Examples/Host/twentyfour-host.1 Examples/Join/twentyfour-join.1

.DEFAULT_GOAL := help
.PHONY: help deps build demo test bench-discovery check format sanitize docs install clean

help: ## List what can be made
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 20

deps: ## Install the Debian packages that are missing (asks sudo unless root)
	@.ci/deps

build: deps ## Build everything for debugging
	$(SWIFT) build $(STRICT)

demo: build ## See a room opened, found, joined and played, on the loopback interface
	@PATH="$$($(SWIFT) build --show-bin-path):$$PATH" Examples/demo

test: deps ## Run all tests, those on a private LAN too (REQUIRE_LAN=1: fail where none can be made)
	@Tests/lan --check || true
	$(SWIFT) build --package-path Tests/Embed --scratch-path .build/embed
	$(SWIFT) test --disable-xctest

bench-discovery: deps ## Measure publishing to resolved on another host, beside Avahi's own programs
	@Tests/lan -d --check >/dev/null
	$(SWIFT) build -c release $(STRICT)
	@PATH="$$($(SWIFT) build -c release --show-bin-path):$$PATH" Tests/lan -n 2 -d -- Tests/speed

check: deps ## Format, warnings, imports, module rules, scripts, manual pages, reference
	$(SWIFT) format lint --strict --parallel --recursive Package.swift Sources Tests Examples
	@.ci/rules
	$(SWIFT) build --build-tests $(STRICT)
	$(SWIFT) build -c release $(STRICT)
	@.ci/docs

format: ## Format the Swift sources in place
	$(SWIFT) format format --in-place --parallel --recursive Package.swift Sources Tests Examples

# The lock that Swift brings makes TSan see races that are none: -DTHREAD_SANITIZER puts a pthread lock in its place.
sanitize: deps ## Run the unit tests under the thread and the address sanitizer
	$(UNIT_TESTS) --sanitize=thread --scratch-path .build-tsan -Xswiftc -DTHREAD_SANITIZER
	$(UNIT_TESTS) --sanitize=address --scratch-path .build-asan -Xswiftc -use-ld=lld

docs: build ## Build the reference of the libraries (DocC) below .build/docs
	@.ci/docs

install: deps ## Install the programs and their manual pages below PREFIX (/usr/local)
	$(SWIFT) build -c release --static-swift-stdlib --scratch-path .build-install
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1"
	install -s $(PROGRAMS:%=.build-install/release/%) "$(DESTDIR)$(PREFIX)/bin"
	install -m 644 $(MANUALS) "$(DESTDIR)$(PREFIX)/share/man/man1"

clean: ## Remove everything that was built
	rm -rf .build .build-*
