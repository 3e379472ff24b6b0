# From the docs to a report, as plain shell pipelines.
#
#   make demo        all set-up, then the main job on the docs of this project;
#                    Q="a question" answers that one
#   make test        the tests (fetches the models first, so that none is skipped)
#   make retrieval   the retrieval report on Mobium's docs at corpus.pin
#   make generation  answers to the golden questions by ENGINE (ollama:$MOBIUM_RAG_MODEL, or
#                    extract, which needs no server), and their report
#   make judge       the answers of make generation before JUDGES (ollama models,
#                    claude-cli:MODEL, lexical, lexical+ce), each with its controls, and
#                    data/judge-report.md; judges that ran before stay in the report
#   make keep-judge-run  copy that report to data/judge-report-runN.md, with the next N
#   make ci          the tests, then the gate on the embedded docs, and on Mobium's where they are
#   make ablation    every retrieval system side by side on the tune half, with paired intervals
#   make headline    the chosen system on the other half, once it is in the ledger
#   make collections the public collections of IR, a folder with nfcorpus, cranfield and fastapi_docs
#   make repin PIN=COMMIT  what moving the pin there does to gold: data/repin-report.md, and
#                    proposals in data/golden-next-pin.jsonl; corpus.pin stays for you to move
#   make bench       speed and memory
#
# Variables: MOBIUM_PUBLIC (a checkout of Mobium, default ~/mobium-public), PIN (a
# commit, tag or branch in place of corpus.pin), MR_MODELS and MR_CACHE (where
# models and cache are), TIMING=-timing (latency in the report).

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory

MOBIUM_PUBLIC ?= $(HOME)/mobium-public
PIN ?= corpus.pin
IR ?= ../shared/ir
TESTFLAGS ?=
TIMING ?=
export PATH := $(CURDIR)/bin:$(PATH)

# A corpus is cut by CUT and asked the questions of GOLDEN; what is made of it goes to D.
D ?= data
CUT ?= mr-cut -repo "$(MOBIUM_PUBLIC)" -pin "$(PIN)"
GOLDEN ?= data/golden.jsonl
FLOORS ?= data/floors-mobium.txt
LEDGER ?= -ledger data/headline-ledger.jsonl
NOTE ?= 'The system was chosen on the tune half of these questions, so the figures on all questions are chosen on this set; the headline half was not used to choose.'
EMBEDDED = D=data/embedded CUT='mr-cut -embedded' GOLDEN=data/golden-embedded.jsonl LEDGER= \
	FLOORS=data/floors-embedded.txt HALVES=all \
	NOTE='"The docs of this project itself: a check that the machine works, not a measure of it."'

.PHONY: all bin models test corpus index hits report retrieval answers generation gate ci demo \
	judge judged keep-judge-run ablation headline collections repin bench lint clean need-mobium

all: bin

bin:
	go build -o bin/ ./cmd/...

models:
	scripts/fetch-models

test: models
	go test -timeout 30m $(TESTFLAGS) ./...

# ---- the pipeline ---------------------------------------------------------

corpus: bin
	mkdir -p $(D)
	$(CUT) > $(D)/corpus.jsonl

index: corpus models
	mr-embed -as passage < $(D)/corpus.jsonl | mr-index build -index $(D)/index
	mr-embed -as question < $(GOLDEN) > $(D)/questions.jsonl

# Each first stage alone, then the usual two stages, then the default.
hits: index
	mr-index search -index $(D)/index -mode bm25   -k 40 < $(D)/questions.jsonl > $(D)/bm25.jsonl
	mr-index search -index $(D)/index -mode vector -k 40 < $(D)/questions.jsonl > $(D)/bi-encoder.jsonl
	mr-index search -index $(D)/index -mode hybrid -k 40 $(TIMING) < $(D)/questions.jsonl > $(D)/hits.jsonl
	mr-rerank -system two-stage -fuse cross-encoder -method last < $(D)/bi-encoder.jsonl > $(D)/two-stage.jsonl
	mr-rerank -system fused $(TIMING) < $(D)/hits.jsonl > $(D)/reranked.jsonl

METRICS = recall@1,recall@3,recall@5,recall@5p,recall@10,recall@20,MRR@10,nDCG@5,nDCG@10

