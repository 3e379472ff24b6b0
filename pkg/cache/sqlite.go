package cache

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mattn/go-sqlite3"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

// The name of the file carries the version of the schema.
//
//	v1  the first
const file = "v1.sqlite"

const schema = `CREATE TABLE IF NOT EXISTS entry (
	key   BLOB PRIMARY KEY,
	kind  TEXT NOT NULL,
	sum   INTEGER NOT NULL,
	value BLOB NOT NULL
) STRICT`

// busy is how long a connection waits for a lock before it gives up.
const busy = 5 * time.Second

func open(dir string, warn func(error), limit int64) (*Cache, error) {
	if dir == "" {
		dir = os.Getenv("MR_CACHE")
	}
	switch dir {
	case "off":
		return &Cache{}, nil
	case "":
		user, err := os.UserCacheDir()
		if err != nil {
			warn(without("", err))
			return &Cache{}, nil
		}
		dir = filepath.Join(user, "mobium-rag", "cache")
	}
	path := filepath.Join(dir, file)
	c, err := connect(path, limit)
	switch {
	case err == nil:
		c.warn = warn
		return c, nil
	case code(err) == sqlite3.ErrNotADB, code(err) == sqlite3.ErrCorrupt:
		return nil, hint.Wrap(fmt.Errorf("cache %s is damaged: %w", path, err),
			"delete it (rm '%s'*): what it held is computed again; or run with -cache off", path)
	}
	warn(without(path, err))
	return &Cache{}, nil
}

// without is the warning of a run that goes on uncached.
func without(path string, err error) error {
	switch code(err) {
	case sqlite3.ErrFull:
		err = fmt.Errorf("%w (the disk, or the limit of the file: deleting it is safe)", err)
	case sqlite3.ErrNotADB, sqlite3.ErrCorrupt:
		err = fmt.Errorf("%w (delete it: rm '%s'*)", err, path)
	}
	return fmt.Errorf("going on without the cache %s: %w", path, err)
}

// code is SQLite's code of err, 0 if it is none of SQLite's.
func code(err error) sqlite3.ErrNo {
	var e sqlite3.Error
	errors.As(err, &e)
	return e.Code
}

func connect(path string, limit int64) (_ *Cache, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite3", dsn(path))
	if err != nil {
		return nil, err
	}
	c := &Cache{path: path, db: db}
	defer func() {
		if err != nil {
			db.Close() // the error that led here says more
		}
	}()
	db.SetMaxIdleConns(16) // for as many readers
	ctx := context.Background()
	if c.writer, err = db.Conn(ctx); err != nil {
		return nil, err
	}
	if err = patiently(func() error { return setUp(ctx, c.writer, limit) }); err != nil {
		return nil, err
	}
	err = patiently(func() (err error) {
		c.load, err = db.Prepare(`SELECT value, sum FROM entry WHERE key = ?`)
		return err
	})
	return c, err
}

// patiently tries again for as long as busy while others have a lock. SQLite
// itself does not wait where a new file goes into WAL mode, or is recovered.
func patiently(try func() error) error {
	end := time.Now().Add(busy)
	for {
		err := try()
		if no := code(err); no != sqlite3.ErrBusy && no != sqlite3.ErrLocked || time.Now().After(end) {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// dsn escapes the path. NORMAL syncs at checkpoints: a power cut loses the last values, never the file.
func dsn(path string) string {
	p := filepath.ToSlash(path)
	if filepath.IsAbs(path) && !strings.HasPrefix(p, "/") { // C:/…
		p = "/" + p
	}
	return fmt.Sprintf("file:%s?_busy_timeout=%d&_synchronous=NORMAL", (&url.URL{Path: p}).EscapedPath(), busy.Milliseconds())
}

// setUp brings the file into WAL mode and makes the table.
func setUp(ctx context.Context, conn *sql.Conn, limit int64) error {
	var mode string
	if err := conn.QueryRowContext(ctx, `PRAGMA journal_mode = WAL`).Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("the file system does not allow WAL mode (got %s)", mode)
	}
	var page int64
	if err := conn.QueryRowContext(ctx, `PRAGMA page_size`).Scan(&page); err != nil {
		return err
	}
	_, err := conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA max_page_count = %d; PRAGMA journal_size_limit = %d; %s`, limit/page, 64<<20, schema))
	return err
}

// write stores a batch in one transaction, which takes the lock at its start
// and waits for it at most busy.
func (c *Cache) write(batch []entry) (err error) {
	ctx := context.Background()
	if _, err := c.writer.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			// A full disk has rolled back by itself, and then this fails.
			_, _ = c.writer.ExecContext(ctx, `ROLLBACK`)
		}
	}()
	stmt, err := c.writer.PrepareContext(ctx, `INSERT OR REPLACE INTO entry (key, kind, sum, value) VALUES (?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer stmt.Close()
	for _, e := range batch {
		if _, err := stmt.ExecContext(ctx, e.key.sum[:], e.key.kind, checksum(e.key, e.value), e.value); err != nil {
			return err
		}
	}
	_, err = c.writer.ExecContext(ctx, `COMMIT`)
	return err
}
