// Package corpus cuts Markdown pages into passages, and reads passages back.
//
// # What a heading is
//
// goldmark (CommonMark 0.31 with GitHub's tables) decides: ATX and setext
// headings, and so never a '#' inside of a fence, an indented code block or an
// HTML block.
//
//   - A heading inside of a list item or a block quote is no border: cutting
//     there would tear the item. Its text belongs to the section around it. It
//     is counted for the anchors of the page, as GitHub counts it.
//   - An HTML heading (<h2>) is text, and not counted.
//   - YAML front matter (from a first line --- to a line --- or ..., where what
//     comes first in it is a key) holds no headings. It is text like any other.
//
// # Sections
//
// A section runs from one heading to the next, its own line included. What
// stands before the first heading is a section of its own. A section of its
// heading alone is kept; one of white space alone is not.
//
// Section ids:
//   - path#slug, where slug is the anchor GitHub gives the heading (see slug);
//     -1, -2… for repeats.
//   - path# for the text before the first heading. So a heading without a
//     slug (empty, or of punctuation alone) is path#-1, path#-2…
//   - What the configuration says for numbered entries: CHALLENGES#105 for
//     "### 105. …" in docs/CHALLENGES.md. Repeats within a page take -1, -2….
//   - Ids do not move under edits elsewhere in the page, but for repeats of one
//     slug, which are numbered in order as GitHub does.
//
// # Passages
//
// A section of up to Max characters (Unicode code points) is one passage, under
// the section's id. A longer one is cut into parts, id~1, id~2…:
//   - At the border of a block, of an item of a list, or of a row of a table.
//     Only what is longer than Max by itself is cut inside: a paragraph, a
//     fence or another block at lines; a line at the end of a sentence, else at
//     a space, else between any two characters.
//   - As few parts as that allows, of sizes as even as it allows; a heading
//     stays with what follows it, a table's head with its first row.
//   - A part is text of the page, word for word. So the later parts of a table
//     do not repeat its head; each carries its trail of headings instead.
//   - No part is longer than Max.
//
// The text of a passage is that of its lines, with these exceptions: line
// endings (LF, CR LF, CR) are written as LF, the last is left out; blank lines
// at its ends are left out, and with them parts of white space alone; a
// leading byte order mark is left out. The parts in order, so, give back every
// line of the page that is not blank.
//
// A page that is not UTF-8 is refused with the place of the first bad byte, and
// so is a path with a control character: ids must survive a terminal and a
// line of text.
//
// # Commit
//
// Passages from git carry the full id of the commit. Those of documents carry
// the sha256 of the set, as `sha256sum PATHS | LC_ALL=C sort -k2 | sha256sum`
// gives it: for each page in order of path, the sha256 of its text, two spaces,
// its path and a newline. Order of the input, and pages left out, do not count.
package corpus