# The headline half first: nothing was chosen on it. The floors are of all questions.
# mr-score and mr-boot exit 3 where a control or a floor says no; the page is made all the same.
HALVES ?= headline all
report: hits
	verdict=0; for half in $(HALVES); do \
		mr-score retrieval -half $$half -golden $(GOLDEN) -corpus $(D)/corpus.jsonl $(LEDGER) -metrics $(METRICS) \
			$(D)/bm25.jsonl $(D)/bi-encoder.jsonl $(D)/hits.jsonl $(D)/two-stage.jsonl $(D)/reranked.jsonl > $(D)/scores-$$half.jsonl || verdict=$$?; \
		floors=; if test $$half = all; then floors='-floors $(FLOORS)'; fi; \
		mr-boot -baseline bi-encoder $$floors < $(D)/scores-$$half.jsonl > $(D)/intervals-$$half.jsonl || verdict=$$?; \
		test $$verdict -eq 0 -o $$verdict -eq 3 || exit $$verdict; \
	done; \
	mr-report -note $(NOTE) -system fused -o $(D)/retrieval-report.md $(D)/corpus.jsonl $(GOLDEN) \
		$(HALVES:%=$(D)/scores-%.jsonl) $(HALVES:%=$(D)/intervals-%.jsonl); \
	exit $$verdict
	@echo "$(D)/retrieval-report.md is written, and the gate passes"

# Answers of ENGINE (extract needs no model server) to all golden questions. MOBIUM_RAG_MODEL names another model.
ENGINE ?= ollama:$(or $(MOBIUM_RAG_MODEL),llama3.1:8b)
answers: hits
	mr-answer -engine $(ENGINE) < $(D)/reranked.jsonl > $(D)/answers.jsonl
	verdict=0; mr-score answers -golden $(GOLDEN) -corpus $(D)/corpus.jsonl $(D)/answers.jsonl > $(D)/answer-scores.jsonl || verdict=$$?; \
	mr-boot < $(D)/answer-scores.jsonl > $(D)/answer-intervals.jsonl || verdict=$$?; \
	test $$verdict -eq 0 -o $$verdict -eq 3 || exit $$verdict; \
	mr-report -title 'Generation report' -o $(D)/generation-report.md $(GOLDEN) $(D)/answer-scores.jsonl $(D)/answer-intervals.jsonl; \
	exit $$verdict

generation: need-mobium
	$(MAKE) answers

# Answers are judged as they are there; where there are none they are made.
$(D)/answers.jsonl:
	$(MAKE) answers

