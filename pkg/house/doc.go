// Package house holds the rules of this repository as tests, and no code.
//
// # Architecture
//
// arch_test.go reads every source file and fails for each of these:
//   - Arrows go one way: cmd → pkg/tool and pkg/…/…stage → pkg/stage → domain
//     packages → pkg/record → pkg/hint. A package whose name ends in "stage"
//     lifts its parent onto streams. A domain package imports neither those,
//     nor pkg/tool, nor flag.
//   - os.Exit, os.Args, os.Stdin, os.Stdout, os.Stderr, package log and
//     fmt.Print… stand in cmd and pkg/tool alone.
//   - A tool's main.go holds at most 80 lines of code, blank lines and comments
//     aside; the file of one of its commands, with its flags, at most 120.
//   - No package is called util, utils, common, helper, helpers, misc, lib,
//     base or shared. No exported function or method begins with Get.
//   - Every package has a package comment.
//
// # Commands in the docs
//
// docs_test.go runs the commands that the docs show, so that they stay true.
// It fails where it finds none. A transcript is a block of lines in which each
// command stands after "$ ", and what it prints, on stdout and stderr together,
// stands under it:
//
//	$ echo '{"type":"document","path":"a.md","text":"# A"}' | mr-cut | wc -l
//	3
//	$ mr-cut nowhere.jsonl
//	mr-cut: error: open nowhere.jsonl: no such file or directory
//	exit status 1
//
// The rules of it:
//   - In the package comment of cmd/*/main.go, every indented block whose first
//     line begins with "$ " (or with "# needs …", below) is run.
//   - In README.md and docs/*.md, every fenced block whose info string is
//     "sh run" is run; a plain "sh" block is not. Where none of its lines begins
//     with "$ ", the block is a script that must exit 0, and what it prints
//     does not matter.
//   - A command that ends with a backslash goes on in the next line, which is
//     written without "$ ".
//   - An exit code other than 0 is shown as the last line: exit status 1.
//   - In what is printed, "…" stands for any text within a line, and a line of
//     "…" alone for any number of lines.
//   - The blocks of one page are run in order by sh -e, each in its own shell,
//     in one folder: a copy of the committed files, with the tools on PATH. A
//     file that one block writes is there for the next. MR_CACHE is a folder
//     that all pages share and that starts empty; no network is needed.
//   - A first line "# needs models jq" names what the block cannot do without:
//     models are the model files (scripts/fetch-models), any other word is a
//     program. Where one is missing the rest of the page is skipped, loudly.
package house
