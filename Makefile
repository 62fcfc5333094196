# Agent Dungeon. "make help" lists the targets; README.md describes them.
#
# Every target works in a fresh clone with Go, Node and make. Nothing is downloaded
# twice: Go and npm have their caches, and "npm ci" runs only after the lock file
# has changed.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# Variables for the command line, as in make run ARGS="-addr 127.0.0.1:4000".
ARGS ?=
FUZZTIME ?= 20s
SOAK ?= 5m
BENCH ?= .
AGAINST ?=
RUN ?= .
MUTANTS ?= .
PREFIX ?=
DESTDIR ?=

# Packages that are compiled without -race: SQLite, which is C translated to Go, because its
# memory is outside of Go's heap, where the detector sees nothing; and regexp, compress and
# hash, which work on the data of one goroutine. With -race they took half of the time of the
# store's tests, six sevenths of that of the reviews' and two thirds of that of server/folder's.
# wazero must not be among them: the detector then reports races inside of encoding/json.
UNWATCHED := $(patsubst %,-gcflags=%=-race=false,modernc.org/... regexp/... compress/... hash/...)

# -ldflags sets the version. -buildvcs=false, because stamping the commit fails if git is
# missing or does not trust the folder. -trimpath, so that the go command's cache serves every
# clone: without it the folder's path is part of what is compiled, and a new clone compiles all.
export GOFLAGS := $(strip $(filter-out -buildvcs% -gcflags% -trimpath%,$(shell go env GOFLAGS 2>/dev/null)) -buildvcs=false -trimpath $(UNWATCHED))
# By default the race detector sleeps for a second at each exit, for late reports of threads.
# 50 ms are enough, and there are 60 test binaries.
export GORACE ?= atexit_sleep_ms=50
export AGENTDUNGEON_REQUIRE_BROWSER ?=
export AGENTDUNGEON_REQUIRE_REDIS ?=
# The headless shell is Chromium without windows: the browser tests need a quarter less CPU in it.
ifndef CHROMIUM
CHROMIUM := $(firstword $(foreach name,chromium-headless-shell chromium chromium-browser google-chrome,$(shell command -v $(name))))
endif
export CHROMIUM

# The packages that share memory between goroutines; "make test" tests them with -race. Floors 0
# and 1 (server/ARCHITECTURE.md) are pure functions. The end-to-end tests run the released binary,
# several at a time because they mostly wait; "make soak" runs those that kill it with -race.
# The longest come first, so that no core waits for them in the end. ./server, which embeds the page, has a group of its own.
RACED := ./server/store/recovery ./server/store/journal ./server/realm \
	./server ./server/agent/... ./server/app ./server/dungeon ./server/facts ./server/folder ./server/follow ./server/gate ./server/inspect ./server/keeper \
	./server/mirror/... ./server/realm/... ./server/ring ./server/store/... ./server/syntax ./shared/pattern

# Tests run with -vet=off because "make check" runs go vet, and are linked without the tables for a debugger (-w),
# which take a third of the linker's time; a stack has its lines without them.
TESTING := -vet=off -ldflags=-w -count=1

# Tests live for seconds and are small: a heap that grows to five times what is live saves a tenth of their CPU. The
# end-to-end tests run the server as its users do.
test-race test-server test-rest: export GOGC := 400

# -race also switches on checkptr, which checks pointers of package unsafe. The program does not use it, and to check
# those of its libraries takes a tenth of the CPU of the tests: only "make soak" does it. The last pattern that matches
# a package counts, so UNWATCHED comes again.
RACING := -race -gcflags=all=-d=checkptr=0 $(UNWATCHED)

# Tests that repeat one scenario for each crash point, setting, seed or recorded folder. The detector makes
# them four to ten times slower and sees nothing in the repetitions that the other tests of the same
# packages do not show it, so "make test" runs them without it, and "make soak" with it.
EXHAUSTIVE := TestAnErasureIsKilledAnywhere TestAnswersWithoutEnd TestAttackFuzz TestAttackParty TestBlocksRoundTrip \
	TestBrokenInAnErasure TestCheckpointsSurvivePowerCuts TestClientsConverge TestCountryIsConnected TestCountryIsSmall \
	TestErasingManyConversations TestErasingManyRows TestEveryFieldOfATemplateCounts \
	TestEveryFieldThroughTheActor_S1_06 TestEverySettingCounts TestHostileForges TestHostileTexts TestKillAtEveryAppend \
	TestKindsConform TestKindsErase_S1_19 TestManySmallChunks TestMemoryIsFlat_S4_15 TestMigrationIsKilled \
	TestMigrationLogIsCut TestMissingSkillsAreBounded TestNamedCases_S2_18 TestOwnFilesSurviveFaults TestPackingIsCut \
	TestPartyKilledAtEveryAppend TestReadGivesWhatWasShown TestRecordedFoldersOpen TestRecordedJournalsFold \
	TestRecordedReviewsGoOn TestRecoverCutShort TestRewriteIsKilled TestRoomOfManyEntries_B30 \
	TestRoomsOfRandomTrees_B30 TestSalvageCutLog TestSalvageCutShort TestSalvageEveryPage TestSalvageIsKilled \
	TestSmallChangeMovesLittle TestSmallChangesMoveFewHouses TestTablesEqualTheFold TestTextsRoundTrip \
	TestTheWindowIsTheSetting_S1_18 TestYear
