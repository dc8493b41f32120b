# Tenfold's front door. `make run` and `make test` set up whatever they need; Meson and Ninja do the building.
#
#   make BUILD=release    -O2 -g with assertions (the default), in build/
#   make BUILD=debug      -O0 -g, in build-debug/
#   make BUILD=sanitize   -O1 -g with clang's ASan and UBSan, in build-sanitize/
#   make BUILD=tsan       -O1 -g with clang's ThreadSanitizer, in build-tsan/
#   make CC=clang-19      any of these with another compiler, in a folder of its own
#   make V=1              show the compiler's command lines
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
BUILD ?= release
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

dir.release  := build
dir.debug    := build-debug
dir.sanitize := build-sanitize
dir.tsan     := build-tsan
flags.release  := --buildtype=debugoptimized
flags.debug    := --buildtype=debug
flags.sanitize := --buildtype=debugoptimized -Doptimization=1 -Db_sanitize=address,undefined -Db_lundef=false
flags.tsan     := --buildtype=debugoptimized -Doptimization=1 -Db_sanitize=thread -Db_lundef=false
sanitized := $(filter sanitize tsan,$(BUILD))
# An extension with sanitizers in it cannot be loaded by a Python without.
flags.python := $(if $(sanitized),,-Dpython=true -Dpython_path=$(abspath .venv/bin/python))
$(if $(dir.$(BUILD)),,$(error BUILD is '$(BUILD)'; it may be release, debug, sanitize or tsan))

# make's own default for CC is not a wish. Sanitizers are clang's: its leak check takes milliseconds, gcc's seconds.
compiler := build
ifneq ($(origin CC),default)
export CC
suffix := -$(notdir $(firstword $(CC)))
else ifneq ($(sanitized),)
export CC := clang-19
compiler := clang
endif
dir := $(dir.$(BUILD))$(suffix)
# meson runs a script in the folder for temporary files, where any dl.py or ast.py would be imported instead of the library's.
meson := PYTHONSAFEPATH=1 meson
ninja := PYTHONSAFEPATH=1 ninja -C $(dir) $(if $(V),-v,--quiet)
python := .venv/bin/python

.PHONY: all build run demo test test-all test-faults test-kill test-wheel test-xla test-tpu opinfo-tpu bench bench-gpu bench-gpu-door bench-ops bench-steps bench-tiles bench-gemm bench-int8 bench-arrays bench-record bench-zoo edge-sizes opinfo opinfo-grad opinfo-archives opinfo-errors fuzz install wheel deb release clean distclean docs docs-site bench-visible format lint help
.NOTPARALLEL:
.DEFAULT_GOAL := all
all: build

# bin/, lib/ and the Python package in .venv point into the build folder, so that they are never older than it. A folder that
# was configured before cmocka came (by make run, say) is configured again.
build: | setup-$(compiler)
	@[ -f $(dir)/build.ninja ] || $(meson) setup $(dir) $(flags.$(BUILD)) --prefix=$(PREFIX) >$(dir).log 2>&1 || \
	  { cat $(dir).log; rm -rf $(dir) $(dir).log; exit 1; }
	@rm -f $(dir).log
	@flags="$(flags.python)$$(pkg-config --exists cmocka && echo ' -Dtests=enabled')"; \
	  [ "$$(cat $(dir)/.flags 2>/dev/null)" = "$$flags" ] || \
	  { [ -z "$$flags" ] || $(meson) configure $(dir) $$flags; echo "$$flags" >$(dir)/.flags; }
	@$(ninja) | { grep -v 'no work to do' || true; }
	@mkdir -p bin lib
	@ln -sfn ../$(dir)/tools/cli/tenfold bin/tenfold
	@ln -sfn ../$(dir)/libtenfold.so lib/libtenfold.so
	@ln -sfn ../$(dir)/src/plugin/libtenfold_pjrt.so lib/libtenfold_pjrt.so
	@if [ -n "$(flags.python)" ]; then ln -sfn ../../$(dir)/python/_core.abi3.so python/tenfold/_core.abi3.so; \
	  scripts/link-package .venv; fi

setup-%:
	@scripts/setup $*

## run: the main job: VGG19, forward and training step, compared with PyTorch (N=100 for another batch)
run: setup-run build
	@$(python) bench/vgg19.py $(if $(N),--batch $(N))

## demo: a StableHLO program, shown, run and checked
demo: build
	@examples/run-demo

## test: unit tests, command-line tests, Python tests, the StableHLO programs in ../shared when they are there
test: setup-test build
	@$(python) scripts/test --build $(dir) $(if $(sanitized),--only unit)

