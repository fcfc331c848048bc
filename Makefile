# Chores of the project. `make help` lists them.

CARGO ?= cargo
# Seconds that each fuzz target runs.
FUZZ_SECONDS ?= 600
# Kills that `make kills` makes, and the seed of the moments.
KILLS ?= 200
KILLS_SEED ?= 1
FUZZ_TARGETS := parse print check mutate read smt script
# What a target starts from: programs, except for what verifiers print and what solvers are told.
FUZZ_SEEDS_read := fuzz/outputs
FUZZ_SEEDS_smt := fuzz/logs
FUZZ_SEEDS_script := fuzz/logs
FUZZ_SEEDS_programs := fuzz/seeds examples -dict=fuzz/boogie.dict
# Logs without progress bars.
export CARGO_TERM_PROGRESS_WHEN := never

.DEFAULT_GOAL := help
.PHONY: help demo experiment test fmt spell deny lint unit skipped doc update answers book package bench bench-verify bench-power soundness kills fuzz tools testtools

help: ## List the chores
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

demo: tools ## Test a shipped example with Boogie: installs Boogie and Z3 if missing
	$(CARGO) build --profile demo --locked --package mugie
	@echo "Trying all orders of the declarations of examples/brittle.bpl ..."
	@target/demo/mugie test examples/brittle.bpl --operators S1 --exhaustive -n 1000 || test $$? -eq 1

experiment: tools ## Run a small campaign over the shipped seeds, with its report in target/
	$(CARGO) build --profile demo --locked --package mugie
	target/demo/mugie campaign run campaigns/shipped.toml --no-fail
	target/demo/mugie campaign table campaigns/shipped.toml fail
	target/demo/mugie campaign report campaigns/shipped.toml --out target/experiment.html

test: tools testtools fmt spell lint unit doc skipped ## All that must be green; installs the programs it needs if missing

tools:
	scripts/install-tools boogie z3

# What only the tests call: Dafny for the seeds, CVC4 for a diagnosis, Why3 for translated programs, a browser for the report of a
# campaign, LaTeX for its tables, jq for the book; and a spelling checker.
testtools:
	scripts/install-tools boogie-3 dafny cvc4 cvc5 why3 chromium chromedriver=chromium-driver jq pdflatex=texlive-latex-recommended codespell

fmt:
	$(CARGO) fmt --all --check

# A word that is right although codespell does not think so goes into .codespellrc, with its reason.
spell:
	codespell

# The same as tests of crates/mugie/tests/tidy.rs, by another program.
deny: ## Have cargo-deny look at licences, versions and sources of dependencies; needs cargo-deny
	@$(CARGO) deny --version >/dev/null 2>&1 || { \
	  echo "cargo-deny is missing: cargo install --locked cargo-deny"; exit 2; }
	$(CARGO) deny --offline --locked check bans licenses sources

lint:
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

# Most tests wait for verifiers, and these for their solvers, so more of them than processors keep all of these busy.
unit:
	@if $(CARGO) nextest --version >/dev/null 2>&1; then \
	  set -x; $(CARGO) nextest run --workspace --locked --test-threads $$(( $$(nproc) * 3 / 2 )); \
	else \
	  set -x; $(CARGO) test --workspace --locked --lib --bins --tests; \
	fi
	$(CARGO) test --workspace --locked --doc

# The output of passing tests is hidden, so this says what was not tested.
skipped:
	@test -d ../shared || { \
	  echo "SKIPPED: ../shared, with other people's programs, is not next to the clone. Agreement with Boogie was checked"; \
	  echo "SKIPPED: on the committed programs only: crates/bpl-check/tests/programs.txt and fixtures. Not checked: the counts"; \
	  echo "SKIPPED: of conformance/manifest.snap, printing and types of large programs, verdicts of the paper's seeds,"; \
	  echo "SKIPPED: known flips (seeds/anchors), more traps (seeds/traps)."; }

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked

update: ## Write anew all that is generated and committed: snapshots, recorded texts, pages of the book
	CARGO=$(CARGO) scripts/update

# Not part of `update`: what a verifier prints has times in it, and depends on its version.
answers: tools ## Record anew what Boogie prints, in fixtures/answers; two minutes
	scripts/install-tools cvc4
	UPDATE=answers $(CARGO) test --locked --package mugie-verifiers --test answers verdicts

book: ## Build the book into target/book, and check its links and the pages that come from the code
	$(CARGO) run --locked --package mugie-book

package: ## Build a Debian package; needs cargo-deb
	@$(CARGO) deb --version >/dev/null 2>&1 || { \
	  echo "cargo-deb is missing: cargo install --locked cargo-deb"; exit 2; }
	$(CARGO) build --release --locked --package mugie
	target/release/mugie man target/package/man
	mkdir -p target/package/completions
	for shell in bash zsh fish; do \
	  target/release/mugie completions $$shell > target/package/completions/mugie.$$shell || exit 1; \
	done
	$(CARGO) deb --no-build --strip --package mugie

bench: ## Speed as ratios: to Boogie, to cp, and of a whole test to xargs
	scripts/install-tools boogie z3
	$(CARGO) bench --locked --package mugie --bench front_end
	$(CARGO) bench --locked --package mugie --bench mutants
	$(CARGO) bench --locked --package mugie --bench queries
	$(CARGO) bench --locked --package mugie --bench store
	$(CARGO) bench --locked --package mugie --bench overhead

bench-verify: ## Verifying mutants: mugie against GNU parallel; takes about an hour
	scripts/install-tools boogie z3 parallel
	$(CARGO) bench --locked --package mugie --bench verify

# Results are kept in target/power, and the next run goes on after the last one.
bench-power: ## How many runs it takes to find that a seed is brittle, for each way of drawing mutants; hours
	scripts/install-tools boogie z3
	$(CARGO) bench --locked --package mugie --bench power

# Rounds are kept in target/soundness, and the next run goes on after the last one. MINUTES=n ends it after n
# minutes, RELEASES=2 asks only Boogie 2; an interrupt ends it in order, without the round under way.
soundness: tools ## Random programs with decided verdicts: mutants against real Boogies, until told to stop
	$(CARGO) build --locked --package mugie-soundness
	VERSION="$$(git describe --always --dirty 2>/dev/null || echo unknown)" \
	  target/debug/mugie-soundness target/soundness docs/soundness.md

kills: tools ## Kill mugie, its watchdogs, verifiers, taps and solvers at KILLS random moments, and count what is left
	KILLS=$(KILLS) KILLS_SEED=$(KILLS_SEED) $(CARGO) test --locked --package mugie --test kills \
	  as_many_kills_as_are_asked_for -- --exact --nocapture

# The flags that fuzzing needs are for nightly compilers. Without one, the usual compiler is told to take them.
fuzz: ## Fuzz each target for FUZZ_SECONDS; needs cargo-fuzz
	@$(CARGO) fuzz --version >/dev/null 2>&1 || { \
	  echo "cargo-fuzz is missing: cargo install cargo-fuzz"; exit 2; }
	@$(MAKE) --no-print-directory $(FUZZ_TARGETS:%=fuzz-%)

fuzz-%: FUZZ_SEEDS = $(or $(FUZZ_SEEDS_$*),$(FUZZ_SEEDS_programs))
fuzz-%:
	@echo "fuzzing $* for $(FUZZ_SECONDS) s"
	@mkdir -p fuzz/corpus/$*
	@if rustup toolchain list 2>/dev/null | grep -q '^nightly'; then nightly=+nightly; else export RUSTC_BOOTSTRAP=1; fi; \
	$(CARGO) $$nightly fuzz run $* fuzz/corpus/$* $(filter-out -%,$(FUZZ_SEEDS)) -- $(filter -%,$(FUZZ_SEEDS)) \
	  -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=4096 -timeout=20 -max_len=65536 -print_final_stats=1
