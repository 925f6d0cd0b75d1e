# SPDX-License-Identifier: Apache-2.0
# The work is done by the scripts in tools/; this file names them.
.PHONY: help build demo kriging test test-long wheel install uninstall fuzz mpich-suite verify-circulant verify-inter lint format docs figures site repro bench clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 23

build:  ## build everything for the MPIs at hand; leaves .venv/bin/roundelay
	@tools/build.sh

demo:  ## show what is gained on this machine (90 seconds); BED=lab, cores or simulation
	@tools/demo.sh $(BED)

kriging: build  ## run a real MPI program twice, natively and through Roundelay: the same answer
	@examples/kriging/run.sh

test:  ## lint and all tests, on Open MPI and on MPICH
	@tools/test.sh

test-long:  ## the same with what takes long or much memory (messages beyond 2 GiB, the full matrix, every test under sanitizers, link-time checks)
	@tools/test.sh --long

wheel:  ## dist/roundelay-*.whl for Open MPI, MPICH and the standard ABI
	@tools/wheel.sh

install: build  ## installs into PREFIX, e.g. make install PREFIX=/opt/roundelay; with a modulefile
	@tools/prefix.sh install "$(PREFIX)"

uninstall:  ## removes from PREFIX what `make install` put there
	@tools/prefix.sh uninstall "$(PREFIX)"

fuzz:  ## random collectives, from a seed that is printed; SEED=7 again, CASES=100000, MPI=mpich12
	@tools/fuzz.sh $(if $(SEED),--seed $(SEED)) $(if $(CASES),--cases $(CASES)) \
	  $(if $(MPI),--mpi $(MPI)) $(if $(ONLY),--only $(ONLY))

mpich-suite:  ## MPICH's own tests with Roundelay (minutes); SOURCE=/tmp/mpich-4.0.2, MPI=mpi40, ONLY=coll/
	@tools/mpich_suite.sh $(if $(MPI),--mpi $(MPI)) $(if $(ONLY),--only '$(ONLY)') $(if $(SOURCE),'$(SOURCE)',--help)

verify-circulant:  ## check circulant schedules up to p = 2 million and collectives to 200; EVERY=1: every p (hours)
	@tools/verify_circulant.sh --every $(or $(EVERY),100)

verify-inter:  ## prove all that runs between two groups for p <= 40, q <= 120 (minutes)
	@tools/verify_inter.sh

lint:  ## only the checks of style and types
	@tools/lint.sh

format:  ## put all sources into the house's format
	@tools/format.sh

docs: build  ## write docs/collectives from the catalogue, docs/reference from --help
	@.venv/bin/python tools/document.py
	@.venv/bin/python tools/document_commands.py

figures: build  ## draw docs/figures anew, from docs/data and the tables of the pages
	@.venv/bin/python -m pip install --disable-pip-version-check --quiet -r tools/requirements-test.txt
	@.venv/bin/python tools/figures.py

site: build  ## the pages of docs/ as a site with search, in build/site; needs no network to be read
	@tools/site.sh

repro: build  ## simulate what the papers measured: PAPER=thakur, traff, bine, .. (repro/README.md); all (minutes)
	@for paper in $(or $(PAPER),thakur traff tipparaju kang jeannot bine swing pat tuna traff2410); do .venv/bin/python repro/$$paper.py || exit; done

bench:  ## the project's own benchmarks
	@tools/bench.sh

clean:  ## remove everything that the above made
	rm -rf build dist .venv .venv-openmpi .venv-mpich .venv-wheel .deps