# Verdicts are kept in $(D)/verdicts: a run goes on where it was, and labels that
# arrive later ask no judge anew. The report has all judges of $(D)/judged.
MOBIUM_RAG_JUDGES ?= qwen2.5:14b,mistral-small:24b
JUDGES ?= $(MOBIUM_RAG_JUDGES)
LABELS ?= $(wildcard review/labels*.json)
JUDGEFLAGS ?= -repeat 2
VERDICT ?= $$verdict
comma := ,
judged: bin $(D)/answers.jsonl
	mkdir -p $(D)/judged
	verdict=0; for judge in $(subst $(comma), ,$(JUDGES)); do \
		to=$(D)/judged/$$(printf %s "$$judge" | tr -c 'A-Za-z0-9.+-' _).jsonl; status=0; \
		mr-judge -judge "$$judge" -kept $(D)/verdicts $(JUDGEFLAGS) -golden $(GOLDEN) -corpus $(D)/corpus.jsonl $(D)/answers.jsonl > "$$to.part" || status=$$?; \
		case $$status in 0) ;; 3) verdict=3;; *) exit $$status;; esac; \
		mv "$$to.part" "$$to"; \
	done; \
	cat $(D)/judged/*.jsonl > $(D)/verdicts.jsonl; \
	mr-score agreement $(LABELS:%=-labels %) $(D)/judged/*.jsonl > $(D)/agreement.jsonl || test $$? -eq 3; \
	mr-boot $(D)/agreement.jsonl > $(D)/judge-intervals.jsonl || { test $$? -eq 3; verdict=3; }; \
	mr-report -title 'Judge report' -o $(D)/judge-report.md $(GOLDEN) $(D)/judged/*.jsonl $(D)/agreement.jsonl $(D)/judge-intervals.jsonl; \
	echo '$(D)/judge-report.md is written'; \
	exit $(VERDICT)

judge: need-mobium
	$(MAKE) judged

# The first N that is free, and never one that is taken.
keep-judge-run:
	@test -f $(D)/judge-report.md || { echo 'error: no $(D)/judge-report.md'; echo 'hint: make judge writes it'; exit 1; } >&2
	@n=1; until (set -o noclobber; sed "s/](judge-report-/](judge-report-run$$n-/" $(D)/judge-report.md > $(D)/judge-report-run$$n.md) 2> /dev/null; do \
		test -e $(D)/judge-report-run$$n.md || { echo 'error: $(D) cannot be written to' >&2; exit 1; }; n=$$((n + 1)); done; \
	for plot in $$(sed -n 's/^!.*](\(judge-report-.*\.svg\))$$/\1/p' $(D)/judge-report.md); do \
		cp $(D)/$$plot $(D)/judge-report-run$$n-$${plot#judge-report-}; done; \
	echo "$(D)/judge-report-run$$n.md is kept"

need-mobium:
	@git -C "$(MOBIUM_PUBLIC)" rev-parse --git-dir > /dev/null 2>&1 || { \
		echo 'error: MOBIUM_PUBLIC=$(MOBIUM_PUBLIC) is not a git repository'; \
		echo 'hint: clone the public Mobium repository there, or name your checkout: make retrieval MOBIUM_PUBLIC=DIR'; \
		exit 1; } >&2

retrieval: need-mobium
	$(MAKE) report

gate:
	$(MAKE) report $(EMBEDDED)
	@if git -C "$(MOBIUM_PUBLIC)" rev-parse --git-dir > /dev/null 2>&1; then \
		$(MAKE) report && echo 'gate: ran on the embedded docs and on Mobium at $(PIN)'; \
	else \
		echo 'gate: ran on the embedded docs; not on Mobium: no repository at $(MOBIUM_PUBLIC)'; \
	fi

ci: test gate

# The main job on a fresh machine: the report on the embedded docs, and an answer.
Q ?= what does it mean when a number is not shown but broken?
demo:
	$(MAKE) report $(EMBEDDED)
	@sed -n -e '/^\*\*The gate/p' -e '/^### Systems/,/^### [^S]/{/^###/d;p}' data/embedded/retrieval-report.md
	@scripts/ask -index data/embedded/index "$(Q)"
	@rm -rf data/embedded/judged; mr-answer -engine extract < data/embedded/reranked.jsonl > data/embedded/answers.jsonl
	@$(MAKE) -s judged $(EMBEDDED) JUDGES=lexical LABELS= VERDICT=0 2> data/embedded/judge.log || { cat data/embedded/judge.log >&2; exit 1; }
	@sed -n '/^| judge | f/,/^| lexical |/p' data/embedded/judge-report.md

# ---- measuring -------------------------------------------------------------

# Every variant on the questions for choosing. Nothing here sees the headline half.
ablation: need-mobium index
	scripts/ablation $(D) $(GOLDEN) > $(D)/ablation-intervals.jsonl
	mr-report -title Ablation -o $(D)/ablation-report.md $(D)/ablation-scores.jsonl $(D)/ablation-intervals.jsonl

headline: need-mobium hits
	mr-score retrieval -golden $(GOLDEN) -corpus $(D)/corpus.jsonl -half headline $(LEDGER) -metrics $(METRICS) $(D)/reranked.jsonl > $(D)/headline-scores.jsonl
	mr-boot < $(D)/headline-scores.jsonl > $(D)/headline-intervals.jsonl
	mr-report -title 'Headline half' -o $(D)/headline-report.md $(D)/headline-scores.jsonl $(D)/headline-intervals.jsonl

collections: bin models
	scripts/collections $(IR) $(D)/collections

# FROM is where the golden set stands, the commit in corpus.pin if it is not named.
# REPINFLAGS=-n writes the report alone, -reopen makes drafts of questions whose gold changed.
FROM ?= corpus.pin
REPINFLAGS ?=
repin: need-mobium bin
	@test '$(PIN)' != corpus.pin || { \
		echo 'error: make repin moves from the commit in corpus.pin to another'; \
		echo 'hint: name it: make repin PIN=COMMIT'; exit 2; } >&2
	mkdir -p $(D)
	mr-cut -repo "$(MOBIUM_PUBLIC)" -pin '$(FROM)' > $(D)/corpus-pinned.jsonl
	mr-cut -repo "$(MOBIUM_PUBLIC)" -pin '$(PIN)' > $(D)/corpus-next.jsonl
	mr-review repin -from $(D)/corpus-pinned.jsonl -to $(D)/corpus-next.jsonl $(REPINFLAGS) > $(D)/repin-report.md
	@echo '$(D)/repin-report.md is written. corpus.pin is as it was: move it when you have read the report.'

bench: models
	go test -run '^$$' -bench . -benchmem ./pkg/...

lint:
	@test -z "$$(gofmt -s -l .)" || { gofmt -s -d . | head -40; exit 1; }
	go vet ./...

clean:
	rm -rf bin data/embedded data/index data/collections data/*.jsonl.tmp
	git clean -fdXq -e '!data/verdicts' data # those cost hours
