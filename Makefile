# SPDX-License-Identifier: Apache-2.0
# The work is done by the scripts in tools/; this file names them.
.PHONY: help build demo test test-long lint format bench clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

build:  ## build everything for the MPIs at hand; leaves .venv/bin/roundelay
	@tools/build.sh

demo: build  ## run a real MPI program twice, natively and through Roundelay
	@tools/demo.sh

test:  ## lint and all tests, on Open MPI and on MPICH
	@tools/test.sh

test-long:  ## the same with what takes long or much memory (messages beyond 2 GiB, the full matrix)
	@tools/test.sh --long

lint:  ## only the checks of style and types
	@tools/lint.sh

format:  ## put all sources into the house's format
	@tools/format.sh

bench:  ## the project's own benchmarks
	@tools/bench.sh

clean:  ## remove everything that the above made
	rm -rf build .venv .venv-openmpi .venv-mpich .deps
