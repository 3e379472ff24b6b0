package cache

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

var space = Space{Kind: "vector", Model: "m", Params: "max=512"}

// warnings collects what a cache warns of.
type warnings []string

func (w *warnings) warn(err error) { *w = append(*w, err.Error()) }

func mustOpen(t *testing.T, dir string, w *warnings) *Cache {
	t.Helper()
	c, err := Open(dir, w.warn)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustClose(t *testing.T, c *Cache) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// value is a value of n bytes that i tells apart.
func value(i, n int) []byte { return bytes.Repeat([]byte{byte(i), byte(i >> 8), 7}, n/3+1)[:n] }

func key(i int) Key { return space.Key("text " + strconv.Itoa(i)) }

func TestRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a folder with ? and %41", "deep")
	var w warnings
	c := mustOpen(t, dir, &w)
	if _, ok := c.Load(key(1)); ok {
		t.Error("an empty cache holds a value")
	}
	sizes := []int{0, 1, 4, 1536, 5000, 200_000}
	c.Store(key(100), nil)
	for i, n := range sizes {
		c.Store(key(i), value(i, n))
	}
	mustClose(t, c)

	c = mustOpen(t, dir, &w)
	for i, n := range sizes {
		if got, ok := c.Load(key(i)); !ok || !bytes.Equal(got, value(i, n)) {
			t.Errorf("value %d of %d bytes: %d bytes, %v", i, n, len(got), ok)
		}
	}
	if got, ok := c.Load(key(100)); !ok || len(got) != 0 {
		t.Errorf("no bytes came back as %q, %v", got, ok)
	}
	c.Store(key(1), []byte("another"))
	mustClose(t, c)
	c = mustOpen(t, dir, &w)
	if got, _ := c.Load(key(1)); string(got) != "another" {
		t.Errorf("a value stored again is %q", got)
	}
	mustClose(t, c)
	if len(w) > 0 {
		t.Errorf("warnings: %q", w)
	}
	if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
		t.Error(err)
	}
}

// What was stored can be read by others before Close: after a batch, or 2 seconds.
func TestStoreFlushes(t *testing.T) {
	dir := t.TempDir()
	var w warnings
	c, reader := mustOpen(t, dir, &w), mustOpen(t, dir, &w)
	defer mustClose(t, reader)
	defer mustClose(t, c)
	for i := range batchEntries {
		c.Store(key(i), value(i, 16))
	}
	if _, ok := reader.Load(key(0)); !ok {
		t.Error("a full batch was not written")
	}
	c.Store(key(1000), value(1, 16))
	if _, ok := reader.Load(key(1000)); ok {
		t.Error("a single value was written at once: writes are not batched")
	}
	c.mu.Lock()
	c.since = time.Now().Add(-batchAge)
	c.mu.Unlock()
	c.Store(key(1001), value(2, 16))
	if _, ok := reader.Load(key(1000)); !ok {
		t.Error("an old batch was not written")
	}
	c.Store(key(1002), value(1, batchBytes))
	if _, ok := reader.Load(key(1002)); !ok {
		t.Error("a big batch was not written")
	}
	c.Store(key(1003), value(3, 16))
	c.Flush()
	if _, ok := reader.Load(key(1003)); !ok {
		t.Error("Flush wrote nothing")
	}
	if len(w) > 0 {
		t.Errorf("warnings: %q", w)
	}
}