EXHAUSTIVE_IN := ./server/agent/model ./server/app ./server/dungeon ./server/realm ./server/store/erasure ./server/store/files \
	./server/store/journal ./server/store/recovery ./server/syntax
space := $() $()
export EXHAUSTIVE_PATTERN := ^($(subst $(space),|,$(strip $(EXHAUSTIVE))))$$
# All tests, or those that RUN chooses.
ALL := $(filter .,$(RUN))

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
MODULES := client/node_modules/.installed
PAGE := client/dist/index.html
ATLAS := client/public/atlas/atlas.json
PAGE_SOURCES := $(shell find client/src client/public client/index.html client/vite.config.ts client/tsconfig.json -type f -not -path 'client/public/atlas/*' 2>/dev/null)

.PHONY: help run build install test test-race test-page test-server test-rest test-e2e check size licences mutants bench bench-review gallery pictures fuzz soak test-agents dev generate page server preflight preflight-race browser-wanted staticcheck

help: ## list the targets
	@echo "Agent Dungeon. Start with: make run"
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: build ## build page and server and serve http://127.0.0.1:3001 (ARGS="-script FILE" and other flags)
	@exec bin/agentdungeon serve $(ARGS)

build: page server ## build bin/agentdungeon: one static binary with the page inside

# Where "go install" puts programs, so that nobody needs to be root; with PREFIX as other programs do it.
# The old program is replaced by name, because a server may run it.
install: build ## put agentdungeon on PATH: into the folder of "go install", or PREFIX/bin (PREFIX=/usr/local)
	@prefix='$(PREFIX)'; dir='$(DESTDIR)'"$${prefix:+$$prefix/bin}"; \
	if [ -z "$$prefix" ]; then dir+=$$(go env GOBIN); fi; \
	if [ -z "$$prefix" ] && [ -z "$$(go env GOBIN)" ]; then gopath=$$(go env GOPATH); dir+=$${gopath%%:*}/bin; fi; \
	mkdir -p "$$dir"; \
	cp bin/agentdungeon "$$dir/.agentdungeon.new"; \
	chmod 755 "$$dir/.agentdungeon.new"; \
	mv -f "$$dir/.agentdungeon.new" "$$dir/agentdungeon"; \
	echo "installed $$dir/agentdungeon"; \
	case ":$$PATH:" in *":$$dir:"*) ;; *) echo "$$dir is not on PATH: add it, as in export PATH=\"\$$PATH:$$dir\"" ;; esac

page: preflight $(PAGE)

server: preflight page
	CGO_ENABLED=0 go build -ldflags '-s -w -X main.version=$(VERSION)' -o bin/agentdungeon ./server

# Tests of the store wait for the disk, and those of the browser for the page, so three groups run side by side. Only
# the groups that need the built page wait for it.
test: preflight-race browser-wanted $(MODULES) ## run everything: Go (with -race where goroutines are), the page's unit tests, browser tests (RUN=regexp for some)
	@$(MAKE) --jobs 3 test-race test-page test-e2e test-server test-rest
	@if [ -z "$(CHROMIUM)" ]; then scripts/no-chromium.sh; fi

test-race:
	go test $(RACING) $(TESTING) -timeout 30m -run '$(RUN)' $(if $(ALL),-skip '$(EXHAUSTIVE_PATTERN)') $(filter-out ./server,$(RACED))

test-page: $(MODULES)
	cd client && node_modules/.bin/vitest run

test-server: page
	go test $(RACING) $(TESTING) -timeout 30m -run '$(RUN)' ./server

