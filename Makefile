# Chores of the project. `make help` lists them.

CARGO ?= cargo
# Seconds that each fuzz target runs.
FUZZ_SECONDS ?= 600
FUZZ_TARGETS := parse print check
# Logs without progress bars.
export CARGO_TERM_PROGRESS_WHEN := never

.DEFAULT_GOAL := help
.PHONY: help demo test fmt lint unit doc bench fuzz tools

help: ## List the chores
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

demo: tools ## Make mutants of a shipped example and verify them with Boogie
	$(CARGO) build --release --locked --package mugie
	target/release/mugie check examples/*.bpl
	target/release/mugie mutate examples/brittle.bpl --exhaustive --operators S1 -n 1000 --force --out target/demo
	@echo "Verifying the mutants with Boogie ..."
	@boogie /nologo /verifySeparately target/demo/*.bpl | grep -c 'finished with 1 verified, 0 errors' | \
	  sed 's/$$/ of the 119 mutants of a program that verifies do so, too/'

test: tools fmt lint unit doc ## All that must be green; installs boogie and z3 if missing

tools:
	scripts/install-tools boogie z3

fmt:
	$(CARGO) fmt --all --check

lint:
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

unit:
	@if $(CARGO) nextest --version >/dev/null 2>&1; then \
	  set -x; $(CARGO) nextest run --workspace --locked; \
	else \
	  set -x; $(CARGO) test --workspace --locked --lib --bins --tests; \
	fi
	$(CARGO) test --workspace --locked --doc

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked

bench: ## Speed of the front end and of mutants, as ratios to Boogie and to cp
	$(CARGO) bench --locked --package mugie --bench front_end
	$(CARGO) bench --locked --package mugie --bench mutants

fuzz: ## Fuzz each target for FUZZ_SECONDS; needs a nightly toolchain and cargo-fuzz
	@$(CARGO) fuzz --version >/dev/null 2>&1 || { \
	  echo "cargo-fuzz is missing: cargo install cargo-fuzz"; exit 2; }
	@for target in $(FUZZ_TARGETS); do \
	  echo "fuzzing $$target for $(FUZZ_SECONDS) s"; \
	  mkdir -p fuzz/corpus/$$target; \
	  $(CARGO) +nightly fuzz run $$target fuzz/corpus/$$target fuzz/seeds examples -- \
	    -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=4096 -timeout=20 -max_len=65536 -dict=fuzz/boogie.dict \
	    || exit 1; \
	done