## test-all: test, then sanitizers (ASan and UBSan, TSan), clang, the fuzzers, the style checks and (as root) the wheel in a bare Debian, and a fresh Debian
test-all: export TENFOLD_TEST_ALL := 1
test-all: setup-all test lint
	@$(MAKE) --no-print-directory test BUILD=sanitize
	@$(MAKE) --no-print-directory test BUILD=tsan
	@$(MAKE) --no-print-directory test CC=clang-19
	@$(MAKE) --no-print-directory test-faults
	@$(MAKE) --no-print-directory fuzz
	@$(MAKE) --no-print-directory build
	@scripts/test-tpu
	@if [ "$$(id -u)" = 0 ]; then $(MAKE) --no-print-directory test-wheel && scripts/test-fresh; else echo "test-wheel, test-fresh: skipped, need root (debootstrap)"; fi

## test-xla: the migrator's corpus on the real torch_xla 2.9, in an environment of its own (x86_64, 7 GB)
test-xla: build
	@scripts/test-xla

## test-tpu: TorchTPU on the simulated TPU: eight models train, PyTorch/XLA and CUDA programs are migrated and proven (x86_64, 330 MB)
test-tpu: build
	@scripts/test-tpu

## opinfo-tpu: PyTorch's OpInfo database on TorchTPU's device over the simulated TPU, and docs/tpu-coverage.md (RESUME=1 goes on)
opinfo-tpu: build
	@scripts/test-tpu opinfo $(if $(RESUME),--resume) --out $(dir)/opinfo-tpu.json --docs docs/tpu-coverage.md $(ARGS)

## bench: Tenfold compared with PyTorch, inductor, ONNX Runtime, OpenVINO and JAX (ARGS="--model bert --batch 1")
bench: build setup-bench
	@scripts/link-package .venv-bench
	@.venv-bench/bin/python bench/compare.py $(ARGS)

## bench-int8: ResNet-50 and BERT-base in int8 compared with ONNX Runtime and OpenVINO (ARGS="--model bert --batch 1 --threads 1")
bench-int8: build setup-bench
	@scripts/link-package .venv-bench
	@.venv-bench/bin/python bench/int8.py $(ARGS)

## edge-sizes: sizes of TFLite files compared with those of litert-torch, as in docs/edge.md (ARGS=resnet)
edge-sizes: build setup-edge
	@.venv-edge/bin/python tests/cli/edge_sizes.py $(ARGS)

## bench-steps: training steps and their peak memory compared with PyTorch, inductor and JAX (ARGS="--model bert --batch 1")
bench-steps: build setup-bench
	@.venv-bench/bin/python bench/steps.py $(ARGS)

## bench-gpu: --device cuda compared with PyTorch on the same GPU (ARGS="--models bert --batches 1"); PYTHON has torch with CUDA
bench-gpu: build
	@$(or $(PYTHON),python3) bench/gpu.py $(ARGS)

## bench-gpu-door: torch.compile on CUDA tensors compared with eager mode and inductor (ARGS, PYTHON as for bench-gpu)
bench-gpu-door: build
	@PYTHONPATH=python $(or $(PYTHON),python3) bench/gpu_door.py $(ARGS)

## bench-ops: one op at a time compared with PyTorch eager (ARGS="--filter conv")
bench-ops: build setup-bench
	@.venv-bench/bin/python bench/ops.py $(ARGS)

## bench-zoo: more than a hundred architectures through every door, with PyTorch eager and inductor in the same run (ARGS="--model lstm --row forward-1")
bench-zoo: build setup-zoo
	@scripts/link-package .venv-bench
	@.venv-bench/bin/python bench/zoo.py $(ARGS)

## bench-tiles: AMX's tile multiplications and loads, by the tile registers that a loop uses (ARGS="0 6", CPUs to run on at once)
bench-tiles:
	@mkdir -p $(dir)
	@$(CC) -std=c11 -D_GNU_SOURCE -O2 $(if $(filter x86_64,$(shell uname -m)),-mamx-tile -mamx-bf16) -Isrc bench/tiles.c src/backend/cpu/kernels/bf16_amx.c -o $(dir)/tiles -lpthread
	@$(dir)/tiles $(ARGS)

## bench-gemm: the bf16 GEMMs of a model, interleaved with and without prefetching (ARGS="resnet 10 idle")
bench-gemm: build
	@$(CC) -std=c11 -D_GNU_SOURCE -O3 -march=native $(if $(filter x86_64,$(shell uname -m)),-mamx-tile -mamx-bf16) -Isrc bench/gemm.c $(dir)/src/backend/cpu/kernels/libtenfold_kernels.a -o $(dir)/gemm -lm -lpthread
	@$(dir)/gemm $(ARGS)

## bench-arrays: arrays without jit compared with NumPy, PyTorch eager, JAX and MLX (ARGS="--filter matmul --python mlx=/venv/bin/python")
bench-arrays: build setup-bench
	@scripts/link-package .venv-bench
	@.venv-bench/bin/python bench/arrays.py $(ARGS)

## bench-record: what recording one operation on arrays costs in C (ARGS="50", rounds)
bench-record: build
	@$(CC) -std=c11 -D_GNU_SOURCE -O2 -Iinclude bench/record.c -o $(dir)/record -L$(dir) -ltenfold -Wl,-rpath,$(abspath $(dir))
	@$(dir)/record $(ARGS)