// Whoever opens a new cache at the same moment as others gets it too.
func TestOpenedAtOnce(t *testing.T) {
	for range 20 {
		dir := t.TempDir()
		var said sync.Map
		var wg sync.WaitGroup
		start := make(chan struct{})
		for i := range 8 {
			wg.Go(func() {
				<-start
				c, err := Open(dir, func(err error) { said.Store(i, err) })
				if err != nil {
					t.Error(err)
					return
				}
				c.Store(key(i), value(i, 16))
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		close(start)
		wg.Wait()
		said.Range(func(i, err any) bool {
			t.Errorf("%v was told: %v", i, err)
			return true
		})
	}
}

func TestKeysDiffer(t *testing.T) {
	keys := map[Key]string{}
	for _, tt := range []struct {
		name  string
		space Space
		texts []string
	}{
		{"plain", space, []string{"ab", "c"}},
		{"other cut", space, []string{"a", "bc"}},
		{"one text", space, []string{"abc"}},
		{"other order", space, []string{"c", "ab"}},
		{"empty text added", space, []string{"ab", "c", ""}},
		{"no text", space, nil},
		{"other kind", Space{"tokens", "m", "max=512"}, []string{"ab", "c"}},
		{"other model", Space{"vector", "n", "max=512"}, []string{"ab", "c"}},
		{"other params", Space{"vector", "m", "max=256"}, []string{"ab", "c"}},
		{"params run into text", Space{"vector", "m", "max=512ab"}, []string{"c"}},
	} {
		k := tt.space.Key(tt.texts...)
		if other, ok := keys[k]; ok {
			t.Errorf("%s has the key of %s", tt.name, other)
		}
		keys[k] = tt.name
		if k != tt.space.Key(tt.texts...) {
			t.Errorf("%s: two keys", tt.name)
		}
	}
}

func TestFloats(t *testing.T) {
	want := []float32{0, -1.5, 1e-45, 3.4e38}
	got, err := ParseFloats(Floats(want), 4)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if _, err := ParseFloats(Floats(want), 5); err == nil {
		t.Error("five numbers came out of four")
	}
}

func TestOff(t *testing.T) {
	for _, c := range []*Cache{mustOpen(t, "off", nil), {}} {
		c.Store(key(1), []byte("x"))
		if _, ok := c.Load(key(1)); ok || c.Path() != "" {
			t.Error("a cache that is off holds a value or has a path")
		}
		mustClose(t, c)
	}
}

func TestDefaultDir(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("MR_CACHE", "")
	user, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	var w warnings
	c := mustOpen(t, "", &w)
	if want := filepath.Join(user, "mobium-rag", "cache", file); c.Path() != want {
		t.Errorf("path %s, want %s", c.Path(), want)
	}
	mustClose(t, c)
	named := t.TempDir()
	t.Setenv("MR_CACHE", named)
	c = mustOpen(t, "", &w)
	if want := filepath.Join(named, file); c.Path() != want {
		t.Errorf("with MR_CACHE: path %s, want %s", c.Path(), want)
	}
	mustClose(t, c)
	t.Setenv("MR_CACHE", "off")
	if c = mustOpen(t, "", &w); c.Path() != "" {
		t.Errorf("with MR_CACHE=off: path %s", c.Path())
	}
	t.Setenv("MR_CACHE", "")
	t.Setenv("HOME", "")
	c = mustOpen(t, "", &w)
	c.Store(key(1), nil)
	mustClose(t, c)
	if len(w) != 1 || !strings.Contains(w[0], "HOME") {
		t.Errorf("without a home: warnings %q, want one that names HOME", w)
	}
}

func TestDamagedFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, file)
	if err := os.WriteFile(path, bytes.Repeat([]byte("not SQLite "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(dir, func(err error) { t.Errorf("warning: %v", err) })
	if err == nil || !strings.Contains(err.Error(), "damaged") || !strings.Contains(hint.Of(err), "rm '"+path+"'") {
		t.Errorf("Open = %v (hint %q), want damage, and the file to delete", err, hint.Of(err))
	}
}

// Pages overwritten in the middle of the file are met when they are read.
func TestDamagedPages(t *testing.T) {
	dir := t.TempDir()
	var w warnings
	c := mustOpen(t, dir, &w)
	for i := range 2000 {
		c.Store(key(i), value(i, 64))
	}
	mustClose(t, c)
	raw, err := os.ReadFile(c.Path())
	if err != nil {
		t.Fatal(err)
	}
	for i := 2 * 4096; i < len(raw); i++ {
		raw[i] ^= 0x5a
	}
	if err := os.WriteFile(c.Path(), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err = Open(dir, w.warn)
	if err != nil { // found at once is fine too
		if !strings.Contains(hint.Of(err), c.Path()) {
			t.Errorf("Open = %v, hint %q", err, hint.Of(err))
		}
		return
	}
	for i := range 2000 {
		if _, ok := c.Load(key(i)); ok {
			t.Fatalf("value %d came out of a damaged page", i)
		}
		c.Store(key(i), value(i, 64))
	}
	mustClose(t, c)
	if len(w) != 1 || !strings.Contains(w[0], "rm '"+c.Path()+"'") {
		t.Errorf("warnings %q, want one that names the file to delete", w)
	}
}

func TestDamagedValue(t *testing.T) {
	dir := t.TempDir()
	var w warnings
	c := mustOpen(t, dir, &w)
	c.Store(key(1), []byte("right"))
	c.Store(key(2), []byte("right"))
	mustClose(t, c)
	exec1(t, c.Path(), `UPDATE entry SET value = CAST('wrong' AS BLOB)`)
	c = mustOpen(t, dir, &w)
	for i := 1; i <= 2; i++ {
		if got, ok := c.Load(key(i)); ok {
			t.Errorf("Load = %q, want a miss", got)
		}
	}
	c.Store(key(1), []byte("right"))
	mustClose(t, c)
	if len(w) != 1 || !strings.Contains(w[0], "fails its checksum") {
		t.Errorf("warnings %q, want one about the checksum", w)
	}
	c = mustOpen(t, dir, &w)
	if got, ok := c.Load(key(1)); !ok || string(got) != "right" {
		t.Errorf("after repair Load = %q, %v", got, ok)
	}
	mustClose(t, c)
}

func exec1(t *testing.T, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite3", dsn(path))
	if err == nil {
		_, err = db.Exec(query)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	blocker := filepath.Join(dir, "file")
	if err := os.WriteFile(blocker, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Join(blocker, "cache"), "/proc/mobium"} {
		var w warnings
		c := mustOpen(t, dir, &w)
		c.Store(key(1), []byte("x"))
		if _, ok := c.Load(key(1)); ok {
			t.Error("a value came back")
		}
		mustClose(t, c)
		if len(w) != 1 || !strings.Contains(w[0], "going on without the cache "+dir) {
			t.Errorf("warnings %q, want one that names %s", w, dir)
		}
	}
}

func TestLimit(t *testing.T) {
	dir := t.TempDir()
	var w warnings
	c, err := open(dir, w.warn, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		c.Store(key(i), value(i, batchBytes))
	}
	mustClose(t, c)
	if len(w) != 1 || !strings.Contains(w[0], "full") {
		t.Errorf("warnings %q, want one that says full", w)
	}
	w = nil
	c = mustOpen(t, dir, &w)
	c.Store(key(9), []byte("x"))
	mustClose(t, c)
	if len(w) != 0 {
		t.Errorf("the file is of no use after it was full: %q", w)
	}
}

// A lock that stays taken costs the writer its cache, and the readers nothing.
func TestLockedOut(t *testing.T) {
	dir := t.TempDir()
	var w warnings
	c := mustOpen(t, dir, &w)
	c.Store(key(1), []byte("old"))
	mustClose(t, c)
	c = mustOpen(t, dir, &w)
	holder := mustOpen(t, dir, &w)
	ctx := context.Background()
	// Without WAL an exclusive transaction would shut readers out.
	if _, err := holder.writer.ExecContext(ctx, `BEGIN EXCLUSIVE; DELETE FROM entry`); err != nil {
		t.Fatal(err)
	}
	if _, err := c.writer.ExecContext(ctx, `PRAGMA busy_timeout = 50`); err != nil {
		t.Fatal(err)
	}
	if got, ok := c.Load(key(1)); !ok || string(got) != "old" {
		t.Errorf("beside an open transaction Load = %q, %v", got, ok)
	}
	mustClose(t, mustOpen(t, dir, &w)) // opening takes no lock
	c.Store(key(2), []byte("x"))
	mustClose(t, c)
	if len(w) != 1 || !strings.Contains(w[0], "locked") {
		t.Errorf("warnings %q, want one that says locked", w)
	}
	if _, err := holder.writer.ExecContext(ctx, `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	mustClose(t, holder)
}

// Four writers and four readers open a cache that does not exist yet, all at
// once, as processes. Nobody fails, and nothing is lost.
func TestProcesses(t *testing.T) {
	const each, writers, readers = 400, 4, 4
	if role := os.Getenv("CACHE_TEST_ROLE"); role != "" {
		worker(t, role, os.Getenv("CACHE_TEST_DIR"), each)
		return
	}
	dir := filepath.Join(t.TempDir(), "new")
	var cmds []*exec.Cmd
	var outs []*bytes.Buffer
	for i := range writers + readers {
		role := fmt.Sprintf("write %d", i)
		if i >= writers {
			role = fmt.Sprintf("read %d", i-writers)
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestProcesses$", "-test.v")
		cmd.Env = append(os.Environ(), "CACHE_TEST_ROLE="+role, "CACHE_TEST_DIR="+dir)
		out := new(bytes.Buffer)
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds, outs = append(cmds, cmd), append(outs, out)
	}
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, outs[i])
		}
	}
	var w warnings
	c := mustOpen(t, dir, &w)
	defer mustClose(t, c)
	for i := range writers * each {
		if got, ok := c.Load(key(i)); !ok || !bytes.Equal(got, value(i, 1536)) {
			t.Fatalf("value %d was lost", i)
		}
	}
}

// What a killed process had written is there, and its unfinished transaction is not.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("CACHE_TEST_KILLED"); dir != "" {
		c := mustOpen(t, dir, new(warnings))
		for i := range batchEntries {
			c.Store(key(i), value(i, 64))
		}
		if _, err := c.writer.ExecContext(context.Background(), `BEGIN IMMEDIATE; DELETE FROM entry`); err != nil {
			t.Fatal(err)
		}
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		t.Fatal(self.Kill())
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), "CACHE_TEST_KILLED="+dir)
	if out, err := cmd.CombinedOutput(); err == nil || len(out) > 0 {
		t.Fatalf("the process was not killed: %v: %s", err, out)
	}
	var w warnings
	c := mustOpen(t, dir, &w)
	for i := range batchEntries {
		if got, ok := c.Load(key(i)); !ok || !bytes.Equal(got, value(i, 64)) {
			t.Fatalf("value %d was lost", i)
		}
	}
	mustClose(t, c)
	if len(w) > 0 {
		t.Errorf("warnings: %q", w)
	}
}

func worker(t *testing.T, role, dir string, each int) {
	var w warnings
	c := mustOpen(t, dir, &w)
	verb, number, _ := strings.Cut(role, " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	for i := range each {
		k := n*each + i
		if verb == "write" {
			c.Store(key(k), value(k, 1536))
			if i%10 == 0 { // many short transactions
				c.mu.Lock()
				c.flush()
				c.mu.Unlock()
			}
		}
		if got, ok := c.Load(key(k)); ok && !bytes.Equal(got, value(k, 1536)) {
			t.Fatalf("value %d is wrong", k)
		}
	}
	mustClose(t, c)
	if len(w) > 0 {
		t.Fatalf("warnings: %q", w)
	}
}