test-rest: page
	$(if $(ALL),go test $(TESTING) -timeout 30m -run '$(EXHAUSTIVE_PATTERN)' $(EXHAUSTIVE_IN))
	go test $(TESTING) -timeout 30m -run '$(RUN)' $$(go list ./... | grep -vxFf <(go list $(RACED) ./server/e2e))

test-e2e: page
	go test $(TESTING) -timeout 30m -parallel 6 -run '$(RUN)' ./server/e2e

check: preflight $(MODULES) staticcheck ## format, vet, staticcheck, tsc, eslint, prettier, generated files, go.mod, licences, house rules, cited rules, some mutants
	@scripts/check.sh

size: preflight ## print the lines of the program by package, and how many are over 120 columns
	go run ./scripts/size

licences: preflight $(MODULES) ## list what the binary and the page are made of and under which licence; fail for copyleft and unknown ones
	go run ./scripts/licences

mutants: preflight $(MODULES) ## break the program on purpose, one rule at a time: a test must notice each (MUTANTS=regexp for some)
	go run ./scripts/mutants -run '$(MUTANTS)'

generate: preflight $(MODULES) ## write shared/schema.json, shared/RULES.md, the page's types, the tables of languages and the personas of the heroes
	go run ./scripts/schema
	go run ./scripts/rows
	go run ./scripts/languages
	go run ./scripts/personas
	go -C scripts/tools run ./secrets
	cd client && node scripts/protocol.mjs

bench: preflight page ## print the figures beside their limits, about half an hour (BENCH=regexp for some, BENCH_OUT=file, AGAINST=older server)
	go run ./scripts/bench -run '$(BENCH)' $(if $(BENCH_OUT),-out '$(BENCH_OUT)') $(if $(AGAINST),-against '$(AGAINST)')

bench-review: preflight ## plant applications with flows and look-alikes, print precision and recall of each rule (ARGS="FOLDER..." for labelled ones)
	go run ./scripts/benchreview $(ARGS)

gallery: preflight browser-wanted page ## make a picture of each screen at four sizes, dark and light, in test-artifacts/gallery
	AGENTDUNGEON_REQUIRE_BROWSER=1 AGENTDUNGEON_GALLERY=$(CURDIR)/test-artifacts/gallery go test ./server/e2e -count 1 -run 'TestPageScreens|TestPageShowsHeroesAtWork'

pictures: preflight browser-wanted page ## make the pictures of the README again, in client/pictures
	AGENTDUNGEON_REQUIRE_BROWSER=1 AGENTDUNGEON_PICTURES=$(CURDIR)/client/pictures go test ./server/e2e -count 1 -run TestPictures

fuzz: preflight ## run every fuzz target for FUZZTIME each (20s)
	@scripts/fuzz.sh $(FUZZTIME)

soak: preflight-race page ## repeat the kill and convergence tests with random seeds for SOAK (5m)
	@scripts/soak.sh $(SOAK)

# The programs lie in a folder that git ignores; each is installed once, in the version that scripts/agents pins.
test-agents: preflight page ## test with the real Claude Code, Codex, OpenCode and Gemini CLI, which it installs into bin/agents (RUN=regexp for some)
	AGENTDUNGEON_PROGRAMS=$(CURDIR)/bin/agents go test -v $(TESTING) -timeout 30m -run '$(RUN)' ./scripts/agents
	$(if $(ALL),AGENTDUNGEON_PROGRAMS=$(CURDIR)/bin/agents go test -v $(TESTING) -timeout 30m -run TestClientsAsk ./server/e2e)

dev: preflight $(MODULES) $(ATLAS) ## live reload: the page on http://127.0.0.1:5173, the server restarted on change
	@scripts/dev.sh $(ARGS)

preflight:
	@scripts/preflight.sh

preflight-race: preflight
	@scripts/preflight.sh race

browser-wanted:
	@if [ -z "$(CHROMIUM)" ]; then scripts/no-chromium.sh; fi

staticcheck: preflight
	@go -C scripts/tools build -o $(CURDIR)/bin/staticcheck honnef.co/go/tools/cmd/staticcheck

# npm ci removes node_modules first, so the mark exists only after a complete install.
$(MODULES): client/package-lock.json | preflight
	cd client && npm ci --include=dev --prefer-offline --no-audit --no-fund
	@touch $@

# scripts/art draws all sprites of the map.
$(ATLAS): $(wildcard scripts/art/*.go) | preflight
	go run ./scripts/art -out $(dir $@)

$(PAGE): $(MODULES) $(ATLAS) $(PAGE_SOURCES)
	cd client && node_modules/.bin/vite build --logLevel warn
	@test -f $@