## bench-visible: what profiling costs; size of the reports of BERT-base and of VGG19's training step, and how long Chromium takes to draw them
bench-visible: setup-test build
	@$(python) bench/visible.py $(ARGS)

## opinfo: PyTorch's OpInfo and ModuleInfo databases on the device, the table, and docs/coverage.md (RESUME=1 goes on, BACKEND=interp interprets)
opinfo: setup-test build
	@$(python) tests/opinfo/run.py $(if $(RESUME),--resume) --backend $(or $(BACKEND),cpu) --out $(dir)/opinfo.json --docs docs/coverage.md

## opinfo-grad: gradients of OpInfo by our own rules compared with torch.autograd's; their table in docs/coverage.md (RESUME=1 goes on)
opinfo-grad: setup-test build
	@$(python) tests/opinfo/gradients.py $(if $(RESUME),--resume) --backend $(or $(BACKEND),interp) --out $(dir)/opinfo-grad.json --docs docs/coverage.md

## opinfo-archives: OpInfo through .pt2 archives: what an export leaves whole, or writes in place (ARGS="gradient diff", entries)
opinfo-archives: setup-test build
	@$(python) tests/opinfo/archives.py $(ARGS)

## opinfo-errors: what eager PyTorch raises, torch.compile, the device and archives raise: OpInfo's error inputs and 200 more (ARGS="gather take", entries)
opinfo-errors: setup-test build
	@$(python) tests/opinfo/errors.py $(ARGS)

## test-wheel: the wheels in a bare Debian 12, and Ubuntu 24.04, without compiler and LLVM, through every door (as root; SUITES=bookworm)
test-wheel: wheel
	@scripts/test-wheel $(SUITES)

## test-kill: 500 kill -9 during training and cache writes
test-kill: setup-test build
	@TENFOLD_TEST_ALL=1 $(python) -m pytest -q tests/python/test_kill.py

## test-faults: every allocation of every command fails in turn (ARGS="-k train", commands)
test-faults: setup-test build
	@TENFOLD_TEST_FAULTS=1 $(python) -m pytest -q tests/cli/test_faults.py $(ARGS)

## fuzz: every fuzzer for FUZZ_SECONDS (60), with clang's ASan and UBSan
fuzz: setup-clang setup-test
	@[ -f build-fuzz/build.ninja ] || CC=clang-19 $(meson) setup build-fuzz -Dfuzz=true -Dtests=disabled --buildtype=debugoptimized \
	  -Doptimization=1 -Db_sanitize=address,undefined -Db_lundef=false >/dev/null
	@PYTHONSAFEPATH=1 ninja -C build-fuzz --quiet | { grep -v 'no work to do' || true; }
	@[ build-fuzz/schemas.txt -nt fuzz/schemas.py ] || $(python) fuzz/schemas.py build-fuzz/schemas.txt
	@FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz build-fuzz/fuzz

## install: headers, library, command, pkg-config file, man pages and completions under PREFIX (DESTDIR is honoured)
install: build
	@$(meson) configure $(dir) -Dprefix=$(abspath $(PREFIX))
	@$(meson) install -C $(dir) --strip --quiet >/dev/null
	@echo "installed under $(DESTDIR)$(abspath $(PREFIX))"

## wheel: tenfold (everything inside, manylinux) and jax-tenfold as wheels, in dist/
wheel: setup-wheel
	@scripts/make-wheel

## deb: command, library and headers as a Debian package, in dist/
deb: setup-deb build
	@scripts/make-deb

## release: wheels, Debian package, sources, checksums and a bill of materials, in dist/
release: wheel deb
	@scripts/make-release

## format: rewrite C and Python sources in the house style
format: setup-lint
	@git ls-files '*.c' '*.h' | xargs -r clang-format-19 -i
	@.venv/bin/ruff format --quiet $$(git ls-files '*.py') scripts/check-wheel scripts/docs-site scripts/include-graph scripts/make-sbom scripts/test scripts/test-jax scripts/update-docs
	@.venv/bin/ruff check --quiet --fix $$(git ls-files '*.py') scripts/check-wheel scripts/docs-site scripts/include-graph scripts/make-sbom scripts/test scripts/test-jax scripts/update-docs

## lint: say what is not in the house style
lint: setup-lint
	@scripts/lint

## docs: write down what the documentation's examples print now
docs: setup-test build
	@$(python) scripts/update-docs

## docs-site: the documentation as a site with search and versions, in dist/site
docs-site: setup-docs
	@scripts/docs-site

## clean: remove what was built; distclean: .venv too
clean:
	@rm -rf build build-* bin lib out dist

distclean: clean
	@rm -rf .venv .venv.lock .cache

help:
	@sed -n 's/^## /  make /p' Makefile
